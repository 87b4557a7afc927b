package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/grove-graph/grove/split"
)

// WriteTU stores the data set in TU format in a folder, so that [OpenTU] reads back the same graphs,
// classes, targets, labels, attributes, weights and motif.
//
// Class names, vertex label codes and arc label names that are whole numbers in ascending order are
// written as they are, others as 0, 1, 2, ...; NAME_node_label_names.txt keeps the names of vertex labels
// where they are not the codes. The format
// has no place for directed graphs, arc types, vertex tasks, values that are not finite and an empty
// graph at the end; these are errors. Self loops are left out, as a reader would drop them.
//
// A data set that is in the folder is replaced, in one step; other files are kept.
func WriteTU(dir string, d *Dataset) error { return writeAs(dir, TUFormat, d) }

func writeTU(to *folderWriter, d *Dataset) error {
	if err := fitsTU(d); err != nil {
		return fmt.Errorf("write TU: %w", err)
	}
	w := &tuWriter{to, d}
	w.writeGraphs()
	w.writeVertices()
	w.writeArcs()
	return w.err
}

// tuKinds are the files that may make up a data set in TU format, NAME_KIND.txt each.
func tuKinds() []string {
	return []string{
		"A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_label_names", "node_attributes",
		"edge_labels", "edge_attributes", "node_gt", "edge_gt",
	}
}

// tuFiles lists the files of the data set that is in a folder, or of what there is of one.
func tuFiles(f folder) []string {
	name, err := tuName(f)
	if err != nil {
		name = folderName(f.name)
	}
	var found []string
	for _, kind := range tuKinds() {
		for _, stored := range []string{name + "_" + kind + ".txt", name + "_" + kind + ".txt.gz"} {
			if _, err := fs.Stat(f.files, stored); err == nil {
				found = append(found, stored)
			}
		}
	}
	return found
}

// fitsTU says what of the data set the format cannot hold.
func fitsTU(d *Dataset) error {
	b := d.Batch
	graphs := b.NumGraphs()
	switch {
	case d.Name == "" || strings.ContainsAny(d.Name, "/\\\n\r"):
		return fmt.Errorf("%q cannot name files", d.Name)
	case d.Task.PerVertex():
		return errors.New("the format holds no vertex tasks")
	case b.Directed:
		return errors.New("the format holds no directed graphs")
	case b.ArcTypes != nil:
		return errors.New("the format holds no arc types")
	case graphs == 0:
		return errors.New("the format holds no data set without graphs")
	case b.Offsets[graphs-1] == b.Offsets[graphs]:
		return fmt.Errorf("graph %d (counted from 0), the last one, has no vertices, which the format does not hold at "+
			"the end: leave this graph out or put it before one that has vertices", graphs-1)
	}
	for g := range graphs {
		if d.Classes == nil && d.Targets == nil && b.Offsets[g] == b.Offsets[g+1] {
			return fmt.Errorf("graph %d has no vertices, which the format holds only with classes or targets", g)
		}
	}
	return nil
}

// tuWriter writes the files of one data set.
type tuWriter struct {
	*folderWriter
	set *Dataset
}

func (w *tuWriter) name(kind string) string { return w.set.Name + "_" + kind + ".txt" }

// integers writes one whole number on every line.
func (w *tuWriter) integers(kind string, rows int, value func(i int) int64) {
	w.file(w.name(kind), func(t *text) {
		for i := range rows {
			t.integer(value(i))
			t.newline()
		}
	})
}

// matrix writes one row of real numbers on every line.
func (w *tuWriter) matrix(kind string, values []float64, columns int) {
	w.file(w.name(kind), func(t *text) {
		for i, v := range values {
			t.real(v)
			if (i+1)%columns == 0 {
				t.newline()
			} else {
				t.word(", ")
			}
		}
	})
}

// marks writes a 1 for what is marked and a 0 for what is not.
func (w *tuWriter) marks(kind string, rows int, marked func(i int) bool) {
	w.integers(kind, rows, func(i int) int64 {
		if marked(i) {
			return 1
		}
		return 0
	})
}

func (w *tuWriter) writeGraphs() {
	d, b := w.set, w.set.Batch
	w.file(w.name("graph_indicator"), func(t *text) {
		for g := range b.NumGraphs() {
			for range b.Offsets[g+1] - b.Offsets[g] {
				t.integer(int64(g) + 1)
				t.newline()
			}
		}
	})
	if d.Classes != nil {
		codes, _ := fileCodes(d.ClassNames, count(d.Classes))
		w.integers("graph_labels", b.NumGraphs(), func(g int) int64 { return codes[d.Classes[g]] })
	}
	if len(d.Targets) > 0 {
		w.matrix("graph_attributes", d.Targets, len(d.TargetNames))
	}
}

func (w *tuWriter) writeVertices() {
	d, b := w.set, w.set.Batch
	if b.Labels != nil {
		codes, _ := fileCodes(d.LabelCodes, count(b.Labels))
		w.integers("node_labels", b.NumVertices(), func(v int) int64 { return codes[b.Labels[v]] })
		if len(d.LabelNames) >= len(codes) && !slices.Equal(d.LabelNames[:len(codes)], codeNames(codes)) {
			w.file(w.name("node_label_names"), func(t *text) {
				for id, code := range codes {
					t.integer(code)
					t.word(" " + fieldName(d.LabelNames[id]))
					t.newline()
				}
			})
		}
	}
	if b.AttributeDim > 0 {
		w.matrix("node_attributes", b.Attributes, b.AttributeDim)
	}
	if d.Motif != nil {
		w.marks("node_gt", b.NumVertices(), func(v int) bool { return d.Motif.Vertices[v] })
	}
}

func (w *tuWriter) writeArcs() {
	d, b := w.set, w.set.Batch
	var tails, arcs []int32 // the arcs that are no self loops
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			if b.Col[a] != u {
				tails, arcs = append(tails, u), append(arcs, a)
			}
		}
	}
	w.file(w.name("A"), func(t *text) {
		for i, a := range arcs {
			t.pair(int64(tails[i])+1, ", ", int64(b.Col[a])+1)
		}
	})
	if b.ArcLabels != nil {
		codes, _ := fileCodes(d.ArcLabelNames, count(b.ArcLabels))
		w.integers("edge_labels", len(arcs), func(i int) int64 { return codes[b.ArcLabels[arcs[i]]] })
	}
	if b.ArcWeights != nil {
		w.matrix("edge_attributes", split.Select(b.ArcWeights, arcs), 1)
	}
	if d.Motif != nil {
		w.marks("edge_gt", len(arcs), func(i int) bool { return d.Motif.Arcs[arcs[i]] })
	}
}

// fieldName makes a name fit into one field of a file.
func fieldName(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" ,\t\r\n", c) }), "_")
}
