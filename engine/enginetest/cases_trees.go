package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// descentCases send examples through random trees.
func descentCases() []Case {
	var all []Case
	add := func(name string, b *graph.Batch, graphs bool, trees, depth, steps, missing int) {
		name = fmt.Sprintf("%s graphs=%v trees=%d depth=%d steps=%d missing=%d", name, graphs, trees, depth, steps, missing)
		all = append(all, Case{"Descend", name, 0, func(c *call) error {
			const features = 3
			n := b.NumVertices()
			t := &engine.Trees{Matrices: []*engine.Sparse{engine.Adjacency(b), engine.Adjacency(b)},
				Factors: c.upload(tensor.Float64, eighths(71, 2*n, 0), 2, n)}
			examples := n
			if graphs {
				t.Offsets, examples = b.Offsets, b.NumGraphs()
			}
			if len(b.ArcWeights) > 0 {
				t.Shifts = []float64{engine.Shift(-1), 0, engine.Shift(-3)}
			}
			rng := rand.New(rand.NewPCG(72, uint64(trees)))
			for range trees {
				t.Roots = append(t.Roots, int32(len(t.Nodes)))
				growRandomly(rng, t, nil, depth, steps)
			}
			x := c.upload(tensor.Float64, eighths(73, features*n, missing), features, n)
			return c.e.Descend(c.indices(trees*examples), x, t)
		}})
	}
	for name, b := range batches() {
		for _, graphs := range []bool{false, true} {
			add(name, b, graphs, 3, 4, 2, 5)
			add(name, weighted(b), graphs, 2, 3, 1, 0)
			add(name, b, graphs, 1, 0, 0, 0)
		}
	}
	return append(all, Case{"Descend", "a subset of a node below", 0, func(c *call) error {
		t := &engine.Trees{Roots: []int32{0}, Nodes: make([]engine.TreeNode, 3)}
		t.Nodes[0] = engine.TreeNode{Search: engine.Search{Subset: 4, Factor: -1}, Below: 1, Above: 2}
		return c.e.Descend(c.indices(4), c.e.New(tensor.Float64, 1, 4), t)
	}})
}

// growRandomly appends a tree of the given depth below some nodes.
func growRandomly(rng *rand.Rand, t *engine.Trees, above []int32, depth, steps int) int32 {
	at := int32(len(t.Nodes))
	t.Nodes = append(t.Nodes, engine.TreeNode{})
	if depth == 0 || len(above) > 0 && rng.IntN(6) == 0 {
		return at
	}
	n := engine.TreeNode{Search: engine.Search{Vector: rng.Int32N(3), Subset: -1, Factor: rng.Int32N(4) - 2,
		Over: engine.Over(rng.IntN(3)), Empty: -1000}, Aggregation: engine.Aggregation(rng.IntN(4)),
		Threshold: float64(rng.IntN(17)-8) / 16, MissingAbove: rng.IntN(2) == 0, Steps: rng.IntN(steps + 1),
		Matrix: rng.IntN(2), All: rng.IntN(3) == 0}
	n.Factor = max(n.Factor, -1)
	if len(above) > 0 && rng.IntN(4) > 0 {
		n.Subset = 2*above[rng.IntN(len(above))] + rng.Int32N(2)
	}
	below := append(above, at)
	n.Below = growRandomly(rng, t, below, depth-1, steps)
	n.Above = growRandomly(rng, t, below, depth-1, steps)
	t.Nodes[at] = n
	return at
}
