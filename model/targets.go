package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model/param"
)

// Task says what a model predicts something of.
type Task string

// The tasks.
const (
	GraphTask Task = "graph"
	NodeTask  Task = "node"
	EdgeTask  Task = "edge"
)

// Noun is what an example of the task is called.
func (t Task) Noun() string {
	switch t {
	case NodeTask:
		return "vertex"
	case EdgeTask:
		return "edge"
	}
	return "graph"
}

// Plural is what several examples of the task are called.
func (t Task) Plural() string { return Plural(t.Noun()) }

// TaskOf returns what a data set asks about.
func TaskOf(d *dataset.Dataset) Task {
	switch {
	case d.Task.PerVertex():
		return NodeTask
	case d.Task == dataset.EdgeClassification:
		return EdgeTask
	}
	return GraphTask
}

// Targets are what is to be predicted of examples, the graphs, vertices or edges of a data set: the class of each, or
// numbers. One of Classes and Values is nil.
type Targets struct {
	Task    Task
	Names   []string  // of the classes, or of the columns of Values
	Classes []int     // of each example, an index of Names, -1 where it has none
	Values  []float64 // examples x len(Names), NaN where one is missing
	Graphs  []int     // of edges: the graph of each, ascending; nil otherwise
}

// TargetsOf returns what a data set asks for.
func TargetsOf(d *dataset.Dataset) *Targets {
	t := &Targets{Task: TaskOf(d), Names: d.ClassNames}
	switch d.Task {
	case dataset.GraphClassification:
		t.Classes = d.Classes
	case dataset.NodeClassification:
		t.Classes = d.VertexClasses
	case dataset.EdgeClassification:
		t.Classes = d.EdgeClasses
		for _, e := range d.Edges {
			t.Graphs = append(t.Graphs, e.Graph)
		}
	default:
		t.Values, t.Names = d.Targets, d.TargetNames
	}
	return t
}

// Regression reports whether the targets are numbers.
func (t *Targets) Regression() bool { return t.Values != nil }

// Width returns how many numbers an example has in a regression.
func (t *Targets) Width() int { return max(len(t.Names), 1) }

// Len returns the number of examples.
func (t *Targets) Len() int {
	if t.Values != nil {
		return len(t.Values) / t.Width()
	}
	return len(t.Classes)
}

// Has reports whether an example has a class, or all its numbers.
func (t *Targets) Has(example int) bool {
	if t.Values == nil {
		return t.Classes[example] >= 0
	}
	width := t.Width()
	return !slices.ContainsFunc(t.Values[example*width:(example+1)*width], math.IsNaN)
}

// Known lists the examples that have a target, ascending.
func (t *Targets) Known() []int {
	var known []int
	for i := range t.Len() {
		if t.Has(i) {
			known = append(known, i)
		}
	}
	return known
}

// Absent lists the classes that no example has, ascending.
func (t *Targets) Absent() []int {
	var absent []int
	for c := range t.Names {
		if !t.Regression() && !slices.Contains(t.Classes, c) {
			absent = append(absent, c)
		}
	}
	return absent
}

// Only returns the targets of all examples with those outside of a list hidden.
func (t *Targets) Only(examples []int) *Targets {
	shown := *t
	if t.Values == nil {
		shown.Classes = slices.Repeat([]int{-1}, len(t.Classes))
		for _, i := range examples {
			shown.Classes[i] = t.Classes[i]
		}
		return &shown
	}
	shown.Values = slices.Repeat([]float64{math.NaN()}, len(t.Values))
	for width, i := t.Width(), 0; i < len(examples); i++ {
		from := examples[i] * width
		copy(shown.Values[from:from+width], t.Values[from:])
	}
	return &shown
}

// Of returns the targets of some examples, in their order.
func (t *Targets) Of(examples []int) *Targets {
	of, width := &Targets{Task: t.Task, Names: t.Names}, t.Width()
	for _, i := range examples {
		if t.Values != nil {
			of.Values = append(of.Values, t.Values[i*width:(i+1)*width]...)
		} else {
			of.Classes = append(of.Classes, t.Classes[i])
		}
	}
	return of
}

// All returns the trial on all examples that have a target, with the given values of the grid.
func (t *Targets) All(grid []float64, workers int) Trial {
	return Trial{Train: t.Known(), Known: t, Grid: grid, Workers: max(workers, 1)}
}

// Ask returns d for what is asked of it: a task ("graph", "node", "edge" or "graph-regression"; "" leaves it to the
// data set) and the name of the only target, which "" stands for where there is one. Errors are [param.Error].
func Ask(d *dataset.Dataset, task, target string) (*dataset.Dataset, error) {
	one := *d
	numbers := task == "graph-regression"
	switch {
	case task == "":
	case task == string(EdgeTask):
		return asEdges(d, target)
	case (task == string(NodeTask)) != d.Task.PerVertex():
		return nil, param.Errorf("task", task, "data set %s asks about each %s", d.Name, TaskOf(d).Noun())
	case numbers && d.Targets == nil:
		return nil, param.Errorf("task", task, "data set %s has no targets", d.Name)
	case numbers:
		one.Task, one.Classes, one.ClassNames = dataset.GraphRegression, nil, nil
	case task == string(GraphTask) && d.Classes != nil:
		one.Task = dataset.GraphClassification
	}
	return oneTarget(&one, target, numbers)
}

// asEdges returns d for the classification of its edges by their labels.
func asEdges(d *dataset.Dataset, target string) (*dataset.Dataset, error) {
	if d.Batch.ArcLabels == nil {
		return nil, param.Errorf("task", EdgeTask, "the edges of data set %s have no labels to predict (in the TU format "+
			"%s_edge_labels.txt holds them)", d.Name, d.Name)
	}
	d, err := d.ByEdge()
	if err != nil {
		return nil, err
	}
	return oneTarget(d, target, false)
}

// oneTarget returns d with the target of a name as its only one, as numbers where those are asked for.
func oneTarget(d *dataset.Dataset, name string, numbers bool) (*dataset.Dataset, error) {
	several := d.TargetClasses != nil // of classes among others
	if !several && (d.Targets == nil || TargetsOf(d).Values == nil) {
		if name != "" && name != d.Target {
			return nil, param.Errorf("target", name, "data set %s has classes to predict, no targets", d.Name)
		}
		return d, nil
	}
	if name == "" && len(d.TargetNames) > 1 {
		return nil, param.Errorf("target", nil, "it is missing: %s has %d targets: %s", d.Name, len(d.TargetNames),
			Listed(d.TargetNames))
	}
	k := 0
	if name != "" {
		if k = slices.Index(d.TargetNames, name); k < 0 {
			return nil, param.Errorf("target", name, "data set %s has %s", d.Name, Listed(d.TargetNames))
		}
	}
	if numbers && !d.HoldsNumbers(k) {
		return nil, param.Errorf("task", "graph-regression", "the target %s of data set %s is one of classes",
			d.TargetNames[k], d.Name)
	}
	return d.WithTarget(k, numbers), nil
}

// HasVertices refuses data sets of nothing.
func HasVertices(d *dataset.Dataset) error {
	switch {
	case d.NumGraphs() == 0:
		return fmt.Errorf("data set %s has no graphs", d.Name)
	case d.Batch.NumVertices() == 0:
		return fmt.Errorf("data set %s has no vertices", d.Name)
	}
	return nil
}

// HasTargets refuses data sets in which no example has a class or a target, and those with a class of no graph, as a
// store may have.
func HasTargets(d *dataset.Dataset) error {
	t := TargetsOf(d)
	if len(t.Known()) > 0 {
		if absent := t.Absent(); t.Task == GraphTask && absent != nil {
			return fmt.Errorf("data set %s: no graph is of class %s", d.Name, t.Names[absent[0]])
		}
		return nil
	}
	switch d.Task {
	case dataset.GraphClassification:
		return fmt.Errorf("data set %s: its graphs have no classes to learn", d.Name)
	case dataset.EdgeClassification:
		return fmt.Errorf("data set %s has no edges", d.Name)
	}
	return fmt.Errorf("data set %s: there is nothing to learn in it, no %s has a class or a target",
		d.Name, t.Task.Noun())
}
