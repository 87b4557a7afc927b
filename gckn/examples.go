package gckn

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
)

// Graphs gives the graphs of a data set, as an encoding makes them, by number.
type Graphs interface {
	NumGraphs() int
	// Select returns the given graphs in the given order. It may be called while a training runs, from one
	// goroutine at a time.
	Select(graphs []int) (*graph.Batch, error)
}

// InMemory returns the graphs of a batch.
func InMemory(b *graph.Batch) Graphs { return inMemory{b} }

type inMemory struct{ *graph.Batch }

func (m inMemory) Select(graphs []int) (*graph.Batch, error) {
	for _, g := range graphs {
		if g < 0 || g >= m.NumGraphs() {
			return nil, fmt.Errorf("graph %d of %d", g, m.NumGraphs())
		}
	}
	return m.Batch.Select(graphs), nil
}

// Examples are what a supervised model learns from: items, which are graphs or vertices, each with a class
// or with targets.
type Examples struct {
	Graphs   Graphs
	Vertices bool      // the items are the vertices of the graphs, which must be [InMemory]
	Outputs  int       // number of classes, or of targets of an item
	Classes  []int     // of each item, below Outputs, -1 where it has none; nil in a regression
	Targets  []float64 // items x Outputs, NaN where there is none; nil in a classification
}

// ExamplesOf returns what a data set asks for, with b its graphs as the encoding makes them.
func ExamplesOf(d *dataset.Dataset, b *graph.Batch) (Examples, error) {
	e := Examples{Graphs: InMemory(b), Vertices: d.Task.PerVertex()}
	switch d.Task {
	case dataset.GraphClassification:
		e.Classes, e.Outputs = d.Classes, d.NumClasses()
	case dataset.NodeClassification:
		e.Classes, e.Outputs = d.VertexClasses, d.NumClasses()
	default:
		e.Targets, e.Outputs = d.Targets, len(d.TargetNames)
	}
	if e.Outputs == 0 || e.Classes == nil && e.Targets == nil {
		return e, fmt.Errorf("data set %s has neither classes nor targets to learn", d.Name)
	}
	return e, nil
}

// Items returns the number of items.
func (x *Examples) Items() int {
	if x.Classes != nil {
		return len(x.Classes)
	}
	return len(x.Targets) / max(x.Outputs, 1)
}

// known reports whether an item has a class or all of its targets.
func (x *Examples) known(item int) bool {
	if x.Classes != nil {
		return x.Classes[item] >= 0
	}
	for _, y := range x.Targets[item*x.Outputs : (item+1)*x.Outputs] {
		if math.IsNaN(y) {
			return false
		}
	}
	return true
}

// Labelled returns the items that have a class or targets.
func (x *Examples) Labelled() []int {
	var items []int
	for i := range x.Items() {
		if x.known(i) {
			items = append(items, i)
		}
	}
	return items
}

// check reports examples that do not fit each other.
func (x *Examples) check() error {
	if x.Graphs == nil || x.Classes == nil == (x.Targets == nil) {
		return errors.New("examples need graphs, and either classes or targets")
	}
	if x.Outputs < 1 || x.Targets != nil && len(x.Targets)%x.Outputs != 0 {
		return fmt.Errorf("%d targets for %d outputs", len(x.Targets), x.Outputs)
	}
	b, whole := x.Graphs.(inMemory)
	n := x.Graphs.NumGraphs()
	if x.Vertices {
		if !whole {
			return errors.New("a task on vertices needs its graphs in memory")
		}
		n = b.NumVertices()
	}
	if x.Items() != n {
		return fmt.Errorf("classes or targets of %d items for %d", x.Items(), n)
	}
	for i, c := range x.Classes {
		if c < -1 || c >= x.Outputs {
			return fmt.Errorf("item %d has class %d: want 0 to %d, or -1 for none", i, c, x.Outputs-1)
		}
	}
	for i, y := range x.Targets {
		if math.IsInf(y, 0) {
			return fmt.Errorf("item %d has an infinite target", i/x.Outputs)
		}
	}
	if whole {
		return checkAttributes(b.Batch)
	}
	return nil
}

// checkAttributes refuses attributes that are no numbers.
func checkAttributes(b *graph.Batch) error {
	for i, a := range b.Attributes {
		if a-a != 0 {
			return fmt.Errorf("attribute %d of vertex %d is NaN or infinite: remove or replace it",
				i%b.AttributeDim, i/b.AttributeDim)
		}
	}
	return nil
}

// checkPart reports items that a part cannot have.
func (x *Examples) checkPart(name string, items []int, seen map[int]string) error {
	if len(items) == 0 {
		return fmt.Errorf("the %s part is empty", name)
	}
	for _, i := range items {
		switch {
		case i < 0 || i >= x.Items():
			return fmt.Errorf("the %s part holds item %d of %d", name, i, x.Items())
		case !x.known(i):
			return fmt.Errorf("the %s part holds item %d, which has no class or target", name, i)
		case seen[i] == name:
			return fmt.Errorf("the %s part holds item %d twice", name, i)
		case seen[i] != "":
			return fmt.Errorf("item %d is in the %s and in the %s part", i, seen[i], name)
		}
		seen[i] = name
	}
	return nil
}
