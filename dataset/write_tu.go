package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
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

func writeTU(to *folderWriter, from Stream) error {
	w := &tuWriter{folderWriter: to, from: from}
	if err := w.scan(); err != nil {
		return fmt.Errorf("write TU: %w", err)
	}
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

// tuWriter writes the files of one data set, in a pass over its graphs for each of them.
type tuWriter struct {
	*folderWriter
	from Stream
	head *Dataset // the first graphs, for what all of them share

	classes, labels, arcLabels int // one more than the largest that occurs
	unfit                      error
}

// scan goes through the data set and says what of it the format cannot hold.
func (w *tuWriter) scan() error {
	graphs, last := 0, 0 // so far, and the vertices of the last one
	err := w.from.Each(func(d *Dataset) error {
		b := d.Batch
		switch {
		case d.Name == "" || strings.ContainsAny(d.Name, "/\\\n\r"):
			return fmt.Errorf("%q cannot name files", d.Name)
		case d.Task.PerVertex():
			return errors.New("the format holds no vertex tasks")
		case b.Directed:
			return errors.New("the format holds no directed graphs")
		case b.ArcTypes != nil:
			return errors.New("the format holds no arc types")
		case d.TargetClasses != nil:
			return fmt.Errorf("the format holds one target of classes, data set %s has %s: choose one with --target", d.Name,
				strings.Join(d.TargetNames, ", "))
		}
		if unknown := slices.Index(d.Classes, -1); unknown >= 0 {
			return fmt.Errorf("graph %d has no class, which the format does not hold", graphs+unknown)
		}
		for g := range b.NumGraphs() {
			last = int(b.Offsets[g+1] - b.Offsets[g])
			if d.Classes == nil && d.Targets == nil && last == 0 {
				if w.unfit == nil {
					w.unfit = fmt.Errorf("graph %d has no vertices, which the format holds only with classes or targets", graphs)
				}
			}
			graphs++
		}
		if w.head == nil {
			w.head = d
		}
		w.classes, w.labels = max(w.classes, count(d.Classes)), max(w.labels, count(b.Labels))
		w.arcLabels = max(w.arcLabels, count(b.ArcLabels))
		return nil
	})
	switch {
	case err != nil:
		return err
	case graphs == 0:
		return errors.New("the format holds no data set without graphs")
	case last == 0:
		return fmt.Errorf("graph %d (counted from 0), the last one, has no vertices, which the format does not hold at "+
			"the end: leave this graph out or put it before one that has vertices", graphs-1)
	}
	return w.unfit
}

// lines writes a file in a pass over the graphs.
func (w *tuWriter) lines(kind string, write func(t *text, d *Dataset)) {
	w.file(w.head.Name+"_"+kind+".txt", func(t *text) {
		err := w.from.Each(func(d *Dataset) error {
			write(t, d)
			return t.err
		})
		if t.err == nil {
			t.err = err
		}
	})
}

// line writes a whole number on a line of its own.
func (t *text) line(v int64) {
	t.integer(v)
	t.newline()
}

// matrix writes one row of real numbers on every line.
func (t *text) matrix(values []float64, columns int) {
	for i, v := range values {
		t.real(v)
		if (i+1)%columns == 0 {
			t.newline()
		} else {
			t.word(", ")
		}
	}
}

// mark writes a 1 for what is marked and a 0 for what is not.
func (t *text) mark(marked bool) {
	if marked {
		t.line(1)
	} else {
		t.line(0)
	}
}

func (w *tuWriter) writeGraphs() {
	graph := int64(0)
	w.lines("graph_indicator", func(t *text, d *Dataset) {
		for g := range d.NumGraphs() {
			graph++
			for range d.Batch.Offsets[g+1] - d.Batch.Offsets[g] {
				t.line(graph)
			}
		}
	})
	if w.head.Classes != nil {
		codes, _ := fileCodes(w.head.ClassNames, w.classes)
		w.lines("graph_labels", func(t *text, d *Dataset) {
			for _, c := range d.Classes {
				t.line(codes[c])
			}
		})
	}
	if columns := len(w.head.TargetNames); columns > 0 && len(w.head.Targets) > 0 {
		w.lines("graph_attributes", func(t *text, d *Dataset) { t.matrix(d.Targets, columns) })
	}
}

func (w *tuWriter) writeVertices() {
	h := w.head
	if h.Batch.Labels != nil {
		codes, _ := fileCodes(h.LabelCodes, w.labels)
		w.lines("node_labels", func(t *text, d *Dataset) {
			for _, id := range d.Batch.Labels {
				t.line(codes[id])
			}
		})
		if len(h.LabelNames) >= len(codes) && !slices.Equal(h.LabelNames[:len(codes)], codeNames(codes)) {
			w.file(h.Name+"_node_label_names.txt", func(t *text) {
				for id, code := range codes {
					t.integer(code)
					t.word(" " + fieldName(h.LabelNames[id]))
					t.newline()
				}
			})
		}
	}
	if columns := h.Batch.AttributeDim; columns > 0 {
		w.lines("node_attributes", func(t *text, d *Dataset) { t.matrix(d.Batch.Attributes, columns) })
	}
	if h.Motif != nil {
		w.lines("node_gt", func(t *text, d *Dataset) {
			for _, marked := range d.Motif.Vertices {
				t.mark(marked)
			}
		})
	}
}

// eachArc calls visit for the arcs that are no self loops.
func eachArc(b *graph.Batch, visit func(u int32, a int32)) {
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			if b.Col[a] != u {
				visit(u, a)
			}
		}
	}
}

func (w *tuWriter) writeArcs() {
	before := int64(1) // vertices are numbered from 1
	w.lines("A", func(t *text, d *Dataset) {
		eachArc(d.Batch, func(u, a int32) { t.pair(before+int64(u), ", ", before+int64(d.Batch.Col[a])) })
		before += int64(d.Batch.NumVertices())
	})
	if w.head.Batch.ArcLabels != nil {
		codes, _ := fileCodes(w.head.ArcLabelNames, w.arcLabels)
		w.lines("edge_labels", func(t *text, d *Dataset) {
			eachArc(d.Batch, func(_, a int32) { t.line(codes[d.Batch.ArcLabels[a]]) })
		})
	}
	if w.head.Batch.ArcWeights != nil {
		w.lines("edge_attributes", func(t *text, d *Dataset) {
			eachArc(d.Batch, func(_, a int32) {
				t.real(d.Batch.ArcWeights[a])
				t.newline()
			})
		})
	}
	if w.head.Motif != nil {
		w.lines("edge_gt", func(t *text, d *Dataset) {
			eachArc(d.Batch, func(_, a int32) { t.mark(d.Motif.Arcs[a]) })
		})
	}
}

// fieldName makes a name fit into one field of a file.
func fieldName(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(" ,\t\r\n", c) }), "_")
}
