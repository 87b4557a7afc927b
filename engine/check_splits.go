package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// double wants tensors of Float64.
func (c *checks) double(tensors ...*tensor.Dense) {
	for _, t := range tensors {
		c.that(t.Dtype() == tensor.Float64, "dtype %v, want float64", t.Dtype())
	}
}

// sides wants rows of bytes for so many vertices and returns the number of subsets.
func (c *checks) sides(sides []uint8, vertices int) int {
	if vertices == 0 {
		return len(sides)
	}
	c.that(len(sides)%vertices == 0, "sides of %d bytes for %d vertices", len(sides), vertices)
	return 2 * (len(sides) / vertices)
}

// CheckSubsetWalks returns what is wrong with the arguments of SubsetWalks.
func CheckSubsetWalks(y, x *tensor.Dense, a *Sparse, s *Subsets) error {
	ck := checks{op: "SubsetWalks"}
	if !ck.dims("x", x, 3) || !ck.dims("y", y, 3) {
		return ck.err
	}
	n, q, vectors := a.Rows(), x.Shape()[2], y.Shape()[0]
	ck.that(a.Cols == n, "A is %d x %d, want a square matrix", n, a.Cols)
	ck.that(a.KeepRows == nil && a.KeepCols == nil, "A has masks: give subsets")
	ck.masks("A", a)
	ck.shape("y", y, vectors, n, q)
	if x.Shape()[0] != 1 {
		ck.shape("x", x, vectors, n, q)
	} else {
		ck.shape("x", x, 1, n, q)
	}
	if s.Sides != nil && n > 0 {
		subsets := ck.sides(s.Sides, n)
		ck.that(subsets == vectors, "%d subsets for %d vectors", subsets, vectors)
	}
	ck.within(s.Rows, n, "entry %d of the rows is row %d of %d")
	ck.that(s.Shifts == nil || len(s.Shifts) == q, "%d shifts for %d columns", len(s.Shifts), q)
	ck.double(x, y)
	return ck.err
}

// CheckDynamicFeatures returns what is wrong with the arguments of DynamicFeatures.
func CheckDynamicFeatures(columns, x *tensor.Dense, s *SplitSearch) error {
	ck := checks{op: "DynamicFeatures"}
	if !ck.dims("x", x, 3) {
		return ck.err
	}
	vectors, n, q := x.Shape()[0], x.Shape()[1], x.Shape()[2]
	ck.nodes(s)
	limit := n
	if s.Offsets != nil {
		limit = len(s.Offsets) - 1
		ck.that(limit >= 0 && int(s.Offsets[max(limit, 0)]) <= n, "graphs of more than %d vertices", n)
	}
	ck.within(s.Examples, limit, "entry %d of the examples is example %d of %d")
	subsets, factors := ck.sides(s.Sides, n), 0
	if n > 0 && s.Factors != nil {
		size := s.Factors.Shape().TotalSize()
		ck.that(size%n == 0, "%d factors for %d vertices", size, n)
		ck.double(s.Factors)
		factors = size / n
	}
	for i, t := range s.Searches {
		ck.that(t.Vector >= 0 && int(t.Vector) < vectors, "search %d: vector %d of %d", i, t.Vector, vectors)
		ck.that(n == 0 || int(t.Subset) < subsets, "search %d: subset %d of %d", i, t.Subset, subsets)
		ck.that(n == 0 || int(t.Factor) < factors, "search %d: factor %d of %d", i, t.Factor, factors)
		ck.that(t.Over >= Within && t.Over <= Everywhere, "search %d: entries %d", i, t.Over)
	}
	ck.that(s.Shifts == nil || len(s.Shifts) == q, "%d shifts for %d columns", len(s.Shifts), q)
	ck.columns(columns, s, q)
	if ck.err == nil {
		ck.double(x)
	}
	return ck.err
}

// nodes wants searches of nodes that exist, ascending, and known aggregations.
func (c *checks) nodes(s *SplitSearch) {
	nodes := len(s.Nodes) - 1
	c.that(nodes >= 0, "no nodes: want at least one entry")
	if c.err != nil {
		return
	}
	for i := range nodes {
		c.that(s.Nodes[i] <= s.Nodes[i+1], "examples of node %d from %d to %d", i, s.Nodes[i], s.Nodes[i+1])
	}
	c.that(s.Nodes[0] == 0 && int(s.Nodes[nodes]) == len(s.Examples), "nodes have examples %d to %d of %d",
		s.Nodes[0], s.Nodes[nodes], len(s.Examples))
	last := int32(0)
	for i, t := range s.Searches {
		c.that(t.Node >= last && int(t.Node) < nodes, "search %d: node %d of %d after node %d", i, t.Node, nodes, last)
		last = t.Node
	}
	for _, a := range s.Aggregations {
		c.that(a >= SumOf && a <= MaxOf, "aggregation %d", a)
	}
}

// columns wants memory for the columns of all searches.
func (c *checks) columns(columns *tensor.Dense, s *SplitSearch, q int) {
	if c.err != nil {
		return
	}
	c.shape("columns", columns, int(s.Places(q)[len(s.Searches)]))
	if c.err == nil {
		c.double(columns)
	}
}

// CheckBestSplits returns what is wrong with the arguments of BestSplits, and the number of features.
func CheckBestSplits(best, columns *tensor.Dense, s *SplitSearch, features int) error {
	ck := checks{op: "BestSplits"}
	ck.that(features >= 0, "%d features", features)
	ck.nodes(s)
	ck.columns(columns, s, features)
	if ck.err != nil {
		return ck.err
	}
	ck.shape("best", best, len(s.Nodes)-1, 4)
	ck.masksOf(s, features)
	ck.examples(s)
	if ck.err == nil {
		ck.double(best)
	}
	return ck.err
}

// examples wants weights, and targets or classes, that splits can be searched by.
func (c *checks) examples(s *SplitSearch) {
	examples := len(s.Examples)
	c.that(len(s.Weights) == examples, "%d weights for %d examples", len(s.Weights), examples)
	switch s.Impurity {
	case Variance:
		c.that(len(s.Targets) == examples, "%d targets for %d examples", len(s.Targets), examples)
	case Gini, Entropy:
		c.that(len(s.Classes) == examples, "%d classes for %d examples", len(s.Classes), examples)
		c.within(s.Classes, s.Number, "example %d is of class %d of %d")
	default:
		c.that(false, "impurity %d", s.Impurity)
	}
	c.weights(s)
	c.that(s.Bins >= 0, "%d bins", s.Bins)
	if s.Bins > 0 && s.Impurity == Variance {
		c.units(s)
	}
}

// masksOf wants masks of all features, one for each search.
func (c *checks) masksOf(s *SplitSearch, features int) {
	if s.Features == nil || features == 0 {
		return
	}
	c.that(len(s.Features)%features == 0, "masks of %d entries for %d features", len(s.Features), features)
	for i, t := range s.Searches {
		c.that(t.Mask >= 0 && int(t.Mask) < len(s.Features)/features, "search %d: mask %d of %d", i, t.Mask,
			len(s.Features)/features)
	}
}

// largestWeight bounds the weight of the examples of a node, so that squares of it are exact.
const largestWeight = 1 << 26

// weights wants positive weights, whole numbers where there are classes or bins.
func (c *checks) weights(s *SplitSearch) {
	if c.err != nil {
		return
	}
	whole := s.Impurity != Variance || s.Bins > 0
	for node := range int32(len(s.Nodes) - 1) {
		sum := 0.0
		for _, w := range s.Weights[s.Nodes[node]:s.Nodes[node+1]] {
			if !(w > 0) || whole && w != float64(int64(w)) {
				c.that(false, "a weight of %g: want a positive number, a whole one where there are classes or bins", w)
				return
			}
			sum += w
		}
		c.that(!whole || sum <= largestWeight, "examples of weight %g in a node: want at most %d",
			sum, largestWeight)
	}
}

// largestSum bounds the sums of targets in their unit, so that they are exact in integers and in float64.
const largestSum = 1 << 52

// units wants targets that are multiples of the unit, a power of two.
func (c *checks) units(s *SplitSearch) {
	fraction, _ := math.Frexp(s.Unit)
	c.that(fraction == 0.5 && !math.IsInf(1/s.Unit, 0), "targets in units of %g, want a power of two", s.Unit)
	if c.err != nil {
		return
	}
	for node := range len(s.Nodes) - 1 {
		sum := 0.0
		for _, y := range s.Targets[s.Nodes[node]:s.Nodes[node+1]] {
			steps := y / s.Unit
			sum += math.Abs(steps)
			c.that(steps == math.Trunc(steps) && sum < largestSum, "a target of %g is not exact in units of %g", y, s.Unit)
		}
	}
}
