package treeg

import (
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Level says what has a target: whole graphs or vertices.
type Level = walks.Level

// The levels.
const (
	Graphs   = walks.Graphs
	Vertices = walks.Vertices
)

// Walk says which walks a split keeps, given the subset S that it uses (sections 3.2 and 3.5): the mask
// M_r(S) on A^d. At graph level source walks aggregate over all vertices, the others over those of S.
type Walk = walks.Walk

// The walk types. Vertices use only the first two.
const (
	Source       = walks.Source       // walks that start in S: columns of S
	Cycle        = walks.Cycle        // walks that start and end in the same vertex of S: diagonal entries of S
	Target       = walks.Target       // walks that end in S: rows of S
	TargetSource = walks.TargetSource // walks that start in S and end in S: rows and columns of S
)

// Aggregation says how the entries of a graph's vector become one number (section 3.5).
type Aggregation = walks.Aggregation

// The aggregations. A split of a vertex has none.
const (
	NoAggregation = walks.NoAggregation
	Sum           = walks.Sum
	Mean          = walks.Mean
	Min           = walks.Min
	Max           = walks.Max
)

// Empty says what a graph's value is where the subset is empty, which the paper leaves open.
type Empty = walks.Empty

// The conventions for an empty subset.
const (
	EmptyFormula  = walks.EmptyFormula  // 0 for source walks, as Eq. 1 gives; -1000 for the others
	EmptyZero     = walks.EmptyZero     // 0
	EmptySentinel = walks.EmptySentinel // -1000
)

// Arcs names the adjacency matrix that walks follow: that of the arcs of one Type (an entry of graph.Batch.ArcTypes) or
// of all of them ([AllArcs]), or its transpose, which walks Against the arcs (section 3.2, appendix C.1).
type Arcs = walks.Arcs

// AllArcs is the type in [Arcs] that stands for the arcs of every type together.
const AllArcs = walks.AllArcs

// Split is a split function with its threshold: Feature k along walks of Length d over Arcs, of type Walk, with the
// subset that the ancestor Pointer nodes up generated (0: all vertices; Above: those above its threshold), and an
// Aggregation for graphs. An example whose value is above Threshold goes to the GT child of the node, others to its LTE
// child (Eqs. 1 and 2), and a missing value to the GT child where MissingAbove.
type Split = walks.Split

// Input says what a model sees of a batch: the attributes of the vertices where there are any, else their
// labels one-hot, then the constant; along which arcs; and on which grids (see the package comment).
type Input = walks.Input

// Tree is a decision tree: Nodes, of which the first is the root and children come after their parents.
type Tree = predict.Tree

// Node is a node of a tree: a Split with its Gain in training and the children LTE and GT, or a leaf, where Split is
// nil, whose Value is a number or the share of every class. Weight is that of the training examples that reached it.
type Node = predict.Node
