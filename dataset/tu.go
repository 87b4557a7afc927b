package dataset

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// OpenTU reads a data set in the format of the TU collection (Morris et al. 2020) from a folder that
// holds NAME_A.txt and NAME_graph_indicator.txt, and as far as they exist NAME_graph_labels.txt,
// NAME_graph_attributes.txt, NAME_node_labels.txt, NAME_node_attributes.txt, NAME_edge_labels.txt and
// NAME_edge_attributes.txt.
//
// Rules:
//   - Graphs are undirected. Repeated and reversed entries of NAME_A.txt are merged, the first one
//     keeps its label; self loops are dropped (docs/conventions.md, 6). NAME_A.txt may be empty.
//   - Graph ids count from 1 and do not go backwards. A graph whose id is left out has no vertices; it
//     exists only if graph_labels or graph_attributes has a line for it.
//   - graph_labels makes a classification, graph_attributes alone a regression (its columns are the
//     targets). With neither the graphs have no classes.
//   - Labels are whole numbers of any size and sign. Of several columns of labels the first is used.
//   - Attributes are finite numbers, the same count on every line.
//   - A single column of edge attributes becomes the arc weights; several are checked and left out.
//   - NAME_node_label_names.txt, an addition of Grove, has a line "code name" for vertex labels that
//     have a name. Names are for people: two codes may share one and stay different labels, and a name
//     may look like another code. A code that is named twice is an error. Without the file
//     the labels of some known sets of molecules (MUTAG, Mutagenicity, PTC_MR, AIDS) are shown as elements.
//   - NAME_node_gt.txt and NAME_edge_gt.txt mark the motif behind the classes by 0 and 1, a line for every
//     vertex and for every line of NAME_A.txt.
func OpenTU(dir string) (*Dataset, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plainError(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: a TU data set is a folder that holds NAME_A.txt", dir)
	}
	return openTU(folder{os.DirFS(dir), dir})
}

func openTU(f folder) (*Dataset, error) {
	name, err := tuName(f)
	if err != nil {
		return nil, err
	}
	r := &tuReader{folder: f, name: name, set: &Dataset{Name: name}}
	for _, step := range []func() error{
		r.readGraphs, r.readIndicator, r.readArcs, r.readArcData, r.build, r.readVertexLabels, r.readVertexAttributes,
		r.readMotif,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.set, nil
}

// tuName finds the NAME of the only NAME_A.txt in the folder; among several it prefers the folder's own name.
func tuName(f folder) (string, error) {
	entries, err := fs.ReadDir(f.files, ".")
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.name, plainError(err))
	}
	var names []string
	other := ""
	for _, e := range entries {
		stem := strings.TrimSuffix(e.Name(), ".gz")
		if name, ok := strings.CutSuffix(stem, "_A.txt"); ok && name != "" && !e.IsDir() {
			if len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
			if name == folderName(f.name) {
				return name, nil
			}
		}
		if name, ok := strings.CutSuffix(stem, "_graph_indicator.txt"); ok {
			other = name
		}
	}
	switch {
	case len(names) == 1:
		return names[0], nil
	case len(names) > 1:
		return "", fmt.Errorf("%s: several data sets, %s: put each into a folder of its own",
			f.name, strings.Join(names, ", "))
	case other != "":
		return "", fmt.Errorf("%s: no such file, nor %s_A.txt.gz", f.path(other+"_A.txt"), other)
	}
	return "", fmt.Errorf("%s: no data set in TU format: looked for NAME_A.txt and NAME_A.txt.gz", f.name)
}

// folderName is the last part of a path, also of "." and of "data/".
func folderName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return filepath.Base(dir)
}

// tuReader holds what the files of one data set have told so far.
type tuReader struct {
	folder
	name string
	set  *Dataset

	graphs   int    // number of graphs by graph_labels or graph_attributes, -1 where both are missing
	graphsBy string // the file that said so
	offsets  []int32
	vertices int
	arcs     graph.ArcList
	arcMotif []bool
}

func (r *tuReader) file(kind string) string { return r.name + "_" + kind + ".txt" }

func (r *tuReader) has(kind string) bool { return r.find(r.file(kind)) != "" }

// readRows calls row for every line of a file of the data set.
func (r *tuReader) readRows(kind string, row func(l *lines)) (rows int, file string, err error) {
	l, err := r.open(r.file(kind))
	if err != nil {
		return 0, "", err
	}
	defer l.close()
	for l.next() {
		row(l)
		rows++
	}
	return rows, l.file, l.err
}

// readGraphs reads the classes and targets of the graphs.
func (r *tuReader) readGraphs() error {
	r.graphs = -1
	if r.has("graph_labels") {
		var codes []int64
		rows, file, err := r.readRows("graph_labels", func(l *lines) {
			codes = append(codes, l.integer())
			l.end()
		})
		if err != nil {
			return err
		}
		r.graphs, r.graphsBy = rows, file
		r.set.Classes, r.set.ClassNames = classIndices(codes)
	}
	if !r.has("graph_attributes") {
		return nil
	}
	targets, columns, rows, file, err := r.readMatrix("graph_attributes")
	if err != nil {
		return err
	}
	if r.graphs >= 0 && rows != r.graphs {
		return fmt.Errorf("%s: %d lines, %s has %d", file, rows, filepath.Base(r.graphsBy), r.graphs)
	}
	if r.graphs < 0 {
		r.graphs, r.graphsBy = rows, file
	}
	r.set.Targets = targets
	for c := range columns {
		r.set.TargetNames = append(r.set.TargetNames, "target "+strconv.Itoa(c+1))
	}
	if r.set.Classes == nil {
		r.set.Task = GraphRegression
	}
	return nil
}

// readMatrix reads finite numbers, the same count on every line.
func (r *tuReader) readMatrix(kind string) (values []float64, columns, rows int, file string, err error) {
	rows, file, err = r.readRows(kind, func(l *lines) { values = l.row(values, &columns) })
	return values, columns, rows, file, err
}

// row appends the finite numbers of a line to values. The first line says how many columns there are.
func (l *lines) row(values []float64, columns *int) []float64 {
	before := len(values)
	for l.err == nil && l.more() {
		values = append(values, l.real())
	}
	found := len(values) - before
	if l.number == 1 {
		*columns = found
	} else if found != *columns {
		l.fail("%d values, the first line has %d", found, *columns)
	}
	return values
}

// readIndicator reads which vertices each graph owns.
func (r *tuReader) readIndicator() error {
	r.offsets = []int32{0}
	limit := int64(math.MaxInt32 - 1)
	rows, file, err := r.readRows("graph_indicator", func(l *lines) {
		id := l.integer()
		l.end()
		current := int64(len(r.offsets) - 1) // the graph that the vertex before belongs to
		switch {
		case l.err != nil:
		case id < 1:
			l.fail("graph %d: graphs are numbered from 1", id)
		case id < current:
			l.fail("graph %d after graph %d: graph ids do not go backwards", id, current)
		case r.graphs >= 0 && id > int64(r.graphs):
			l.fail("graph %d: %s has %d lines", id, filepath.Base(r.graphsBy), r.graphs)
		case r.graphs < 0 && id > current+1:
			l.fail("graph %d after graph %d: a graph without vertices needs a line in %s", id, current, r.file("graph_labels"))
		case int64(l.number) > limit:
			l.fail("more than %d vertices", limit)
		default:
			for int64(len(r.offsets)-1) < id {
				r.offsets = append(r.offsets, r.offsets[len(r.offsets)-1])
			}
			r.offsets[id]++
		}
	})
	if err != nil {
		return err
	}
	if rows == 0 {
		return fmt.Errorf("%s: empty file", file)
	}
	if last := len(r.offsets) - 1; r.graphs > last {
		return fmt.Errorf("%s:%d: a line for graph %d, but %s ends at graph %d",
			r.graphsBy, last+1, last+1, filepath.Base(file), last)
	}
	r.vertices = rows
	return nil
}

// readCodes reads one whole number of every line of a file that has as many lines as another one.
func (r *tuReader) readCodes(kind string, rows int, other string) (codes []int64, err error) {
	further := false
	found, file, err := r.readRows(kind, func(l *lines) {
		codes = append(codes, l.integer())
		for l.err == nil && l.more() {
			l.integer()
			further = true
		}
	})
	if err != nil {
		return nil, err
	}
	if found != rows {
		return nil, r.wrongRows(file, found, rows, other)
	}
	if further {
		r.note(manyCodes, r.file(kind))
	}
	return codes, nil
}

// Notes on what a reader of the format does beyond reading.
const (
	manyCodes   = "%s has several columns, the first is used"
	manyWeights = "%s has %d columns and is left out: an arc has one weight"
	mergedArcs  = "%d entries of %s became %d arcs: repeated ones are merged, missing reverses added"
)

func (r *tuReader) wrongRows(file string, found, wanted int, other string) error {
	return fmt.Errorf("%s:%d: %d lines, but %s has %d", file, min(found, wanted)+1, found, r.file(other), wanted)
}

func (r *tuReader) note(format string, values ...any) {
	r.set.Notes = append(r.set.Notes, fmt.Sprintf(format, values...))
}
