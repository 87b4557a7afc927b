package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// Subsets say from which vertices the walks of [Engine].SubsetWalks begin, and which vertices they are wanted at.
type Subsets struct {
	// Sides holds two subsets of the vertices in each of its rows, a byte for each vertex: vector 2m+b is of the
	// vertices whose byte in row m has bit b. nil: every vector is of all vertices.
	Sides []uint8

	Rows   []int32   // of the result that are wanted, others stay as they are; nil: all
	Shifts []float64 // see [Shift], for each column; nil: nothing is rounded
}

// Shift is what a product is rounded by to multiples of 2^g: fl(fl(x + Shift(g)) - Shift(g)), nearest, ties to
// even, is the multiple next to x for |x| < 2^(g+51). Sums of multiples that stay below 2^(g+53) are exact, whatever
// their order. A shift of 0 rounds nothing.
func Shift(g int) float64 { return math.Ldexp(1.5, 52+g) }

// SplitSearch describes the candidates for the splits of some nodes of TREE-G trees. Examples are graphs or vertices;
// a column is one dynamic feature at the examples of one node, and a search makes a column of every feature, at graph
// level for every aggregation.
type SplitSearch struct {
	Offsets  []int32  // the vertices of graph g are Offsets[g] to Offsets[g+1]; nil: examples are vertices
	Examples []int32  // of all nodes
	Nodes    []int32  // those of node i are Examples[Nodes[i]:Nodes[i+1]]
	Searches []Search // ascending by node; among equal splits of a node the first column is chosen

	Sides   []uint8       // as in [Subsets]
	Factors *tensor.Dense // rows x vertices, Float64, on the engine; nil: none
	Shifts  []float64     // products with factors are rounded, as in [Subsets]

	Aggregations []Aggregation // of graphs
	Features     []bool        // masks x features: those that a search may use; nil: all

	Weights  []float64 // for each of Examples, positive
	Targets  []float64 // for each of Examples, times its weight; nil where there are classes
	Classes  []int32   // for each of Examples
	Number   int       // of classes
	Impurity Impurity
	MinLeaf  float64 // weight of either child, at least

	// Bins is the number of groups of the values of a column, about, between which thresholds lie, for nodes of more
	// than 4 examples for each; 0: all thresholds are exact. Weights are then whole numbers, and targets whole
	// multiples of Unit, a power of two, of which every sum is less than 2^52.
	Bins int
	Unit float64
}

// Search makes columns of one node from the features of one vector. A vertex has the entry x f of feature x and factor
// f.
type Search struct {
	Node   int32
	Vector int32
	Subset int32 // in Sides, as the vectors of [Subsets] are counted; -1: all vertices
	Factor int32 // row of Factors; -1: 1
	Over   Over
	Mask   int32   // row of Features
	Empty  float64 // value of a graph whose subset is empty
}

// Over says which entries a graph's value is made of. The value of a vertex is its entry, 0 where the vertex is out
// of the subset unless Over is Everywhere.
type Over int32

// The entries that are aggregated.
const (
	Within     Over = iota // those in the subset
	ZeroBeyond             // all, with 0 for those out of the subset
	Everywhere             // all as they are; the subset only says whether it is empty
)

// Aggregation is how the entries of a graph become its value. Missing entries (NaN) are left out; the value is
// missing where all entries are.
type Aggregation int32

// The aggregations.
const (
	SumOf Aggregation = iota
	MeanOf
	MinOf
	MaxOf
)

// Impurity is what a split reduces. A split gains score(below) + score(above) - score(all).
type Impurity int32

// The impurities by their scores of examples with weights w, of total weight n.
const (
	Variance Impurity = iota // (sum of targets)^2 / n
	Gini                     // sum over classes of n_c^2 / n
	Entropy                  // sum over classes of n_c log2 n_c - n log2 n
)

// size returns the number of examples of a node.
func (s *SplitSearch) size(node int32) int { return int(s.Nodes[node+1] - s.Nodes[node]) }

// Kinds returns the number of columns that a search makes of one feature.
func (s *SplitSearch) Kinds() int {
	if s.Offsets == nil {
		return 1
	}
	return len(s.Aggregations)
}

// Places returns where the columns of each search begin, and after them the length of all, for q features: the
// columns of a search follow each other by aggregation and in it by feature, each with an entry for every example of
// its node.
func (s *SplitSearch) Places(q int) []int64 {
	places := make([]int64, len(s.Searches)+1)
	for i, search := range s.Searches {
		places[i+1] = places[i] + int64(s.Kinds()*q*s.size(search.Node))
	}
	return places
}

// Information returns x log2 x for x = 0, 1, ... up to the largest weight of a node, for the entropy; nil for other
// impurities. Devices read it off this table, so that all engines have the same bits.
func (s *SplitSearch) Information() []float64 {
	if s.Impurity != Entropy {
		return nil
	}
	most := 0.0
	for node := range int32(len(s.Nodes) - 1) {
		sum := 0.0
		for _, w := range s.Weights[s.Nodes[node]:s.Nodes[node+1]] {
			sum += w
		}
		most = max(most, sum)
	}
	table := make([]float64, int(most)+1)
	for x := range table {
		table[x] = xLog2x(float64(x))
	}
	return table
}

// in reports whether vertex v is in a subset.
func (s *SplitSearch) in(subset int32, v, vertices int) bool {
	return subset < 0 || s.Sides[int(subset/2)*vertices+v]>>(subset%2)&1 != 0
}

// round returns x rounded by a shift.
func round(x, shift float64) float64 {
	if shift == 0 {
		return x
	}
	return float64(x+shift) - shift
}

// shiftOf returns the shift of column k.
func shiftOf(shifts []float64, k int) float64 {
	if shifts == nil {
		return 0
	}
	return shifts[k]
}

// Midpoint returns the threshold between two consecutive values of a column: a number t with a <= t < b, halfway where
// there is one.
func Midpoint(a, b float64) float64 {
	t := (a + b) / 2
	if math.IsInf(t, 0) {
		t = a/2 + b/2
	}
	if t >= b || t < a {
		return a
	}
	return t
}
