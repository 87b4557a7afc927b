// Package dataset brings graphs into Grove: readers for the TU format, for the text format of the
// GIN experiments, for labelled trees, for molecules, for Parquet and Arrow and for vertex-task folders, folds, the
// transforms that the published experiments apply to vertex data, writers, seeded generators and the download of TU
// archives.
//
//	d, err := dataset.Open("MUTAG")                              // a folder of any format
//	d, err := dataset.Synth("molecules", dataset.SynthOptions{}) // generated
//	e, err := dataset.FitEncoding(d, dataset.AutoFeatures, nil)  // what a model sees of the vertices
//	b, err := e.Apply(d)
//
// # Rules that every reader keeps
//
// A file may be stored as NAME or, compressed, as NAME.gz; the first that exists is read. Windows
// line ends, a byte-order mark, blanks around values and blank lines at the end are accepted; a blank
// line in the middle is refused. Values are separated by a comma, by blanks or by both. What is
// damaged is refused by an error of one line that names the file and the line. Memory grows with the
// text that is read, never with a number that stands in it.
package dataset

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
)

// Task says what is to be predicted from a data set.
type Task int

const (
	GraphClassification Task = iota // Classes: one class of every graph
	GraphRegression                 // Targets: one row of every graph
	NodeClassification              // VertexClasses: one class of every vertex
	NodeRegression                  // Targets: one row of every vertex
	EdgeClassification              // EdgeClasses: one class of every edge; see [Dataset.ByEdge]
)

// String returns the task in words.
func (t Task) String() string {
	switch t {
	case GraphClassification:
		return "graph classification"
	case GraphRegression:
		return "graph regression"
	case NodeClassification:
		return "node classification"
	case NodeRegression:
		return "node regression"
	case EdgeClassification:
		return "edge classification"
	}
	return "unknown task"
}

// PerVertex reports whether the task asks for a value of every vertex rather than of every graph.
func (t Task) PerVertex() bool { return t == NodeClassification || t == NodeRegression }

// Dataset is a set of graphs with what is known of them. Label ids, arc label ids and class indices
// count from 0 in ascending order of the numbers that stand in the files.
type Dataset struct {
	Name  string
	Task  Task
	Batch *graph.Batch

	Classes       []int    // class of each graph, an index of ClassNames; nil where there are none
	Target        string   // what the classes or numbers are called, where one of several was taken; otherwise ""
	VertexClasses []int    // class of each vertex, -1 where it has none; nil unless the task is per vertex
	ClassNames    []string // the code of each class as the file gives it

	Edges       []Edge // of all graphs; nil unless the task asks about edges
	EdgeClasses []int  // class of each edge; nil where there are none

	Targets     []float64 // rows x len(TargetNames), row-major; a row for each graph or vertex; NaN: no target
	TargetNames []string
	// TargetClasses names the classes of each target that holds indices of such, nil for one of numbers. It is nil where
	// all targets are numbers. [Dataset.WithTarget] takes one of them.
	TargetClasses [][]string

	LabelCodes    []string // code of each vertex label id, the number that stands for it in files: its identity
	LabelNames    []string // name of each vertex label id, to show only: its code unless a name is given; may repeat
	ArcLabelNames []string // code of each arc label id

	// AttributeNames is what each attribute of the vertices is called, nil where they have no names but their numbers.
	AttributeNames []string

	// What graphs and vertices are called where they come from, a name for each of them; nil where they have no names but
	// their numbers. A vertex is called so within its graph.
	GraphIDs, VertexIDs []string

	Splits  []Split // published splits of the vertices in a task per vertex, otherwise of the graphs
	Missing []int   // positions in Batch.Attributes that the file left empty; they hold their column's mean
	Motif   *Motif  // the planted or annotated cause of the classes, where it is known

	// Of molecules that were read as such:
	Atoms     []smiles.Atom // of each vertex; nil for other data
	Molecules *Molecules    // how they were read
	Skipped   []string      // molecules that could not be read and were left out, with line and reason

	Notes []string // what a reader did beyond reading, a sentence each
}

// Split is a named division of the vertices of a graph, or of the graphs of a data set.
type Split struct {
	Name string
	Fold
}

// Motif marks the part of the graphs that decides their class, to check explanations against.
type Motif struct {
	Vertices []bool // of each vertex of the batch
	Arcs     []bool // of each arc of the batch, in the order of Col
}

// NumGraphs returns the number of graphs.
func (d *Dataset) NumGraphs() int { return d.Batch.NumGraphs() }

// NumClasses returns the number of classes, 0 where there are none.
func (d *Dataset) NumClasses() int { return len(d.ClassNames) }

// Select returns the data set of the given graphs in the given order; a graph may repeat. Classes,
// labels and their names keep their numbers. Splits are left out, since they number the vertices or graphs
// of the whole. It panics for an index that is not a graph.
func (d *Dataset) Select(graphs []int) *Dataset {
	s := *d
	s.Batch = d.Batch.Select(graphs)
	s.Splits, s.Notes, s.Skipped, s.Atoms, s.GraphIDs, s.VertexIDs = nil, nil, nil, nil, nil, nil
	s.Classes, s.VertexClasses, s.Targets, s.Missing = nil, nil, nil, nil
	if d.Motif != nil {
		s.Motif = &Motif{}
	}
	d.selectEdges(&s, graphs)
	columns, width := len(d.TargetNames), d.Batch.AttributeDim
	missing := d.missingByVertex()
	base := 0
	for _, g := range graphs {
		from, to := d.Batch.Vertices(g)
		u, v := int(from), int(to)
		if d.Classes != nil {
			s.Classes = append(s.Classes, d.Classes[g])
		}
		if d.VertexClasses != nil {
			s.VertexClasses = append(s.VertexClasses, d.VertexClasses[u:v]...)
		}
		switch {
		case d.Targets == nil:
		case d.Task.PerVertex():
			s.Targets = append(s.Targets, d.Targets[u*columns:v*columns]...)
		default:
			s.Targets = append(s.Targets, d.Targets[g*columns:(g+1)*columns]...)
		}
		if d.GraphIDs != nil {
			s.GraphIDs = append(s.GraphIDs, d.GraphIDs[g])
		}
		if d.VertexIDs != nil {
			s.VertexIDs = append(s.VertexIDs, d.VertexIDs[u:v]...)
		}
		if d.Atoms != nil {
			s.Atoms = append(s.Atoms, d.Atoms[u:v]...)
		}
		if d.Motif != nil {
			s.Motif.Vertices = append(s.Motif.Vertices, d.Motif.Vertices[u:v]...)
			s.Motif.Arcs = append(s.Motif.Arcs, d.Motif.Arcs[d.Batch.RowPtr[u]:d.Batch.RowPtr[v]]...)
		}
		for w := u; w < v; w++ {
			for _, column := range missing[w] {
				s.Missing = append(s.Missing, (base+w-u)*width+column)
			}
		}
		base += v - u
	}
	return &s
}

// missingByVertex returns the attribute columns that each vertex left empty.
func (d *Dataset) missingByVertex() map[int][]int {
	width := d.Batch.AttributeDim
	columns := make(map[int][]int)
	for _, p := range d.Missing {
		columns[p/width] = append(columns[p/width], p%width)
	}
	return columns
}

// ClassSizes returns the number of graphs (or labelled vertices) of every class.
func (d *Dataset) ClassSizes() []int {
	sizes := make([]int, len(d.ClassNames))
	classes := d.Classes
	if d.Task.PerVertex() {
		classes = d.VertexClasses
	}
	for _, c := range classes {
		if c >= 0 {
			sizes[c]++
		}
	}
	return sizes
}

// HasTarget reports whether every value of row i of Targets is known.
func (d *Dataset) HasTarget(i int) bool {
	columns := len(d.TargetNames)
	return !slices.ContainsFunc(d.Targets[i*columns:(i+1)*columns], math.IsNaN)
}
