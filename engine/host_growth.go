package engine

import (
	"slices"

	"gorgonia.org/tensor"
)

// Grow implements [Engine].
func (e *CPU) Grow(f *TreeFeatures) (Growth, error) { return newHostGrowth(e, f) }

// Grow implements [Engine].
func (e Reference) Grow(f *TreeFeatures) (Growth, error) { return newHostGrowth(e, f) }

// hostGrowth grows trees by the other operations of an engine that works in host memory. It computes all candidates of
// a level at once: the search of treeg on the host leaves out what it can, and is what programs run there.
type hostGrowth struct {
	e     Engine
	f     *TreeFeatures
	t     *TreeExamples
	of    TreeTargets
	order [2][]int32      // positions in the examples, where an even and an odd number of splits left them
	sides map[int][]uint8 // by row, as in Subsets
}

func newHostGrowth(e Engine, f *TreeFeatures) (Growth, error) {
	if err := CheckGrow(f); err != nil {
		return nil, err
	}
	return &hostGrowth{e: e, f: f}, nil
}

// Release implements [Growth].
func (g *hostGrowth) Release() {}

// Plant implements [Growth].
func (g *hostGrowth) Plant(t *TreeExamples) (NodeSums, error) {
	if err := CheckPlant(g.f, t); err != nil {
		return NodeSums{}, err
	}
	g.t, g.sides = t, map[int][]uint8{}
	g.of = TreeTargets{Weights: t.Weights, Values: t.Values, Classes: t.Classes, Number: g.f.Number}
	if g.f.Impurity == Variance {
		g.of.Centre()
	}
	for i := range g.order {
		g.order[i] = make([]int32, len(t.Examples))
		for at := range g.order[i] {
			g.order[i][at] = int32(at)
		}
	}
	return g.of.Sums(g.order[0]), nil
}

// Split implements [Growth].
func (g *hostGrowth) Split(l *Level) ([]FoundSplit, error) {
	examples := -1
	if g.t != nil {
		examples = len(g.t.Examples)
	}
	if err := CheckLevel(g.f, examples, l); err != nil {
		return nil, err
	}
	found := make([]FoundSplit, len(l.Nodes))
	for i := range g.f.Blocks {
		if err := g.block(l, &g.f.Blocks[i], found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// block finds the best splits by the features of a block, and keeps those that are better than the ones so far.
func (g *hostGrowth) block(l *Level, b *FeatureBlock, found []FoundSplit) error {
	x, err := g.vectors(l, b)
	if err != nil {
		return err
	}
	s := g.search(l, b)
	q, all := len(b.Features), g.f.Features()
	columns, best := g.e.New(tensor.Float64, int(s.Places(q)[len(s.Searches)])), g.e.New(tensor.Float64, len(l.Nodes), 4)
	if err := g.e.DynamicFeatures(columns, x, s); err != nil {
		return err
	}
	if g.f.Draws != nil {
		g.draw(best.Float64s(), columns.Float64s(), s, l, b)
	} else if err := g.e.BestSplits(best, columns, s, q); err != nil {
		return err
	}
	made := features{SplitSearch: s, x: x.Float64s(), factors: data[float64](s.Factors), n: g.f.Vertices(), q: q}
	places := s.Places(q)
	for i := range l.Nodes {
		row := [4]float64(best.Float64s()[4*i:])
		if row[0] == 0 {
			continue
		}
		column, size := int(row[2]), s.size(int32(i))
		row[2] = float64(column/q*all + int(b.Features[column%q]))
		better := NewFoundSplit(row, s.Kinds(), all)
		if better.Gain < found[i].Gain || better.Gain == found[i].Gain && !better.before(&found[i]) {
			continue
		}
		from := int(places[better.Search]) + column%(s.Kinds()*q)*size
		g.distribute(&l.Nodes[i], &better, columns.Float64s()[from:from+size])
		found[i] = better
		if row := l.Nodes[i].Row; row >= 0 {
			g.cut(row, &made, &s.Searches[better.Search], column%q, &better, s.Examples[s.Nodes[i]:s.Nodes[i+1]])
		}
	}
	return nil
}

// before reports whether the column of a split comes before that of another.
func (s *FoundSplit) before(t *FoundSplit) bool {
	return slices.Compare([]int{s.Search, s.Aggregation, s.Feature}, []int{t.Search, t.Aggregation, t.Feature}) < 0
}

// vectors returns those of a block with walks from subsets after them: by row and side, of as many steps as are asked
// for along every matrix.
func (g *hostGrowth) vectors(l *Level, b *FeatureBlock) (*tensor.Dense, error) {
	rows, steps := l.Walked()
	shape := b.Vectors.Shape()
	n, q, count := shape[1], shape[2], 2*len(rows)
	x := g.e.New(tensor.Float64, shape[0]+len(g.f.Matrices)*steps*count, n, q)
	copy(x.Float64s(), b.Vectors.Float64s())
	if len(rows) == 0 {
		return x, nil
	}
	var sides []uint8
	for _, row := range rows {
		sides = append(sides, g.row(row)...)
	}
	at := shape[0]
	for _, matrix := range g.f.Matrices {
		s := Subsets{Sides: sides, Shifts: b.Shifts}
		from := View(x, 0, 1, n, q)
		for range steps {
			to := View(x, at*n*q, count, n, q)
			if err := g.e.SubsetWalks(to, from, matrix, &s); err != nil {
				return nil, err
			}
			from, s.Sides, at = to, nil, at+count
		}
	}
	return x, nil
}

// row returns a row of sides.
func (g *hostGrowth) row(row int) []uint8 {
	if g.sides[row] == nil {
		g.sides[row] = make([]uint8, g.f.Vertices())
	}
	return g.sides[row]
}

// search describes the search of a level in a block.
func (g *hostGrowth) search(l *Level, b *FeatureBlock) *SplitSearch {
	f, t := g.f, g.t
	s := &SplitSearch{
		Offsets: f.Offsets, Factors: f.Factors, Shifts: b.Shifts, Aggregations: f.Aggregations, Nodes: []int32{0},
		Impurity: f.Impurity, Number: f.Number, MinLeaf: f.MinLeaf, Bins: t.Bins,
	}
	if f.Impurity == Variance && s.Bins > 0 {
		if s.Unit = g.of.Unit(); s.Unit == 0 {
			s.Bins = 0
		}
	}
	for _, node := range l.Nodes {
		for _, at := range g.order[node.Depth%2][node.From:node.To] {
			s.Examples, s.Weights = append(s.Examples, t.Examples[at]), append(s.Weights, t.Weights[at])
			if f.Impurity == Variance {
				s.Targets = append(s.Targets, g.of.Targets[at]-float64(t.Weights[at]*node.Centre))
			} else {
				s.Classes = append(s.Classes, t.Classes[at])
			}
		}
		s.Nodes = append(s.Nodes, int32(len(s.Examples)))
	}
	for _, mask := range l.Masks {
		for _, k := range b.Features {
			s.Features = append(s.Features, mask[k])
		}
	}
	rows, steps := l.Walked()
	for row := range g.rows(l) {
		s.Sides = append(s.Sides, g.row(row)...)
	}
	for _, search := range l.Searches {
		one := search.Search
		if search.Steps > 0 {
			at, _ := slices.BinarySearch(rows, int(one.Subset/2))
			one.Vector = int32(b.Vectors.Shape()[0] + ((search.Matrix*steps+search.Steps-1)*len(rows)+at)*2 + int(one.Subset%2))
		}
		s.Searches = append(s.Searches, one)
	}
	return s
}

// rows returns the number of rows of sides that searches look at.
func (g *hostGrowth) rows(l *Level) (count int) {
	for _, s := range l.Searches {
		count = max(count, int(s.Subset/2)+1)
	}
	return count
}

// distribute orders the examples of a node by a column and the threshold of its split, and sums up the children.
func (g *hostGrowth) distribute(node *LevelNode, s *FoundSplit, column []float64) {
	from, to := g.order[node.Depth%2][node.From:node.To], g.order[(node.Depth+1)%2][node.From:node.To]
	at, below := 0, 0
	for _, up := range []bool{false, true} {
		below = at
		for i, value := range column {
			if s.exceeded(value, s.Threshold) == up {
				to[at] = from[i]
				at++
			}
		}
	}
	s.Below, s.Above = g.of.Sums(to[:below]), g.of.Sums(to[below:])
}

// exceeded reports whether a value counts as above a threshold.
func (s *FoundSplit) exceeded(value, threshold float64) bool {
	return value > threshold || value != value && s.MissingAbove
}

// cut divides the subset that a split looks at, in the graphs of some examples, or in all where examples are vertices.
// The threshold of a sum is divided by the size of the subset.
func (g *hostGrowth) cut(row int, f *features, t *Search, k int, s *FoundSplit, examples []int32) {
	graphs := [][2]int32{{0, int32(f.n)}}
	if f.Offsets != nil {
		graphs = graphs[:0]
		for _, graph := range examples {
			graphs = append(graphs, [2]int32{f.Offsets[graph], f.Offsets[graph+1]})
		}
	}
	sides := g.row(row)
	for _, graph := range graphs {
		size, threshold := 0, s.Threshold
		for v := graph[0]; v < graph[1]; v++ {
			if f.in(t.Subset, int(v), f.n) {
				size++
			}
		}
		if f.Offsets != nil && f.Aggregations[s.Aggregation] == SumOf {
			threshold /= float64(size)
		}
		for v := graph[0]; v < graph[1]; v++ {
			switch {
			case !f.in(t.Subset, int(v), f.n):
				sides[v] = 0
			case s.exceeded(f.entry(t, int(v), k), threshold):
				sides[v] = 1
			default:
				sides[v] = 2
			}
		}
	}
}
