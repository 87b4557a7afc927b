package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// Examples are what a network learns from: items, which are graphs or, where the task of the targets says so, the
// vertices of graphs that are [InMemory], each with a class or with numbers.
type Examples struct {
	Graphs  Graphs
	Input   Input // what their vertices show
	Targets *model.Targets
}

// Vertices reports whether the items are vertices.
func (x *Examples) Vertices() bool { return x.Targets.Task == model.NodeTask }

// Outputs returns the number of classes, or of numbers of an item.
func (x *Examples) Outputs() int { return len(x.Targets.Names) }

// Whole returns all graphs, nil where they are not in memory.
func (x *Examples) Whole() *graph.Batch {
	m, _ := x.Graphs.(inMemory)
	return m.Batch
}

// Select returns the given graphs in the given order. Attributes that are no numbers are an error.
func (x *Examples) Select(graphs []int) (*graph.Batch, error) {
	b, err := x.Graphs.Select(graphs)
	if err == nil && x.Whole() == nil {
		err = checkAttributes(b) // those in memory were looked at before
	}
	return b, err
}

// check reports examples that do not fit each other.
func (x *Examples) check() error {
	t := x.Targets
	if x.Graphs == nil || t == nil || (t.Classes == nil) == (t.Values == nil) {
		return errors.New("examples need graphs, and either classes or targets")
	}
	outputs := x.Outputs()
	if outputs < 1 || len(t.Values)%outputs != 0 {
		return fmt.Errorf("%d targets for %d outputs", len(t.Values), outputs)
	}
	b, n := x.Whole(), x.Graphs.NumGraphs()
	if x.Vertices() {
		if b == nil {
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
	if x.Input.Dim() < 1 {
		return fmt.Errorf("input %+v: want labels or attributes", x.Input)
	}
	if b != nil {
		return checkAttributes(b)
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
