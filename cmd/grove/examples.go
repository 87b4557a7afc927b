package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/spf13/cobra"
)

// task says what a model predicts something of.
type task string

const (
	graphTask task = "graph"
	nodeTask  task = "node"
	edgeTask  task = "edge"
)

// noun is what an example of the task is called.
func (t task) noun() string {
	switch t {
	case nodeTask:
		return "vertex"
	case edgeTask:
		return "edge"
	}
	return "graph"
}

// taskOf returns what a data set asks about.
func taskOf(d *dataset.Dataset) task {
	switch {
	case d.Task.PerVertex():
		return nodeTask
	case d.Task == dataset.EdgeClassification:
		return edgeTask
	}
	return graphTask
}

// examples are what a model learns from and is tested on: the graphs, the vertices or the edges of a data set with
// what is to be predicted of them.
type examples struct {
	task    task
	classes []int     // of each example, -1 where it has none; nil in a regression
	values  []float64 // target of each example, NaN where it has none; nil in a classification
	known   []int     // examples that have a class or a target, ascending
	graphs  []int     // of edges: the graph of each, whose edges stay together; nil where folds cut graphs
}

// examplesOf returns the examples of a data set, whose regression has one target (see [oneTarget]).
func examplesOf(d *dataset.Dataset) *examples {
	x := &examples{task: taskOf(d)}
	switch d.Task {
	case dataset.GraphClassification:
		x.classes = d.Classes
	case dataset.NodeClassification:
		x.classes = d.VertexClasses
	case dataset.EdgeClassification:
		x.classes = d.EdgeClasses
		for _, e := range d.Edges {
			x.graphs = append(x.graphs, e.Graph)
		}
	default:
		x.values = d.Targets
	}
	for i := range max(len(x.classes), len(x.values)) {
		if x.classes != nil && x.classes[i] >= 0 || x.values != nil && !math.IsNaN(x.values[i]) {
			x.known = append(x.known, i)
		}
	}
	return x
}

// folds cuts the examples that have a class or a target into folds, stratified by class where there are
// classes, one repeat after another. Edges of at least k graphs are cut by graphs.
func (x *examples) folds(k, repeats int, seed uint64) ([]eval.Split, error) {
	if x.together(k) {
		return x.foldsOfGraphs(x.known, k, repeats, seed)
	}
	var splits []eval.Split
	var err error
	if x.classes != nil {
		splits, err = eval.Repeats(pick(x.classes, x.known), k, repeats, seed)
	} else {
		splits, err = eval.Shuffled(len(x.known), k, repeats, seed)
	}
	for i := range splits {
		splits[i] = eval.Split{Train: pick(x.known, splits[i].Train), Test: pick(x.known, splits[i].Test)}
	}
	return splits, err
}

// asTask returns d for what --task asks of it; "" leaves the choice to the data set.
func asTask(d *dataset.Dataset, asked string) (*dataset.Dataset, error) {
	one := *d
	switch {
	case asked == "":
		return d, nil
	case asked == string(edgeTask):
		return asEdges(d)
	case (asked == "node") != d.Task.PerVertex():
		return nil, usagef("--task %s: data set %s asks about each %s", asked, d.Name, taskOf(d).noun())
	case asked == "graph-regression" && d.Targets == nil:
		return nil, usagef("--task graph-regression: data set %s has no targets", d.Name)
	case asked == "graph-regression":
		one.Task, one.Classes, one.ClassNames = dataset.GraphRegression, nil, nil
	case asked == "graph" && d.Classes != nil:
		one.Task = dataset.GraphClassification
	}
	return &one, nil
}

// oneTarget returns d with the target that --target names as its only one; without a name a data set
// must have one target.
func oneTarget(d *dataset.Dataset, name string) (*dataset.Dataset, error) {
	if d.Targets == nil || d.Task == dataset.GraphClassification {
		if name != "" {
			return nil, usagef("--target %s: data set %s has classes to predict, no targets", name, d.Name)
		}
		return d, nil
	}
	width := len(d.TargetNames)
	if name == "" {
		name = d.TargetNames[0]
		if width > 1 {
			return nil, usagef("--target is missing: %s has %s: %s", d.Name, count(width, "target"), listed(d.TargetNames))
		}
	}
	for k, known := range d.TargetNames {
		if known != name {
			continue
		}
		one := *d
		one.TargetNames, one.Targets = []string{name}, make([]float64, 0, len(d.Targets)/width)
		for i := k; i < len(d.Targets); i += width {
			one.Targets = append(one.Targets, d.Targets[i])
		}
		return &one, nil
	}
	return nil, usagef("--target %s: data set %s has %s", name, d.Name, listed(d.TargetNames))
}

// wantsVertices refuses data sets of nothing.
func wantsVertices(d *dataset.Dataset) error {
	switch {
	case d.NumGraphs() == 0:
		return fmt.Errorf("data set %s has no graphs", d.Name)
	case d.Batch.NumVertices() == 0:
		return fmt.Errorf("data set %s has no vertices", d.Name)
	}
	return nil
}

// wantsExamples refuses the data set at path if there is nothing in it to learn from.
func wantsExamples(path string, d *dataset.Dataset) error {
	if err := wantsVertices(d); err != nil {
		return err
	}
	return wantsKnown(path, d)
}

// wantsKnown refuses the data set at path if no example has a class or a target, or if a class has no graph, as it may
// in a store.
func wantsKnown(path string, d *dataset.Dataset) error {
	switch {
	case len(examplesOf(d).known) > 0:
		for c, name := range d.ClassNames {
			if d.Task == dataset.GraphClassification && !slices.Contains(d.Classes, c) {
				return fmt.Errorf("data set %s: no graph is of class %s", d.Name, name)
			}
		}
		return nil
	case d.Task == dataset.GraphClassification && dataset.FormatOf(path) == dataset.TUFormat:
		return fmt.Errorf("data set %s: its graphs have no classes to learn (there is no %s_graph_labels.txt)",
			d.Name, d.Name)
	case d.Task == dataset.GraphClassification:
		return fmt.Errorf("data set %s: its graphs have no classes to learn", d.Name)
	case d.Task == dataset.EdgeClassification:
		return fmt.Errorf("data set %s has no edges", d.Name)
	}
	return fmt.Errorf("data set %s: there is nothing to learn in it, no %s has a class or a target",
		d.Name, taskOf(d).noun())
}

// wantsGraphs refuses data sets that ask about vertices.
func wantsGraphs(model string, d *dataset.Dataset) error {
	if d.Task.PerVertex() {
		return fmt.Errorf("%s predicts something of graphs; data set %s has a task for every vertex "+
			"(grove embed --task node represents vertices)", model, d.Name)
	}
	return nil
}

// wantsGraphClasses refuses data sets for models that classify graphs and nothing else.
func wantsGraphClasses(model string, d *dataset.Dataset) error {
	if d.Task == dataset.GraphRegression {
		return fmt.Errorf("%s classifies graphs; data set %s has targets in place of classes", model, d.Name)
	}
	return wantsGraphs(model, d)
}

// notesOn says what is particular about what is to be predicted.
func notesOn(d *dataset.Dataset) []string {
	x := examplesOf(d)
	if x.classes == nil {
		return nil
	}
	for _, i := range x.known {
		if x.classes[i] != x.classes[x.known[0]] {
			return nil
		}
	}
	class := d.ClassNames[x.classes[x.known[0]]]
	return []string{fmt.Sprintf("all %s have one class, %s, so every accuracy is 100 %%", plural(x.task.noun()), class)}
}

// examplesIn reads a data set to learn from and refuses what the model cannot learn. It notes what is particular about
// it, and what of it the model does not see.
func examplesIn(
	c *cobra.Command, path, task, target string, flags modelFlags,
) (d *dataset.Dataset, notes []string, err error) {
	if d, err = readExamples(path, task, target, flags); err != nil {
		return nil, nil, err
	}
	seen, err := flags.fits(d)
	if err != nil {
		return nil, nil, err
	}
	return d, append(notesOn(d), leftOut(c, d, seen)...), nil
}

// readExamples reads a data set for a task, with a target.
func readExamples(path, task, target string, flags modelFlags) (*dataset.Dataset, error) {
	if s, ok := flags.(*supervisedFlags); ok && s.streams(path) {
		return s.stream(path, task, target)
	}
	d, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	if _, able := flags.(*treegFlags); task == string(edgeTask) && !able {
		return nil, usagef("--task edge: only treeg predicts something of edges")
	}
	if d, err = asTask(d, task); err != nil {
		return nil, err
	}
	if d, err = oneTarget(d, target); err != nil {
		return nil, err
	}
	return d, wantsExamples(path, d)
}
