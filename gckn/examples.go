package gckn

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
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

// Examples are what a supervised model learns from: items, which are graphs or, where the task of the targets says so,
// the vertices of graphs that are [InMemory], each with a class or with numbers.
type Examples struct {
	Graphs  Graphs
	Targets *model.Targets
}

// vertices reports whether the items are vertices.
func (x *Examples) vertices() bool { return x.Targets.Task == model.NodeTask }

// outputs returns the number of classes, or of numbers of an item.
func (x *Examples) outputs() int { return len(x.Targets.Names) }

// check reports examples that do not fit each other.
func (x *Examples) check() error {
	t := x.Targets
	if x.Graphs == nil || t == nil || (t.Classes == nil) == (t.Values == nil) {
		return errors.New("examples need graphs, and either classes or targets")
	}
	outputs := x.outputs()
	if outputs < 1 || len(t.Values)%outputs != 0 {
		return fmt.Errorf("%d targets for %d outputs", len(t.Values), outputs)
	}
	b, whole := x.Graphs.(inMemory)
	n := x.Graphs.NumGraphs()
	if x.vertices() {
		if !whole {
			return errors.New("a task on vertices needs its graphs in memory")
		}
		n = b.NumVertices()
	}
	if t.Len() != n {
		return fmt.Errorf("classes or targets of %d items for %d", t.Len(), n)
	}
	for i, c := range t.Classes {
		if c < -1 || c >= outputs {
			return fmt.Errorf("item %d has class %d: want 0 to %d, or -1 for none", i, c, outputs-1)
		}
	}
	for i, y := range t.Values {
		if math.IsInf(y, 0) {
			return fmt.Errorf("item %d has an infinite target", i/outputs)
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
		case i < 0 || i >= x.Targets.Len():
			return fmt.Errorf("the %s part holds item %d of %d", name, i, x.Targets.Len())
		case !x.Targets.Has(i):
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
