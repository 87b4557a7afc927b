package mpgk

import "slices"

// hierarchy is a tree of clusters of points. Node 0 is the root; parents come before their children, and the children
// of a node stand together.
type hierarchy struct {
	parent []int32 // of every node, -1 for the root
	depth  []int32 // of every node, 0 for the root
}

func newHierarchy(parent []int32) *hierarchy {
	h := &hierarchy{parent: parent, depth: make([]int32, len(parent))}
	for r := 1; r < len(parent); r++ {
		h.depth[r] = h.depth[parent[r]] + 1
	}
	return h
}

// children returns the first child of every node and one past its last; they are equal for a leaf.
func (h *hierarchy) children() (first, past []int32) {
	first, past = make([]int32, len(h.parent)), make([]int32, len(h.parent))
	for r := len(h.parent) - 1; r > 0; r-- {
		p := h.parent[r]
		first[p] = int32(r)
		if past[p] == 0 {
			past[p] = int32(r) + 1
		}
	}
	return first, past
}

// omega returns the additive weights of the nodes.
func (h *hierarchy) omega(weights Weights) []float64 {
	omega := make([]float64, len(h.parent))
	deepest := float64(slices.Max(h.depth))
	first, past := h.children()
	for r := range omega {
		depth := float64(h.depth[r])
		switch {
		case weights == PublishedWeights && first[r] == past[r]:
			omega[r] = 1
		case weights == PublishedWeights:
			omega[r] = (depth + 1) / (deepest + 1)
		case r == 0:
			omega[r] = 1
		default:
			omega[r] = (depth - 1) / depth
		}
	}
	return omega
}

// visible returns, for every node, the lowest node on its way to the root that has a weight: a vertex there has the
// same weighted root path.
func (h *hierarchy) visible(omega []float64) []int32 {
	to := make([]int32, len(h.parent))
	for r := 1; r < len(to); r++ {
		to[r] = int32(r)
		if omega[r] == 0 {
			to[r] = to[h.parent[r]]
		}
	}
	return to
}

// tally counts the members of a set below the nodes of a hierarchy that have a weight.
type tally struct {
	parent  []int32
	omega   []float64
	count   []int32
	touched []int32
}

func newTally(h *hierarchy, omega []float64) *tally {
	return &tally{parent: h.parent, omega: omega, count: make([]int32, len(h.parent))}
}

// add counts a member at a node.
func (t *tally) add(node int32) {
	for r := node; r >= 0; r = t.parent[r] {
		if t.omega[r] == 0 {
			continue
		}
		if t.count[r] == 0 {
			t.touched = append(t.touched, r)
		}
		t.count[r]++
	}
}

// each calls visit for the nodes with members in ascending order, and empties the tally.
func (t *tally) each(visit func(node, count int32)) {
	slices.Sort(t.touched)
	for _, r := range t.touched {
		visit(r, t.count[r])
		t.count[r] = 0
	}
	t.touched = t.touched[:0]
}
