package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// boostingCases boost trees of three levels for three rounds: fitted to the targets, to residuals, and to those of some
// examples.
func boostingCases() []Case {
	var all []Case
	for name, b := range batches() {
		for objective, outputs := range []int{1, 2, 3} {
			g := growing{b: b, graphs: (objective+len(name))%2 == 0, q: 3, length: 1}
			all = append(all, Case{"Boost", fmt.Sprintf("%s graphs=%v objective=%d", name, g.graphs, objective), 0,
				func(c *call) error { return g.boost(c, engine.Objective(objective), outputs) }})
		}
	}
	return append(all, Case{"Boost", "an output that is not there", 0, func(c *call) error {
		return growing{b: batches()["ragged"], q: 1}.refused(c, func(b engine.Booster, tree engine.Growth) error {
			_, err := b.Plant(tree, 1, nil, 0)
			return err
		})
	}}, Case{"Boost", "leaves of no tree", 0, func(c *call) error {
		return growing{b: batches()["ragged"], q: 1}.refused(c, func(b engine.Booster, tree engine.Growth) error {
			return b.Add(tree, 0, []engine.GrownLeaf{{}})
		})
	}}, Case{"Boost", "targets for other outputs", 0, func(c *call) error {
		b, err := c.e.Boost(&engine.Boosting{Outputs: 2, Examples: []int32{0}, Targets: []float64{1}, Start: []float64{0, 0}})
		if err == nil {
			b.Release()
		}
		return err
	}})
}

// boosting draws targets of all examples but a few, in no order.
func (g growing) boosting(objective engine.Objective, outputs int) *engine.Boosting {
	rng := rand.New(rand.NewPCG(uint64(outputs), 67))
	count := g.b.NumVertices()
	if g.graphs {
		count = g.b.NumGraphs()
	}
	b := &engine.Boosting{Objective: objective, Outputs: outputs}
	for i := range count {
		if example := (i*7 + 3) % max(count, 1); i%5 != 4 && count%7 != 0 {
			b.Examples = append(b.Examples, int32(example))
		}
	}
	for range len(b.Examples) * outputs {
		y := rng.NormFloat64()
		if objective != engine.SquaredObjective {
			y = float64(rng.IntN(2))
		}
		b.Targets = append(b.Targets, y)
	}
	for range outputs {
		b.Start = append(b.Start, rng.NormFloat64())
	}
	return b
}

// boost adds trees to the scores and tells the loss, and what the trees are made of.
func (g growing) boost(c *call, objective engine.Objective, outputs int) error {
	of := g.boosting(objective, outputs)
	b, err := c.e.Boost(of)
	if err != nil {
		return err
	}
	defer b.Release()
	trees := make([]engine.Growth, outputs)
	for k := range trees {
		if trees[k], err = c.e.Grow(g.features(c)); err != nil {
			return err
		}
		defer trees[k].Release()
	}
	x, t, values := g.stump(c)
	var told []float64
	for round := range 3 {
		if round > 0 {
			if err := b.Residuals(); err != nil {
				return err
			}
		}
		for k, tree := range trees {
			var positions []int32
			for p := range of.Examples {
				if round < 2 || p%3 != k {
					positions = append(positions, int32(p))
				}
			}
			root, err := b.Plant(tree, k, positions, 0)
			if err != nil {
				return err
			}
			var leaves []engine.GrownLeaf
			if told, leaves, err = g.grow(tree, root, told); err != nil {
				return err
			}
			if err := b.Add(tree, k, leaves); err != nil {
				return err
			}
			if err := b.AddOthers(tree, k, x, t, values); err != nil {
				return err
			}
		}
		for from := 0; from < len(of.Examples); from += 3 {
			loss, err := b.Loss(from)
			if err != nil {
				return err
			}
			told = append(told, loss)
		}
	}
	return c.tell(told)
}

// stump is a tree of one split, which sends the examples through itself.
func (g growing) stump(c *call) (x *tensor.Dense, t *engine.Trees, values []float64) {
	n := g.b.NumVertices()
	x = c.upload(tensor.Float64, eighths(68, n, 0), 1, n)
	t = &engine.Trees{Roots: []int32{0}, Nodes: []engine.TreeNode{
		{Search: engine.Search{Subset: -1, Factor: -1}, Threshold: 0.1, Below: 1, Above: 2}, {}, {},
	}}
	if g.graphs {
		t.Offsets = g.b.Offsets
	}
	return x, t, []float64{0, -0.7, 1.3}
}

// refused tries something with a booster of one output and a tree that is not planted.
func (g growing) refused(c *call, try func(b engine.Booster, tree engine.Growth) error) error {
	tree, err := c.e.Grow(g.features(c))
	if err != nil {
		return err
	}
	defer tree.Release()
	b, err := c.e.Boost(g.boosting(engine.SquaredObjective, 1))
	if err != nil {
		return err
	}
	defer b.Release()
	return try(b, tree)
}
