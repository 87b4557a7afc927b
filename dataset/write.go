package dataset

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
)

// Write stores the data set in a folder, which it makes if need be: in TU format ([WriteTU]), or for a
// task per vertex as a vertex task ([WriteNode]). Files of an earlier data set of the same name and
// format are replaced or removed.
func Write(dir string, d *Dataset) error {
	if d.Task.PerVertex() {
		return WriteNode(dir, d)
	}
	return WriteTU(dir, d)
}

// Format is how a data set is stored.
type Format string

// The formats of [Open].
const (
	NoFormat    Format = "" // there is no data set
	TUFormat    Format = "TU"
	NodeFormat  Format = "vertex task"
	TextFormat  Format = "text"
	StoreFormat Format = "shards"
)

// FormatOf returns the format of the data set that is stored at path, a folder or a file, as far as the
// names of files tell. A text file makes a folder a data set only if it bears the name of the folder.
func FormatOf(path string) Format {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return NoFormat
	case !info.IsDir() && strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".txt") &&
		!strings.HasSuffix(strings.TrimSuffix(path, ".gz"), "_A.txt"):
		return TextFormat
	case !info.IsDir():
		path = filepath.Dir(path)
	}
	f := folder{os.DirFS(path), path}
	switch {
	case f.holds(shardIndex):
		return StoreFormat
	case f.holds("*_A.txt") || f.holds("*_graph_indicator.txt"):
		return TUFormat
	case f.holds("edges.csv") || f.holds("features.coo.csv") || f.holds("labels.csv"):
		return NodeFormat
	case f.find(folderName(path)+".txt") != "":
		return TextFormat
	}
	return NoFormat
}

// folderWriter writes text files into a folder. The first error is kept.
type folderWriter struct {
	dir     string
	written map[string]bool
	err     error
}

func newFolderWriter(dir string) *folderWriter {
	return &folderWriter{dir: dir, written: make(map[string]bool), err: os.MkdirAll(dir, 0o777)}
}

// file writes one file by calling content. It is there as a whole or not at all.
func (w *folderWriter) file(name string, content func(t *text)) {
	if w.err != nil {
		return
	}
	target := filepath.Join(w.dir, name)
	err := atomicfile.Write(target, func(out io.Writer) error {
		t := &text{out: bufio.NewWriterSize(out, 1<<16)}
		content(t)
		if t.err != nil {
			return t.err
		}
		return t.out.Flush()
	})
	if err != nil {
		w.err = fmt.Errorf("%s: %w", target, plainError(err))
	}
	w.written[name] = true
}

// removeOthers removes the named files, plain or compressed, that were not written now: what an
// earlier data set left in the folder must not be read as part of this one.
func (w *folderWriter) removeOthers(names ...string) {
	for _, name := range names {
		if w.err == nil && !w.written[name] {
			_ = os.Remove(filepath.Join(w.dir, name))
			_ = os.Remove(filepath.Join(w.dir, name+".gz"))
		}
	}
}

// text writes numbers and words. Errors of writing surface when the buffer is flushed.
type text struct {
	out     *bufio.Writer
	scratch []byte
	err     error // the first value that cannot be written
}

func (t *text) word(s string) { _, _ = t.out.WriteString(s) }

func (t *text) integer(v int64) {
	t.scratch = strconv.AppendInt(t.scratch[:0], v, 10)
	_, _ = t.out.Write(t.scratch)
}

// real writes the shortest number that reads back as v.
func (t *text) real(v float64) {
	if (math.IsNaN(v) || math.IsInf(v, 0)) && t.err == nil {
		t.err = fmt.Errorf("%v is not a finite number", v)
	}
	t.scratch = strconv.AppendFloat(t.scratch[:0], v, 'g', -1, 64)
	_, _ = t.out.Write(t.scratch)
}

func (t *text) newline() { _ = t.out.WriteByte('\n') }
