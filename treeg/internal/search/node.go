package search

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// node is a node of a tree that grows.
type node struct {
	walks.Placed // its examples, on the host
	parent       *node
	depth        int

	walks    [walks.NumWalks]bool // that may be used
	alone    bool                 // only with all vertices
	features [][]bool             // those that may be used, by length of walks or for all lengths; nil: all
	undrawn  [][]int              // those that may be used where features yield no split
	mixed    bool                 // targets differ
	seed     uint64               // of the thresholds that it draws

	local      splits.Sample    // of the examples; numbers are centred
	centre     float64          // of the numbers
	total      splits.Statistic // of local
	leastGain  float64          // that counts as a gain
	wholeKinds []walks.Kind     // of features of all vertices
	cutKinds   []walks.Kind     // of features of subsets
	best       candidate        // split found for it; gain 0 where there is none

	sums  engine.NodeSums    // of its examples, which the engine has from
	from  int                // on in their order
	row   int                // where the engine keeps the subsets of the split, -1 where it does not
	found *engine.FoundSplit // by the engine, until the node is split

	rule     walks.Rule // of a node that was split
	cut      *walks.Cut // of a node that was split on the host
	children [2]*node   // LTE, GT
	waiting  bool       // to be split
	users    int        // nodes below that may use the cut
	id       int32      // in the finished tree
}

// count returns the number of its examples.
func (n *node) count() int { return max(len(n.Examples), n.sums.Count) }

// ancestor returns the node so many levels up.
func (n *node) ancestor(distance int) *node {
	for range distance {
		n = n.parent
	}
	return n
}

// sees reports whether a node may use a feature along walks of a length.
func (n *node) sees(feature, length int) bool {
	return n.features == nil || n.features[min(length, len(n.features)-1)][feature]
}

// seesAny reports whether a node may use a feature along walks of some length.
func (n *node) seesAny(feature int) bool {
	return n.features == nil || slices.ContainsFunc(n.features, func(drawn []bool) bool { return drawn[feature] })
}

// candidate is a split with what it gains.
type candidate struct {
	walks.Split
	gain float64
}

// beats reports whether c is chosen over other.
func (c *candidate) beats(other *candidate) bool {
	return c.gain > other.gain || c.gain == other.gain && c.gain > 0 && c.Before(&other.Split)
}
