package search

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
	"gorgonia.org/tensor"
)

// engineSearch finds the best splits of some nodes by operations of the engine: a few for all candidates of all nodes,
// whatever their number. Nodes are of one depth, so that the cuts within their reach at one distance are of different
// graphs, unless examples are vertices.
type engineSearch struct {
	*growth
	data  *Resident
	nodes []*node
	base  engine.SplitSearch // what all searches have in common

	subsets [][]uint8 // rows of engine.Subsets: the sides of some cuts
	rowOf   map[*walks.Cut]int
	rows    []int32 // vertices where walks from subsets are wanted
}

// deviceSearcher searches by operations of the engine.
type deviceSearcher struct {
	*growth
	resident *Resident
}

func (s *deviceSearcher) search(ctx context.Context, nodes []*node) error {
	if len(nodes) == 0 {
		return nil
	}
	err := s.resident.fill(s.d)
	if err != nil {
		return err
	}
	e := &engineSearch{growth: s.growth, data: s.resident, nodes: nodes, rowOf: map[*walks.Cut]int{}}
	e.gather()
	shared, walked := e.queries()
	for i := range e.data.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &e.data.blocks[i]
		if err := e.find(b, b.vectors, e.sides(0, len(e.subsets)), shared); err != nil {
			return err
		}
		if err := e.walk(ctx, b, walked); err != nil {
			return err
		}
	}
	return nil
}

// gather lists the examples of all nodes with their targets, and the subsets that they may use.
func (e *engineSearch) gather() {
	b := &e.base
	b.Nodes = []int32{0}
	for _, n := range e.nodes {
		b.Examples = append(b.Examples, n.Examples...)
		b.Nodes = append(b.Nodes, int32(len(b.Examples)))
		b.Weights = append(b.Weights, n.local.Weight...)
		b.Targets = append(b.Targets, n.local.Target...)
		b.Classes = append(b.Classes, n.local.Class...)
		if len(n.cutKinds) == 0 {
			continue
		}
		for distance := 1; distance <= min(e.opt.MaxDistance, n.depth); distance++ {
			e.use(n.ancestor(distance).cut, distance, n.Graphs)
		}
	}
	e.rows = e.vertices()
	b.Impurity, b.MinLeaf = impurity(e.targets.Criterion), float64(e.opt.MinLeaf)
	if b.Impurity != engine.Variance {
		b.Number = e.targets.Width
	}
	if b.Bins = e.bins(); b.Bins > 0 && b.Impurity == engine.Variance {
		b.Unit = math.Ldexp(1, int(e.targets.Grid))
	}
	b.Factors = e.data.factors
	if e.d.Input.Level == walks.Graphs {
		b.Offsets = e.d.Batch.Offsets
		for _, a := range slices.Sorted(slices.Values(e.opt.Aggregations)) {
			b.Aggregations = append(b.Aggregations, engine.Aggregation(a-walks.Sum))
		}
	}
}

// impurity returns the name that the engine has for c.
func impurity(c splits.Criterion) engine.Impurity {
	switch c {
	case splits.Gini:
		return engine.Gini
	case splits.Entropy:
		return engine.Entropy
	}
	return engine.Variance
}

// use gives a cut a row. At graph level the cuts of one distance share one, each in its graphs.
func (e *engineSearch) use(c *walks.Cut, distance int, graphs []int32) {
	if e.d.Input.Level == walks.Vertices {
		if _, known := e.rowOf[c]; !known {
			e.rowOf[c] = len(e.subsets)
			e.subsets = append(e.subsets, c.Side)
		}
		return
	}
	for len(e.subsets) < distance {
		e.subsets = append(e.subsets, make([]uint8, e.d.Batch.NumVertices()))
	}
	e.rowOf[c] = distance - 1
	for _, g := range graphs {
		first, last := e.d.Batch.Vertices(int(g))
		copy(e.subsets[distance-1][first:last], c.Side[first:last])
	}
}

// sides returns some rows one after another.
func (e *engineSearch) sides(from, to int) []uint8 {
	return append([]uint8{}, slices.Concat(e.subsets[from:to]...)...)
}

// walk searches the features along walks from subsets, of as many rows at a time as memory allows.
func (e *engineSearch) walk(ctx context.Context, b *engineBlock, queries []query) error {
	if len(queries) == 0 {
		return nil
	}
	length := 0
	for _, q := range queries {
		length = max(length, q.walked.Length)
	}
	n, features, steps := e.d.Batch.NumVertices(), len(b.features), len(e.d.Input.Arcs)*length
	together := max(engineBytes/(8*2*steps*max(n*features, 1)), 1)
	for from := 0; from < len(e.subsets); from += together {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+together, len(e.subsets))
		if err := e.walkRows(b, queries, from, to, length); err != nil {
			return err
		}
	}
	return nil
}

// walkRows is walk for some rows.
func (e *engineSearch) walkRows(b *engineBlock, queries []query, from, to, length int) error {
	n, features, count := e.d.Batch.NumVertices(), len(b.features), 2*(to-from)
	vectors := e.d.Engine.Scratch(tensor.Float64, len(e.d.Input.Arcs)*length*count, n, features)
	defer e.d.Engine.Release(vectors)
	step := func(op, l int) *tensor.Dense {
		return engine.View(vectors, (op*length+l-1)*count*n*features, count, n, features)
	}
	s := engine.Subsets{Rows: e.rows, Shifts: b.shifts}
	sides := e.sides(from, to)
	for o, matrix := range e.data.matrices {
		x := engine.View(b.vectors, 0, 1, n, features)
		s.Sides = sides
		for l := 1; l <= length; l++ {
			if err := e.d.Engine.SubsetWalks(step(o, l), x, matrix, &s); err != nil {
				return err
			}
			x, s.Sides = step(o, l), nil
		}
	}
	var mine []query
	for _, q := range queries {
		row := int(q.Subset / 2)
		if row < from || row >= to {
			continue
		}
		q.Subset -= int32(2 * from)
		q.Vector = int32((q.walked.Op*length+q.walked.Length-1)*count) + q.Subset
		mine = append(mine, q)
	}
	return e.find(b, vectors, sides, mine)
}

// vertices lists the vertices of the graphs in which nodes use subsets, nil for all.
func (e *engineSearch) vertices() []int32 {
	marked := make([]bool, e.d.Batch.NumGraphs())
	for _, n := range e.nodes {
		for _, g := range n.Graphs {
			marked[g] = marked[g] || len(n.cutKinds) > 0
		}
	}
	list := []int32{}
	for g, m := range marked {
		if first, last := e.d.Batch.Vertices(g); m {
			list = append(list, e.d.All(first, last)...)
		}
	}
	if len(list) == e.d.Batch.NumVertices() {
		return nil
	}
	return list
}

// find searches the columns that queries make of some vectors, as many at a time as memory allows, and keeps what is
// better than the best splits so far.
func (e *engineSearch) find(b *engineBlock, vectors *tensor.Dense, sides []uint8, queries []query) error {
	s := e.base
	s.Sides, s.Shifts, s.Features = sides, b.shifts, e.allowed(b)
	ofExample := int64(s.Kinds() * len(b.features))
	for from := 0; from < len(queries); {
		to, size := from, int64(0)
		for to < len(queries) && (to == from || size < engineBytes/8) {
			node := e.nodes[queries[to].Node]
			size += ofExample * int64(len(node.Examples))
			to++
		}
		s.Searches = s.Searches[:0]
		for _, q := range queries[from:to] {
			s.Searches = append(s.Searches, q.Search)
		}
		if err := e.findSome(b, vectors, &s, queries[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// findSome is find for searches that are done at once.
func (e *engineSearch) findSome(b *engineBlock, vectors *tensor.Dense, s *engine.SplitSearch, queries []query) error {
	on, features := e.d.Engine, len(b.features)
	columns := on.Scratch(tensor.Float64, int(s.Places(features)[len(s.Searches)]))
	best := on.Scratch(tensor.Float64, len(e.nodes), 4)
	defer on.Release(columns, best)
	if err := on.DynamicFeatures(columns, vectors, s); err != nil {
		return err
	}
	if err := on.BestSplits(best, columns, s, features); err != nil {
		return err
	}
	host, err := engine.ToHost(best)
	if err != nil {
		return err
	}
	found := host.Float64s()
	for i, n := range e.nodes {
		row := found[4*i : 4*i+4]
		if row[0] <= n.leastGain {
			continue
		}
		column := int(row[2])
		split := queries[column/(s.Kinds()*features)].split
		split.Feature = b.features[column%features]
		if s.Offsets != nil {
			split.Aggregation = walks.Aggregation(s.Aggregations[column/features%s.Kinds()]) + walks.Sum
		}
		split.Threshold, split.MissingAbove = positive(row[1]), row[3] != 0
		if c := (candidate{split, row[0]}); c.beats(&n.best) {
			n.best = c
		}
	}
	return nil
}

// allowed returns the features of a block that each node may use, along walks of every length; nil for all.
func (e *engineSearch) allowed(b *engineBlock) []bool {
	if e.nodes[0].features == nil {
		return nil
	}
	allowed := make([]bool, 0, len(e.nodes)*len(b.features))
	for _, n := range e.nodes {
		for _, f := range b.features {
			allowed = append(allowed, n.sees(f, 0))
		}
	}
	return allowed
}
