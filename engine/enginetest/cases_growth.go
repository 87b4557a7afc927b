package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// growing is a tree of a case.
type growing struct {
	b        *graph.Batch
	graphs   bool // are the examples
	q        int  // features
	length   int  // of walks
	missing  int  // every so many-th value, about; 0: none
	impurity engine.Impurity
	bins     int
	masked   bool
	drawn    bool // thresholds
}

func (g growing) String() string {
	return fmt.Sprintf("graphs=%v q=%d length=%d missing=%d impurity=%d bins=%d masked=%v drawn=%v", g.graphs, g.q,
		g.length, g.missing, g.impurity, g.bins, g.masked, g.drawn)
}

// growthCases grow trees of three levels, twice, the second one after other targets.
func growthCases() []Case {
	var all []Case
	add := func(name string, g growing) {
		all = append(all, Case{"Grow", name + " " + g.String(), 0, func(c *call) error { return g.run(c) }})
	}
	for name, b := range batches() {
		for _, graphs := range []bool{false, true} {
			add(name, growing{b: b, graphs: graphs, q: 3, length: 2})
			add(name, growing{b: b, graphs: graphs, q: 9, length: 1, missing: 4, masked: true})
			add(name, growing{b: weighted(b), graphs: graphs, q: 2, length: 1, impurity: engine.Gini})
			add(name, growing{b: b, graphs: graphs, q: 2, impurity: engine.Entropy, missing: 9})
			add(name, growing{b: b, graphs: graphs, q: 3, length: 1, missing: 3, drawn: true})
			add(name, growing{b: b, graphs: graphs, q: 1, impurity: engine.Entropy, drawn: true})
		}
		add(name, growing{b: b, q: 2, length: 1, bins: 4})
	}
	return append(all, Case{"Grow", "a search of a node that is not there", 0, func(c *call) error {
		g := growing{b: batches()["ragged"], q: 1}
		tree, err := c.e.Grow(g.features(c))
		if err != nil {
			return err
		}
		defer tree.Release()
		if _, err := tree.Plant(g.examples(1)); err != nil {
			return err
		}
		_, err = tree.Split(&engine.Level{Searches: make([]engine.LevelSearch, 1)})
		return err
	}}, Case{"Grow", "nothing is planted", 0, func(c *call) error {
		g := growing{b: batches()["ragged"], q: 1}
		tree, err := c.e.Grow(g.features(c))
		if err != nil {
			return err
		}
		defer tree.Release()
		_, err = tree.Split(&engine.Level{})
		return err
	}})
}

// features are two blocks, so that the better of two splits is to be chosen, with walks that are not those of the
// features: what an engine makes of vectors does not depend on where they come from.
func (g growing) features(c *call) *engine.TreeFeatures {
	n := g.b.NumVertices()
	f := &engine.TreeFeatures{Length: g.length, Impurity: g.impurity, MinLeaf: 1}
	if g.length > 0 {
		f.Matrices = []*engine.Sparse{engine.Adjacency(g.b)}
		f.Factors = c.upload(tensor.Float64, eighths(62, g.length*n, 0), g.length, n)
	}
	if g.impurity != engine.Variance {
		f.Number = 3
	}
	if g.graphs {
		f.Offsets = g.b.Offsets
		f.Aggregations = []engine.Aggregation{engine.SumOf, engine.MeanOf, engine.MaxOf}
	}
	if g.drawn {
		f.Draws = &engine.Draws{Aggregations: []uint64{5, 1 << 63, 3}[:f.Kinds()]}
		for k := range g.q {
			f.Draws.Features = append(f.Draws.Features, uint64(k)<<61)
		}
	}
	for i, of := range [][]int32{numbered(0, g.q/2), numbered(g.q/2, g.q)} {
		block := engine.FeatureBlock{Features: of}
		block.Vectors = c.upload(tensor.Float64, eighths(uint64(63+i), (1+g.length)*n*len(of), g.missing), 1+g.length, n,
			len(of))
		for k := range of {
			if len(g.b.ArcWeights) > 0 {
				block.Shifts = append(block.Shifts, engine.Shift(-k%3))
			}
		}
		f.Blocks = append(f.Blocks, block)
	}
	return f
}

// numbered returns from, from+1, ... up to and without end.
func numbered(from, end int) []int32 {
	list := []int32{}
	for i := from; i < end; i++ {
		list = append(list, int32(i))
	}
	return list
}

// examples draws targets of two thirds of the examples.
func (g growing) examples(seed uint64) *engine.TreeExamples {
	rng := rand.New(rand.NewPCG(seed, 61))
	t := &engine.TreeExamples{Bins: g.bins}
	count := g.b.NumVertices()
	if g.graphs {
		count = g.b.NumGraphs()
	}
	for i := range count {
		if i%3 == 1 {
			continue
		}
		w := float64(1 + i%2)
		t.Examples, t.Weights = append(t.Examples, int32(i)), append(t.Weights, w)
		if g.impurity == engine.Variance {
			value := float64(rng.IntN(65)-32) / 16
			if seed > 0 {
				value = rng.NormFloat64()
			}
			t.Values = append(t.Values, value)
		} else {
			t.Classes = append(t.Classes, int32(rng.IntN(3)))
		}
	}
	return t
}

// run grows the trees and hands what was found to the call.
func (g growing) run(c *call) error {
	tree, err := c.e.Grow(g.features(c))
	if err != nil {
		return err
	}
	defer tree.Release()
	var told []float64
	for seed := range uint64(2) {
		root, err := tree.Plant(g.examples(seed))
		if err != nil {
			return err
		}
		if told, _, err = g.grow(tree, root, told); err != nil {
			return err
		}
	}
	return c.tell(told)
}

// grow grows three levels below a root, and returns what was found after what was told before, and the leaves.
func (g growing) grow(tree engine.Growth, root engine.NodeSums, told []float64) ([]float64, []engine.GrownLeaf, error) {
	told = append(told, numbersOf(&root)...)
	level := []grownNode{{to: root.Count}}
	var leaves []engine.GrownLeaf
	for depth := 0; len(level) > 0; depth++ {
		if depth == 3 {
			for _, n := range level {
				leaves = append(leaves, engine.GrownLeaf{From: n.from, Depth: depth})
			}
			break
		}
		l := g.level(depth, level)
		found, err := tree.Split(l)
		if err != nil {
			return nil, nil, err
		}
		var next []grownNode
		for i, f := range found {
			n := level[i]
			told = append(told, f.Gain, f.Threshold, float64(f.Search), float64(f.Aggregation), float64(f.Feature))
			if f.Gain == 0 {
				leaves = append(leaves, engine.GrownLeaf{From: n.from, Depth: depth})
				continue
			}
			told = append(append(told, numbersOf(&f.Below)...), numbersOf(&f.Above)...)
			middle := n.from + f.Below.Count
			rows := append(slices.Clone(n.rows), l.Nodes[i].Row)
			next = append(next, grownNode{n.from, middle, rows}, grownNode{middle, n.to, rows})
		}
		level = next
	}
	slices.SortFunc(leaves, func(a, b engine.GrownLeaf) int { return a.From - b.From })
	for i := range leaves {
		leaves[i].Value = float64(i%5) / 3
	}
	return told, leaves, nil
}

// numbersOf lists what is known of a node.
func numbersOf(s *engine.NodeSums) []float64 {
	if s.Count == 0 {
		return []float64{0}
	}
	return append([]float64{float64(s.Count), s.Weight, truth(s.Mixed), s.Centre, s.Impurity, s.Sum, s.Curvature},
		s.Classes...)
}

// tell makes numbers an outcome of the call.
func (c *call) tell(told []float64) error {
	out := c.outputOf(tensor.Float64, len(told))
	return c.e.Convert(out, tensor.New(tensor.WithShape(len(told)), tensor.WithBacking(told),
		tensor.WithEngine(c.e.Host())))
}

func truth(x bool) float64 {
	if x {
		return 1
	}
	return 0
}

// grownNode is a node of a tree with the rows of the splits above it.
type grownNode struct {
	from, to int
	rows     []int
}

// level tries every vector and, with the subsets of all splits above, vectors and walks; each node its own features
// where there are masks. Vertices have a row for each node, graphs one for each depth.
func (g growing) level(depth int, nodes []grownNode) *engine.Level {
	l := &engine.Level{}
	for i, n := range nodes {
		row := depth
		if !g.graphs {
			row = 8*depth + i
		}
		l.Nodes = append(l.Nodes, engine.LevelNode{From: n.from, To: n.to, Depth: depth, Row: row,
			Seed: uint64(17*depth+i) << 50})
		if g.impurity == engine.Variance && depth > 0 {
			l.Nodes[i].Centre = 1. / 8
		}
		add := func(s engine.LevelSearch) {
			s.Node, s.Mask, s.Stream = int32(i), int32(i), uint64(len(l.Searches))<<62+3
			l.Searches = append(l.Searches, s)
		}
		for v := range int32(1 + g.length) {
			add(engine.LevelSearch{Search: engine.Search{Vector: v, Subset: -1, Factor: v - 1}})
		}
		for at, of := range n.rows {
			subset := int32(2*of + (at+i)%2)
			add(engine.LevelSearch{Search: engine.Search{Subset: subset, Factor: -1, Over: engine.ZeroBeyond, Empty: -3}})
			for steps := 1; steps <= g.length; steps++ {
				add(engine.LevelSearch{Steps: steps, Search: engine.Search{Subset: subset, Factor: -1, Empty: -1000}})
				add(engine.LevelSearch{Steps: steps, Search: engine.Search{Subset: subset ^ 1, Factor: -1,
					Over: engine.Everywhere}})
			}
		}
		if g.masked {
			mask := make([]bool, g.q)
			for k := range mask {
				mask[k] = (k+i)%3 != 0
			}
			l.Masks = append(l.Masks, mask)
		}
	}
	return l
}
