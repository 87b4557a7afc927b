package predict

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/walks"
	"gorgonia.org/tensor"
)

// eachOnDevice is Each by one operation of a device, which sends all examples of the batch through all trees.
func (p *Program) eachOnDevice(
	ctx context.Context, d *walks.Data, empty walks.Empty, list []int32, tell func(i, tree int, leaf int32),
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	features := p.features()
	t := p.OnDevice(d, empty, features)
	x, err := d.Upload(features)
	defer d.Engine.Release(x)
	if err != nil {
		return err
	}
	if diagonals := d.Diagonals(); len(diagonals) > 0 {
		n := d.Batch.NumVertices()
		t.Factors, err = engine.FromHost(d.Engine, tensor.New(tensor.WithShape(len(diagonals)/n, n),
			tensor.WithBacking(diagonals), tensor.WithEngine(d.Engine.Host())))
		defer d.Engine.Release(t.Factors)
		if err != nil {
			return err
		}
	}
	leaves := make([]int32, len(t.Roots)*d.Examples())
	if err := d.Engine.Descend(leaves, x, t); err != nil {
		return err
	}
	for i, example := range list {
		for tree, root := range t.Roots {
			tell(i, tree, leaves[tree*d.Examples()+int(example)]-root)
		}
	}
	return nil
}

// features returns those that the trees look at.
func (p *Program) features() (features []int) {
	for i := range p.paths {
		for at := range p.paths[i].steps {
			if k := p.paths[i].rules[at].Feature; p.paths[i].steps[at].split && !slices.Contains(features, k) {
				features = append(features, k)
			}
		}
	}
	return features
}

// OnDevice returns the trees as an engine takes them that has some features, among them those that the trees look at.
func (p *Program) OnDevice(d *walks.Data, empty walks.Empty, features []int) *engine.Trees {
	t := &engine.Trees{Matrices: d.Matrices()}
	if d.Input.Level == walks.Graphs {
		t.Offsets = d.Batch.Offsets
	}
	for _, k := range features {
		if d.Weighted() {
			shift := 0.0
			if g := d.GridOf(k); g != walks.NoGrid {
				shift = engine.Shift(int(g))
			}
			t.Shifts = append(t.Shifts, shift)
		}
	}
	for i := range p.paths {
		root := int32(len(t.Nodes))
		t.Roots = append(t.Roots, root)
		parent := make([]int32, len(p.paths[i].steps))
		for at := range p.paths[i].steps {
			s, r := &p.paths[i].steps[at], &p.paths[i].rules[at]
			if !s.split {
				t.Nodes = append(t.Nodes, engine.TreeNode{})
				continue
			}
			parent[s.lte], parent[s.gt] = int32(at), int32(at)
			n := nodeOnDevice(d, r, empty)
			n.Vector = int32(slices.Index(features, r.Feature))
			n.Below, n.Above = root+s.lte, root+s.gt
			if r.Pointer > 0 {
				ancestor := int32(at)
				for range r.Pointer {
					ancestor = parent[ancestor]
				}
				if n.Subset = 2 * (root + ancestor); !r.Above {
					n.Subset++
				}
			}
			t.Nodes = append(t.Nodes, n)
		}
	}
	return t
}

// nodeOnDevice returns a split of a rule but for feature, subset and children.
func nodeOnDevice(d *walks.Data, r *walks.Rule, empty walks.Empty) engine.TreeNode {
	n := engine.TreeNode{
		Search:    engine.Search{Subset: -1, Factor: -1, Over: engine.Within, Empty: empty.Value(r.Walk)},
		Threshold: r.Threshold, MissingAbove: r.MissingAbove,
	}
	if r.Aggregation != walks.NoAggregation {
		n.Aggregation = engine.Aggregation(r.Aggregation - walks.Sum)
	}
	switch {
	case r.Length == 0:
		if r.Walk == walks.Source {
			n.Over = engine.ZeroBeyond
		}
	case r.Walk == walks.Cycle:
		n.Factor = int32(d.Index(r.Op, r.Length))
	default:
		n.Steps, n.Matrix, n.All = r.Length, r.Op, r.Pointer == 0 || r.Walk == walks.Target
		if r.Walk == walks.Source {
			n.Over = engine.Everywhere
		}
	}
	return n
}
