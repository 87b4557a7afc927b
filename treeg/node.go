package treeg

import "slices"

// node is a node of a tree that grows.
type node struct {
	parent   *node
	depth    int
	examples []int32 // ascending: graphs, or vertices
	graphs   []int32 // of the examples, ascending
	starts   []int32 // at vertex level: the examples of graphs[i] are examples[starts[i]:starts[i+1]]

	walks    [numWalks]bool // that may be used
	alone    bool           // only with all vertices
	features [][]bool       // those that may be used, by length of walks or for all lengths; nil: all
	undrawn  [][]int        // those that may be used where features yield no split
	mixed    bool           // targets differ
	seed     uint64         // of the thresholds that it draws

	local      sample    // of the examples; numbers are centred
	total      statistic // of local
	leastGain  float64   // that counts as a gain
	wholeKinds []kind    // of features of all vertices
	cutKinds   []kind    // of features of subsets
	best       candidate // split found for it; gain 0 where there is none

	rule     rule // of a node that was split
	cut      *cut
	children [2]*node // LTE, GT
	waiting  bool     // to be split
	users    int      // nodes below that may use the cut
	id       int32    // in the finished tree
}

// ancestor returns the node so many levels up.
func (n *node) ancestor(distance int) *node {
	for range distance {
		n = n.parent
	}
	return n
}

// place fills graphs and starts in.
func (n *node) place(d *Data) {
	if d.input.Level == Graphs {
		n.graphs = n.examples
		return
	}
	n.graphs, n.starts = n.graphs[:0], n.starts[:0]
	for i, v := range n.examples {
		if g := d.graphOf[v]; i == 0 || g != n.graphs[len(n.graphs)-1] {
			n.graphs = append(n.graphs, g)
			n.starts = append(n.starts, int32(i))
		}
	}
	n.starts = append(n.starts, int32(len(n.examples)))
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
	Split
	gain float64
}

// beats reports whether c is chosen over other.
func (c *candidate) beats(other *candidate) bool {
	return c.gain > other.gain || c.gain == other.gain && c.gain > 0 && c.before(&other.Split)
}
