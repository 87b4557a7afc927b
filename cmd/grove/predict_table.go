package main

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// predictionTable holds what a model says of consecutive examples of a data set beside what is known of them.
type predictionTable struct {
	from    place
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
	t := &predictionTable{head: h, said: said, names: d.ClassNames, classes: h.Truth(d), edges: d.Edges}
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
	Predicted     *string   `json:"predicted,omitempty"`
	Class         *string   `json:"class,omitempty"`
	Decisions     []float64 `json:"decisions,omitempty"`     // see predictions
	Probabilities []float64 `json:"probabilities,omitempty"` // of each of the report's classes
	Values        []float64 `json:"values,omitempty"`        // predicted targets of a regression
	Targets       []float64 `json:"targets,omitempty"`       // where all are known
}

// lines returns what is said of each example.
func (t *predictionTable) lines() []prediction {
	lines := make([]prediction, t.said.Len())
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

// writeCSV writes the table as comma-separated values, with a header where it is the first.
func (t *predictionTable) writeCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	if t.from == (place{}) {
		_ = w.Write(t.header()) // the writer keeps its error
	}
	for i := range t.said.Len() {
		_ = w.Write(t.fields(i))
	}
	w.Flush()
	return w.Error()
}

// fields returns the columns of an example.
func (t *predictionTable) fields(i int) []string {
	fields := []string{strconv.Itoa(t.from.examples + i)}
	if t.head.Task == model.EdgeTask {
		e := t.edges[i]
		fields = append(fields, strconv.Itoa(t.from.graphs+e.Graph), strconv.Itoa(int(e.From)), strconv.Itoa(int(e.To)))
	}
	if t.said.Classes != nil {
		fields = append(fields, t.head.Classes[t.said.Classes[i]])
	}
	if t.own != nil {
		class := ""
		if t.own[i] >= 0 {
			class = t.names[t.own[i]]
		}
		fields = append(fields, class)
	}
	for _, x := range []*tensor.Dense{t.said.Decisions, t.said.Probabilities, t.said.Values} {
		for _, v := range row(x, i) {
			fields = append(fields, number(v))
		}
	}
	if t.targets != nil {
		width := len(t.head.Targets)
		for _, v := range t.targets[i*width : (i+1)*width] {
			fields = append(fields, number(v))
		}
	}
	return fields
}

// header names the columns of the table.
func (t *predictionTable) header() []string {
	header := []string{t.head.Task.Noun()}
	if t.head.Task == model.EdgeTask {
		header = append(header, "graph", "from", "to")
	}
	if t.said.Classes != nil {
		header = append(header, "predicted")
	}
	if t.own != nil {
		header = append(header, "class")
	}
	switch {
	case t.said.Decisions == nil:
	case len(t.head.Classes) == 2:
		header = append(header, "decision")
	default:
		header = append(header, each("decision", t.head.Classes)...)
	}
	if t.said.Probabilities != nil {
		header = append(header, each("probability", t.head.Classes)...)
	}
	if t.said.Values != nil {
		header = append(header, each("predicted", t.head.Targets)...)
	}
	if t.targets != nil {
		header = append(header, each("target", t.head.Targets)...)
	}
	return header
}

// each names a column for each class or target.
func each(what string, names []string) []string {
	columns := make([]string, len(names))
	for i, name := range names {
		columns[i] = what + " " + name
	}
	return columns
}
