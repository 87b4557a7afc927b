package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/grove-graph/grove/columnar"
)

// headKey is the key under which the schema of a columnar file may say what its columns do not.
const headKey = "grove"

// columnarHead is the value of headKey, as JSON. All of it may be left out.
type columnarHead struct {
	Task     string   `json:"task,omitempty"`     // as [Task.String] says it
	Directed bool     `json:"directed,omitempty"` // otherwise every arc has its reverse
	Target   string   `json:"target,omitempty"`   // what the column class is called
	Classes  []string `json:"classes,omitempty"`  // of graphs or vertices, in their order
	// TargetClasses has the classes of the targets that hold such, in their order.
	TargetClasses map[string][]string `json:"target_classes,omitempty"`
	Labels        []string            `json:"labels,omitempty"` // codes of vertex labels, in their order
	LabelNames    []string            `json:"label_names,omitempty"`
	ArcLabels     []string            `json:"arc_labels,omitempty"` // codes of arc labels, in their order
	Attributes    []string            `json:"attributes,omitempty"` // their names
}

// columnarHeadOf returns the head of a data set.
func columnarHeadOf(d *Dataset) columnarHead {
	h := columnarHead{Task: d.Task.String(), Directed: d.Batch.Directed, Target: d.Target, ArcLabels: d.ArcLabelNames,
		Attributes: d.AttributeNames}
	if d.Batch.Labels != nil {
		h.Labels, h.LabelNames = d.LabelCodes, d.LabelNames
	}
	if d.Classes != nil || d.VertexClasses != nil {
		h.Classes = d.ClassNames
	}
	for k, classes := range d.TargetClasses {
		if classes != nil {
			if h.TargetClasses == nil {
				h.TargetClasses = map[string][]string{}
			}
			h.TargetClasses[d.TargetNames[k]] = classes
		}
	}
	return h
}

// readColumnarHead returns the head that a schema has, an empty one where it has none.
func readColumnarHead(schema *arrow.Schema) (h columnarHead, err error) {
	meta := schema.Metadata()
	if i := meta.FindKey(headKey); i >= 0 {
		if err := json.Unmarshal([]byte(meta.Values()[i]), &h); err != nil {
			return h, fmt.Errorf("the schema says %s under %s, which is not the JSON that docs/formats.md describes",
				quote([]byte(meta.Values()[i])), headKey)
		}
	}
	if h.LabelNames != nil && len(h.LabelNames) != len(h.Labels) {
		return h, fmt.Errorf("the schema has %d names of %d vertex labels under %s", len(h.LabelNames), len(h.Labels),
			headKey)
	}
	return h, nil
}

// task returns the task that the head names.
func (h *columnarHead) task() (task Task, named bool, err error) {
	if h.Task == "" {
		return 0, false, nil
	}
	for t := GraphClassification; t <= NodeRegression; t++ {
		if t.String() == h.Task {
			return t, true, nil
		}
	}
	return 0, false, fmt.Errorf("the schema names the task %s", quote([]byte(h.Task)))
}

// openColumnar reads a columnar file of a folder, the one that is named or the only one.
func openColumnar(f folder, file string, found []string, how Molecules) (*Dataset, error) {
	switch {
	case file != "":
	case len(found) == 1:
		file = found[0]
	default:
		return nil, fmt.Errorf("%s: %d files: name the one to read", f.name, len(found))
	}
	rows, err := f.openRowsOf(file)
	if err != nil {
		return nil, err
	}
	defer rows.close()
	return readColumnar(rows.Reader, f.path(file), stem(file), how)
}

// ReadArrow reads a data set from a stream (or a file) of Arrow IPC, a pipe for instance, with molecules read as m
// says. Errors call it by the given name, and so is the data set called.
func (m Molecules) ReadArrow(in io.Reader, name string) (*Dataset, error) {
	rows, err := columnar.NewStream(in)
	if err != nil {
		return nil, fmt.Errorf("%s: no stream of Arrow IPC: %w", name, err)
	}
	defer rows.Close()
	return readColumnar(rows, name, name, m)
}

// readColumnar reads all rows as one data set.
func readColumnar(rows *columnar.Reader, file, name string, how Molecules) (*Dataset, error) {
	l, err := columnsOf(rows, file, how)
	if err != nil {
		return nil, err
	}
	if l.molecules >= 0 {
		return readMoleculeRows(rows, l, file, name, how)
	}
	c := newCodes(l)
	r := newGraphRows(l, c)
	if err := eachBatch(rows, file, func(batch arrow.RecordBatch) error {
		return inFile(file, r.add(batch))
	}); err != nil {
		return nil, err
	}
	d, err := r.finish(name)
	return d, inFile(file, err)
}

// columnsOf finds out what the columns of a file are for, and refuses to read molecules in some way where there are
// none.
func columnsOf(rows *columnar.Reader, file string, how Molecules) (*columnLayout, error) {
	l, err := layoutOf(rows.Schema(), how)
	if err != nil {
		return nil, inFile(file, err)
	}
	if l.molecules < 0 && (how.Column != "" || how.Hydrogens || how.Attributes != nil || how.SkipInvalid) {
		return nil, fmt.Errorf("%s: its rows are no molecules, since there is no column %s: leave out what says how to "+
			"read them", file, smilesColumn)
	}
	return l, nil
}

// inFile names the file of an error, if there is one.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

// eachBatch calls visit with all rows of a file.
func eachBatch(rows *columnar.Reader, file string, visit func(arrow.RecordBatch) error) error {
	for {
		batch, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return inFile(file, err)
		}
		if err := visit(batch); err != nil {
			return err
		}
	}
}

// rowsOf are the rows of an open file.
type rowsOf struct {
	*columnar.Reader
	file io.Closer
}

func (r *rowsOf) close() {
	r.Close()
	_ = r.file.Close()
}

// openRowsOf opens a columnar file; one that is compressed as a whole is read into memory.
func (f folder) openRowsOf(name string) (*rowsOf, error) {
	wrong := func(err error) (*rowsOf, error) { return nil, fmt.Errorf("%s: %w", f.path(name), plainError(err)) }
	if err := regular(fs.Stat(f.files, name)); err != nil {
		return wrong(err)
	}
	file, err := f.files.Open(name)
	if err != nil {
		return wrong(err)
	}
	in, seekable := file.(interface {
		io.ReaderAt
		io.ReadSeeker
	})
	if compressed := path.Ext(name) == ".gz"; compressed || !seekable {
		raw, err := whole(file, compressed)
		if err != nil {
			_ = file.Close()
			return wrong(err)
		}
		in = bytes.NewReader(raw)
	}
	rows, err := columnar.NewReader(in)
	if err != nil {
		_ = file.Close()
		return wrong(err)
	}
	return &rowsOf{rows, file}, nil
}

// whole reads a file into memory.
func whole(file io.Reader, compressed bool) ([]byte, error) {
	if !compressed {
		return io.ReadAll(file)
	}
	in, err := gzip.NewReader(file)
	if err != nil {
		return nil, gzipError(err)
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		err = gzipError(err)
	}
	return raw, err
}

// suffixOf returns the name of a column such as target NAME.
func suffixOf(column, kind string) (name string, ok bool) {
	name, ok = strings.CutPrefix(column, kind+" ")
	return name, ok && name != ""
}
