package engine

import "gorgonia.org/tensor"

// TreeFeatures are what the splits of all trees of a fit look at.
type TreeFeatures struct {
	Blocks   []FeatureBlock // of all features, ascending
	Matrices []*Sparse      // of steps of walks, n x n, n the vertices
	Length   int            // of walks, at most
	Factors  *tensor.Dense  // as in [SplitSearch]

	Offsets      []int32       // as in [SplitSearch]
	Aggregations []Aggregation // of graphs

	Impurity Impurity
	Number   int     // of classes
	MinLeaf  float64 // weight of either child, at least

	Draws *Draws // nil: every column has its best threshold
}

// Draws are how extremely randomised trees come by the one threshold that a column has. It lies at a share u of the way
// from the least to the largest value; values of empty subsets, which are far from others, count where all others are
// the same. u = (w >> 11) / 2^53 with w the first number of the generator PCG-DXSM of math/rand/v2, seeded by the node
// and by the sum of the streams of search, aggregation and feature.
type Draws struct {
	Aggregations []uint64 // streams of [TreeFeatures].Aggregations, one of 0 where examples are vertices
	Features     []uint64 // streams by number of the feature
}

// FeatureBlock holds some features along walks from all vertices.
type FeatureBlock struct {
	Features []int32       // their numbers, ascending
	Vectors  *tensor.Dense // V x n x len(Features), Float64, on the engine
	Shifts   []float64     // as in [Subsets]
}

// TreeExamples are what a tree is fitted to.
type TreeExamples struct {
	Examples []int32   // ascending
	Weights  []float64 // for each of Examples, as are Values and Classes; see [SplitSearch]
	Values   []float64 // nil where there are classes
	Classes  []int32
	Bins     int // as in [SplitSearch]; without a grid thresholds are exact
}

// Growth is a tree that grows on an engine, which keeps its examples with their weights and targets, the order in which
// splits leave them, and the subsets that splits generate. Memory of the engine holds it until Release.
//
// The examples of a node are a range of that order: those of the root are all. A split leaves those of the child below
// the threshold before those of the child above it, each in the order that they had.
type Growth interface {
	// Plant begins another tree and returns what is known of its root. What splits reduce the variance of are the values
	// as [TreeTargets].Centre makes targets of them. Subsets of the tree before are forgotten.
	Plant(t *TreeExamples) (NodeSums, error)

	// Split finds the best split of every node, in the order of the nodes, as [Engine].BestSplits does of columns that
	// [Engine].DynamicFeatures makes; of equal gains the first search of a node, its first aggregation and the first
	// feature win. For the nodes that it finds one for it orders the examples and generates the subsets.
	Split(l *Level) ([]FoundSplit, error)

	// Release gives the memory back.
	Release()
}

// Level are nodes whose best splits are searched together. Examples of one are not those of another.
type Level struct {
	Nodes    []LevelNode
	Searches []LevelSearch // ascending by node
	Masks    [][]bool      // rows of truth values, one for each feature: those that searches may use
}

// LevelNode is a node of a level.
type LevelNode struct {
	From, To int     // its range in the order of the examples
	Depth    int     // splits above it
	Centre   float64 // is subtracted from the targets, times the weight; that of its [NodeSums], or another on the grid
	Row      int     // where the subsets that its best split generates are kept, no row of a search; -1: nowhere
	Seed     uint64  // see Draws
}

// LevelSearch makes columns of one node as [Search] does. Subset is 2r for the vertices above the threshold of the
// split whose row is r, and 2r+1 for those below it. Vector is one of the block, unless Steps is positive: then the
// vector is that of walks of so many steps along a matrix that begin in the subset.
type LevelSearch struct {
	Search
	Steps, Matrix int
	Stream        uint64 // see Draws
}

// FoundSplit is the best split of a node, of gain 0 where there is none.
type FoundSplit struct {
	Gain, Threshold float64
	MissingAbove    bool // a missing value counts as above the threshold
	Search          int  // of the level
	Aggregation     int  // of [TreeFeatures]; 0 where examples are vertices
	Feature         int
	Below, Above    NodeSums // of the children
}

// NewFoundSplit returns a split by its gain, the threshold, the number of its column and 1 where missing values count
// as above the threshold. Columns are numbered by search, aggregation and feature, of which there are as many as given.
func NewFoundSplit(row [4]float64, kinds, features int) FoundSplit {
	if row[0] <= 0 {
		return FoundSplit{}
	}
	column := int(row[2])
	return FoundSplit{
		Gain: row[0], Threshold: row[1], MissingAbove: row[3] != 0, Search: column / (kinds * features),
		Aggregation: column / features % kinds, Feature: column % features,
	}
}

// Kinds returns the number of columns that a search makes of one feature.
func (f *TreeFeatures) Kinds() int {
	if f.Offsets == nil {
		return 1
	}
	return len(f.Aggregations)
}

// Features returns the number of features that masks are for: one more than the largest.
func (f *TreeFeatures) Features() int {
	most := 0
	for _, b := range f.Blocks {
		for _, k := range b.Features {
			most = max(most, int(k)+1)
		}
	}
	return most
}

// Vertices returns the number of vertices.
func (f *TreeFeatures) Vertices() int {
	if len(f.Blocks) == 0 {
		return 0
	}
	return f.Blocks[0].Vectors.Shape()[1]
}

// Walked returns the rows of subsets from which searches make walks, ascending, and the most steps of them.
func (l *Level) Walked() (rows []int, steps int) {
	for _, s := range l.Searches {
		if s.Steps == 0 {
			continue
		}
		steps = max(steps, s.Steps)
		rows = insert(rows, int(s.Subset/2))
	}
	return rows, steps
}

// insert puts x into an ascending list unless it is there.
func insert(list []int, x int) []int {
	at := len(list)
	for at > 0 && list[at-1] >= x {
		at--
	}
	if at < len(list) && list[at] == x {
		return list
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = x
	return list
}
