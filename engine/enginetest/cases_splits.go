package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// The operations of TREE-G are exact on their grids: no difference is admissible.
func splitCases() []Case {
	all := walkCases()
	all = append(all, featureCases()...)
	all = append(all, bestSplitCases()...)
	all = append(all, growthCases()...)
	all = append(all, boostingCases()...)
	all = append(all, descentCases()...)
	return append(all, splitHistogramCases()...)
}

// eighths returns n multiples of 1/8, every missing-th of them NaN; 0: none.
func eighths(seed uint64, n, missing int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 40))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(41)-20) / 8
		if missing > 0 && rng.IntN(missing) == 0 {
			x[i] = math.NaN()
		}
	}
	return x
}

// sides returns rows of bytes of which two bits count.
func sides(seed uint64, rows, n int) []uint8 {
	rng := rand.New(rand.NewPCG(seed, 41))
	s := make([]uint8, rows*n)
	for i := range s {
		s[i] = uint8(rng.IntN(4))
	}
	return s
}

func walkCases() []Case {
	var all []Case
	add := func(name string, b *graph.Batch, q, masks, own, missing int, s engine.Subsets) {
		name = fmt.Sprintf("%s q=%d masks=%d inputs=%d missing=%d rows=%v shifts=%v",
			name, q, masks, own, missing, s.Rows != nil, s.Shifts != nil)
		all = append(all, Case{"SubsetWalks", name, 0, func(c *call) error {
			n, vectors := b.NumVertices(), 2*masks
			s := s
			if masks == 0 {
				vectors = max(own, 1)
			} else {
				s.Sides = sides(50, masks, n)
			}
			x := c.upload(tensor.Float64, eighths(51, max(own, 1)*n*q, missing), max(own, 1), n, q)
			return c.e.SubsetWalks(c.outputOf(tensor.Float64, vectors, n, q), x, engine.Adjacency(b), &s)
		}})
	}
	shifts := func(q int) []float64 {
		s := make([]float64, q)
		for k := range s {
			if k%3 != 1 {
				s[k] = engine.Shift(-k % 5)
			}
		}
		return s
	}
	for name, b := range batches() {
		for _, q := range []int{0, 1, 5, 33} {
			add(name, b, q, 0, 1, 0, engine.Subsets{})
			add(name, b, q, 1, 1, 4, engine.Subsets{})
			add(name+", weights", weighted(b), q, 3, 6, 0, engine.Subsets{Shifts: shifts(q)})
		}
		var rows []int32
		for i := range int32(b.NumVertices()) {
			if i%3 != 1 {
				rows = append(rows, i)
			}
		}
		add(name, b, 7, 2, 1, 5, engine.Subsets{Rows: rows})
		add(name, b, 3, 0, 3, 0, engine.Subsets{Rows: rows})
	}
	all = append(all, Case{"SubsetWalks", "subsets of other vectors", 0, func(c *call) error {
		b := batches()["ragged"]
		x := c.e.New(tensor.Float64, 1, b.NumVertices(), 2)
		return c.e.SubsetWalks(c.e.New(tensor.Float64, 3, b.NumVertices(), 2), x, engine.Adjacency(b),
			&engine.Subsets{Sides: sides(50, 1, b.NumVertices())})
	}})
	return all
}

// searchesOf returns searches of every kind for some nodes over two vectors, two rows of sides and two of factors.
func searchesOf(nodes int) []engine.Search {
	var all []engine.Search
	for node := range int32(nodes) {
		all = append(all,
			engine.Search{Node: node, Vector: 0, Subset: -1, Factor: -1, Over: engine.Everywhere, Empty: -1000},
			engine.Search{Node: node, Vector: node % 2, Subset: node % 4, Factor: -1, Over: engine.Within, Empty: -1000})
		if node%2 == 0 {
			continue
		}
		all = append(all,
			engine.Search{Node: node, Vector: 1, Subset: 2, Factor: 1, Over: engine.Within, Empty: -3},
			engine.Search{Node: node, Vector: 1, Subset: 3, Factor: -1, Over: engine.ZeroBeyond},
			engine.Search{Node: node, Vector: 0, Subset: 1, Factor: 0, Over: engine.Everywhere, Empty: 2})
	}
	return all
}

// deal gives every third example to nobody and the others to nodes in turn.
func deal(examples, nodes int) (list, starts []int32) {
	starts = []int32{0}
	for node := range nodes {
		for i := range examples {
			if i%3 != 1 && i%nodes == node {
				list = append(list, int32(i))
			}
		}
		starts = append(starts, int32(len(list)))
	}
	return list, starts
}

func featureCases() []Case {
	var all []Case
	add := func(name string, b *graph.Batch, q, nodes, missing int, graphs, rounded bool) {
		name = fmt.Sprintf("%s q=%d nodes=%d missing=%d graphs=%v rounded=%v", name, q, nodes, missing, graphs, rounded)
		all = append(all, Case{"DynamicFeatures", name, 0, func(c *call) error {
			n := b.NumVertices()
			s := &engine.SplitSearch{Searches: searchesOf(nodes), Sides: sides(52, 2, n),
				Factors: c.upload(tensor.Float64, eighths(53, 2*n, 0), 2, n)}
			s.Examples, s.Nodes = deal(n, nodes)
			if graphs {
				s.Offsets = b.Offsets
				s.Examples, s.Nodes = deal(b.NumGraphs(), nodes)
				s.Aggregations = []engine.Aggregation{engine.SumOf, engine.MeanOf, engine.MinOf, engine.MaxOf}[nodes%3:]
			}
			for k := range q {
				if rounded {
					s.Shifts = append(s.Shifts, float64(k%2)*engine.Shift(-1))
				}
			}
			x := c.upload(tensor.Float64, eighths(54, 2*n*q, missing), 2, n, q)
			return c.e.DynamicFeatures(c.outputOf(tensor.Float64, int(s.Places(q)[len(s.Searches)])), x, s)
		}})
	}
	for name, b := range batches() {
		for _, graphs := range []bool{false, true} {
			for _, q := range []int{0, 1, 9} {
				add(name, b, q, 1, 0, graphs, false)
				add(name, b, q, 4, 3, graphs, q == 9)
			}
		}
	}
	many := graph.Graph{NumVertices: 3}
	b, err := graph.NewBatch([]graph.Graph{many, {}, many, many, many, {NumVertices: 70}, many})
	if err != nil {
		panic(err)
	}
	add("without arcs", b, 40, 3, 2, true, true)
	return append(all, Case{"DynamicFeatures", "a vector that is not there", 0, func(c *call) error {
		s := &engine.SplitSearch{Examples: []int32{0}, Nodes: []int32{0, 1},
			Searches: []engine.Search{{Vector: 1, Subset: -1, Factor: -1}}}
		return c.e.DynamicFeatures(c.e.New(tensor.Float64, 2), c.e.New(tensor.Float64, 1, 3, 2), s)
	}})
}

func bestSplitCases() []Case {
	var all []Case
	impurities := []engine.Impurity{engine.Variance, engine.Gini, engine.Entropy}
	add := func(name string, sizes []int, q, distinct, missing int, impurity engine.Impurity, classes, minLeaf int,
		masked bool) {
		name = fmt.Sprintf("%s examples=%v q=%d distinct=%d missing=%d impurity=%d leaf=%d masked=%v",
			name, sizes, q, distinct, missing, impurity, minLeaf, masked)
		all = append(all, Case{"BestSplits", name, 0, func(c *call) error {
			rng := rand.New(rand.NewPCG(55, uint64(distinct)))
			s := &engine.SplitSearch{Nodes: []int32{0}, Impurity: impurity, Number: classes, MinLeaf: float64(minLeaf)}
			for node, size := range sizes {
				for range size {
					w := float64(1 + rng.IntN(3))
					s.Examples, s.Weights = append(s.Examples, 0), append(s.Weights, w)
					if impurity == engine.Variance {
						s.Targets = append(s.Targets, w*float64(rng.IntN(65)-32)/16)
					} else {
						s.Classes = append(s.Classes, int32(rng.IntN(classes)))
					}
				}
				s.Nodes = append(s.Nodes, int32(len(s.Examples)))
				for range 1 + node%3 {
					s.Searches = append(s.Searches, engine.Search{Node: int32(node), Subset: -1, Factor: -1,
						Mask: int32(node)})
				}
				for k := range q {
					if masked {
						s.Features = append(s.Features, (k+node)%3 != 0)
					}
				}
			}
			columns := make([]float64, s.Places(q)[len(s.Searches)])
			for i := range columns {
				columns[i] = (float64(rng.IntN(distinct)) - float64(distinct/3)) / 4
				if missing > 0 && rng.IntN(missing) == 0 {
					columns[i] = math.NaN()
				}
			}
			best := c.outputOf(tensor.Float64, len(sizes), 4)
			return c.e.BestSplits(best, c.upload(tensor.Float64, columns, len(columns)), s, q)
		}})
	}
	for _, impurity := range impurities {
		classes := 0
		if impurity != engine.Variance {
			classes = 3
		}
		for _, missing := range []int{0, 1, 4} {
			for _, distinct := range []int{1, 2, 9, 1000} {
				add("small", []int{0, 1, 2, 5, 17, 40}, 3, distinct, missing, impurity, classes, 1, distinct == 9)
			}
		}
		add("some", []int{33, 64, 70, 129, 200}, 5, 30, 5, impurity, classes, 20, false)
		add("ties", []int{50, 50}, 6, 2, 0, impurity, classes, 1, true)
		add("no features", []int{4, 3}, 0, 5, 0, impurity, classes, 1, false)
	}
	add("many classes", []int{90, 10}, 3, 12, 6, engine.Gini, 70, 2, false)
	add("many classes", []int{90, 10}, 3, 12, 6, engine.Entropy, 70, 2, false)
	// Columns that do not fit in the memory of a multiprocessor.
	add("long", []int{1500, 5000}, 2, 40, 0, engine.Variance, 0, 1, false)
	add("long", []int{4097}, 1, 700, 50, engine.Variance, 0, 100, false)
	add("long", []int{2300}, 1, 60, 9, engine.Gini, 3, 1, false)
	all = append(all, Case{"BestSplits", "weights that are no whole numbers", 0, func(c *call) error {
		s := &engine.SplitSearch{Examples: []int32{0, 1}, Nodes: []int32{0, 2},
			Searches: []engine.Search{{Subset: -1, Factor: -1}}, Impurity: engine.Gini,
			Number: 2, Classes: []int32{0, 1}, Weights: []float64{1, 0.5}}
		return c.e.BestSplits(c.e.New(tensor.Float64, 1, 4), c.e.New(tensor.Float64, 2), s, 1)
	}})
	return all
}
