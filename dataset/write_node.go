package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/grove-graph/grove/graph"
)

// WriteNode stores a vertex task in a folder, so that [OpenNode] with the direction of the batch reads
// back the same graph, attributes, classes or targets, and splits. An undirected edge is written once with
// src < dst; where there are self loops, all edges are written in both directions. Attributes that are mostly zero are
// written as features.coo.csv, others as features.csv. The format has no place for vertex labels, arc
// data and several graphs; these are errors.
//
// A data set that is in the folder is replaced, in one step; other files are kept.
func WriteNode(dir string, d *Dataset) error { return writeAs(dir, NodeFormat, d) }

// nodeFiles are the files that may make up a vertex task.
func nodeFiles() []string {
	return []string{"edges.csv", "labels.csv", "features.coo.csv", "features.csv", "split_*.csv"}
}

// holdsNode reports whether a folder holds a vertex task, or a part of one.
func holdsNode(f folder) bool { return f.holds("labels.csv") || f.holds("features.coo.csv") }

func writeNode(w *folderWriter, d *Dataset) error {
	b := d.Batch
	switch {
	case !d.Task.PerVertex():
		return errors.New("write vertex task: the data set has a graph task")
	case b.NumGraphs() != 1:
		return fmt.Errorf("write vertex task: the format holds one graph, not %d", b.NumGraphs())
	case b.Labels != nil:
		return errors.New("write vertex task: the format holds no vertex labels; write them out as attributes")
	case b.ArcLabels != nil || b.ArcTypes != nil || b.ArcWeights != nil:
		return errors.New("write vertex task: the format holds no arc data")
	}
	writeEdges(w, b)
	if d.Task == NodeClassification {
		writeVertexClasses(w, d)
	} else {
		w.file("labels.csv", func(t *text) { writeRows(t, d.TargetNames, d.Targets) })
	}
	if b.AttributeDim > 0 {
		writeFeatures(w, d)
	}
	for _, split := range d.Splits {
		writeSplit(w, split)
	}
	return w.err
}

func writeEdges(w *folderWriter, b *graph.Batch) {
	bothWays := b.Directed
	for u := range int32(b.NumVertices()) {
		bothWays = bothWays || b.HasArc(u, u)
	}
	w.file("edges.csv", func(t *text) {
		t.word("src,dst\n")
		for u := range int32(b.NumVertices()) {
			for _, v := range b.Neighbors(u) {
				if bothWays || u < v {
					t.pair(int64(u), ",", int64(v))
				}
			}
		}
	})
}

func writeVertexClasses(w *folderWriter, d *Dataset) {
	codes, _ := fileCodes(d.ClassNames, count(d.VertexClasses))
	w.file("labels.csv", func(t *text) {
		t.word("node,label\n")
		for v, c := range d.VertexClasses {
			code := int64(-1)
			if c >= 0 {
				code = codes[c]
			}
			t.pair(int64(v), ",", code)
		}
	})
}

func writeSplit(w *folderWriter, split Split) {
	w.file("split_"+fieldName(split.Name)+".csv", func(t *text) {
		t.word("node,set\n")
		for _, part := range []struct {
			name     string
			vertices []int
		}{{"train", split.Train}, {"val", split.Validation}, {"test", split.Test}} {
			for _, v := range part.vertices {
				t.integer(int64(v))
				t.word("," + part.name + "\n")
			}
		}
	})
}

// writeRows writes a line "node,value,..." for every vertex, after a header; NaN is an empty field.
func writeRows(t *text, names []string, values []float64) {
	t.word("node")
	for _, name := range names {
		t.word("," + strings.Map(func(c rune) rune {
			if strings.ContainsRune(",\r\n", c) {
				return '_'
			}
			return c
		}, name))
	}
	t.newline()
	columns := len(names)
	for v := range len(values) / columns {
		t.integer(int64(v))
		for _, x := range values[v*columns : (v+1)*columns] {
			t.word(",")
			if !math.IsNaN(x) {
				t.real(x)
			}
		}
		t.newline()
	}
}

// writeFeatures writes the attributes in the smaller of the two forms. The sparse form drops columns at
// the end that hold only zeros, so it needs a value in the last column.
func writeFeatures(w *folderWriter, d *Dataset) {
	b := d.Batch
	width := b.AttributeDim
	nonZero, lastColumn := 0, false
	for p, x := range b.Attributes {
		if x != 0 {
			nonZero++
			lastColumn = lastColumn || p%width == width-1
		}
	}
	if len(d.Missing) == 0 && lastColumn && nonZero < len(b.Attributes)/4 {
		w.file("features.coo.csv", func(t *text) {
			t.word("row,col,value\n")
			for p, x := range b.Attributes {
				if x != 0 {
					t.integer(int64(p / width))
					t.word(",")
					t.integer(int64(p % width))
					t.word(",")
					t.real(x)
					t.newline()
				}
			}
		})
		return
	}
	w.file("features.csv", func(t *text) {
		writeRows(t, d.attributeColumns(), d.MissingAsNaN().Batch.Attributes)
	})
}
