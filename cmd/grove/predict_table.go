package main

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// predictionTable holds what a model says of consecutive examples of a data set beside what is known of them.
type predictionTable struct {
	from    place
	of      *dataset.Dataset
	rows    []int // numbers of the examples in it; nil where they are all
	head    *model.Head
	said    *model.Predictions
	names   []string       // of the classes of the data set
	own     []int          // class of each example, an index of names; nil where there are none
	classes []int          // the same as an index of the head's classes, see [head].truth
	edges   []dataset.Edge // where they are the examples
	targets []float64      // examples x the head's targets, NaN where one is not known; nil where there are none
}

// place is the number of graphs and of examples that stand before others.
type place struct{ graphs, examples int }

// tableOf puts predictions of a model beside what d knows.
func tableOf(h *model.Head, d *dataset.Dataset, said *model.Predictions) *predictionTable {
	t := &predictionTable{of: d, head: h, said: said, names: d.ClassNames, classes: h.Truth(d), edges: d.Edges}
	if t.classes != nil {
		t.own = model.TargetsOf(d).Classes
	}
	if said.Classes == nil && d.Targets != nil && model.TaskOf(d) == h.Task {
		t.targets = targetsOf(h, d)
	}
	return t
}

// targetsOf returns what d knows of the targets that the model predicts, NaN where it does not; nil where it
// knows none of them.
func targetsOf(h *model.Head, d *dataset.Dataset) []float64 {
	width := len(d.TargetNames)
	targets, any := make([]float64, 0, len(d.Targets)/width*len(h.Targets)), false
	for row := 0; row < len(d.Targets); row += width {
		for _, name := range h.Targets {
			value := math.NaN()
			if k := slices.Index(d.TargetNames, name); k >= 0 {
				value, any = d.Targets[row+k], true
			}
			targets = append(targets, value)
		}
	}
	if !any {
		return nil
	}
	return targets
}

// prediction is what is said of one example.
type prediction struct {
	Graph         *int      `json:"graph,omitempty"`
	Vertex        *int      `json:"vertex,omitempty"` // in place of the graph, for a task per vertex
	Edge          *int      `json:"edge,omitempty"`   // for a task per edge, beside the graph and its vertices in it
	From          *int32    `json:"from,omitempty"`
	To            *int32    `json:"to,omitempty"`
	IDs           []string  `json:"ids,omitempty"` // what the example is called, in the columns of [idCells]
	Predicted     *string   `json:"predicted,omitempty"`
	Class         *string   `json:"class,omitempty"`
	Decisions     []float64 `json:"decisions,omitempty"`     // see predictions
	Probabilities []float64 `json:"probabilities,omitempty"` // of each of the report's classes
	Values        []float64 `json:"values,omitempty"`        // predicted targets of a regression
	Targets       []float64 `json:"targets,omitempty"`       // where all are known
}

// lines returns what is said of each example.
func (t *predictionTable) lines() []prediction {
	lines, ids := make([]prediction, t.said.Len()), idCells(t.of, t.head.Task, t.rows)
	for i := range lines {
		p, number := &lines[i], t.from.examples+i
		switch t.head.Task {
		case model.NodeTask:
			p.Vertex = &number
		case model.EdgeTask:
			e := &t.edges[i]
			graph := t.from.graphs + e.Graph
			p.Edge, p.Graph, p.From, p.To = &number, &graph, &e.From, &e.To
		default:
			p.Graph = &number
		}
		p.IDs = idsOf(ids, i)
		if t.said.Classes == nil {
			p.Values, p.Targets = row(t.said.Values, i), t.known(i)
			continue
		}
		p.Predicted = &t.head.Classes[t.said.Classes[i]]
		p.Decisions, p.Probabilities = row(t.said.Decisions, i), row(t.said.Probabilities, i)
		if t.own != nil && t.own[i] >= 0 {
			p.Class = &t.names[t.own[i]]
		}
	}
	return lines
}

// row returns row i of a matrix, or nil where there is none.
func row(x *tensor.Dense, i int) []float64 {
	if x == nil {
		return nil
	}
	width := x.Shape()[1]
	return x.Float64s()[i*width : (i+1)*width]
}

// known returns the targets of an example, or nil where one is missing.
func (t *predictionTable) known(i int) []float64 {
	if t.targets == nil {
		return nil
	}
	width := len(t.head.Targets)
	row := t.targets[i*width : (i+1)*width]
	if slices.ContainsFunc(row, math.IsNaN) {
		return nil
	}
	return row
}

// columns returns the columns of the table.
func (t *predictionTable) columns() []cells {
	n := t.said.Len()
	number := cells{name: t.head.Task.Noun(), wholes: make([]int64, n)}
	for i := range n {
		number.wholes[i] = int64(t.from.examples + i)
	}
	columns := []cells{number}
	if t.head.Task == model.EdgeTask {
		graph, from, to := make([]int64, n), make([]int64, n), make([]int64, n)
		for i, e := range t.edges {
			graph[i], from[i], to[i] = int64(t.from.graphs+e.Graph), int64(e.From), int64(e.To)
		}
		columns = append(columns, cells{name: "graph", wholes: graph}, cells{name: "from", wholes: from},
			cells{name: "to", wholes: to})
	}
	columns = append(columns, idCells(t.of, t.head.Task, t.rows)...)
	if t.said.Classes != nil {
		columns = append(columns, classCells("predicted", t.said.Classes, t.head.Classes))
	}
	if t.own != nil {
		columns = append(columns, classCells("class", t.own, t.names))
	}
	if d := t.said.Decisions; d != nil {
		names := []string{"decision"}
		if len(t.head.Classes) != 2 {
			names = each("decision", t.head.Classes)
		}
		columns = append(columns, realCells(names, d.Float64s())...)
	}
	if p := t.said.Probabilities; p != nil {
		columns = append(columns, realCells(each("probability", t.head.Classes), p.Float64s())...)
	}
	if v := t.said.Values; v != nil {
		columns = append(columns, realCells(each("predicted", t.head.Targets), v.Float64s())...)
	}
	if t.targets != nil {
		columns = append(columns, realCells(each("target", t.head.Targets), t.targets)...)
	}
	return columns
}

// each names a column for each class or target.
func each(what string, names []string) []string {
	columns := make([]string, len(names))
	for i, name := range names {
		columns[i] = what + " " + name
	}
	return columns
}
