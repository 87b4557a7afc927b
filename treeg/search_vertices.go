package treeg

import (
	"slices"

	"github.com/grove-graph/grove/engine"
)

// ofVertices prepares the column for the vertices of a node.
func (w *worker) ofVertices(n *node) {
	c := &w.column
	c.of, c.size, c.sampled = &n.local, len(n.examples), c.sampled[:0]
	for i := 0; i < c.size; i += engine.SampleStride(c.size) {
		c.sampled = append(c.sampled, int32(i))
	}
	c.zero.reset()
	c.empty = statistic{}
}

// wholeVertices searches one feature along walks from all vertices.
func (w *worker) wholeVertices(feature int, n *node) candidate {
	var best candidate
	w.ofVertices(n)
	w.column.values = w.size(n)
	for _, k := range n.wholeKinds {
		if n.sees(feature, k.length) && w.fillLane(w.column.values, n, feature, k, nil, 0) {
			w.try(&best, n, w.split(k, feature, NoAggregation, 0))
		}
	}
	return best
}

// cutVertices searches one feature along walks from both subsets of a cut, for all nodes that may use it.
func (w *worker) cutVertices(t *unit) {
	length := 0
	for _, n := range t.nodes {
		for _, k := range n.cutKinds {
			if k.walk == Source && n.sees(t.feature, k.length) {
				length = max(length, k.length)
			}
		}
	}
	if length > 0 {
		t.plan.once.Do(func() { t.plan.make(w.d, t.cut, t.nodes, longestSource(t.nodes), &w.marks) })
		w.sparse.walk(t.cut, t.feature, length, t.plan)
	}
	for i, n := range t.nodes {
		w.ofVertices(n)
		values := w.size(n)
		w.column.values = values
		for _, k := range n.cutKinds {
			any := false
			switch {
			case !n.sees(t.feature, k.length):
			case k.length > 0 && k.walk == Source:
				any = w.sparse.fill(values, k, n.examples)
			case n.partedBy(t.cut, k.up):
				any = w.fillLane(values, n, t.feature, k, t.cut, sideOf(k.up))
			}
			if any {
				w.try(&t.best[i], n, w.split(k, t.feature, NoAggregation, n.depth-t.cut.of.depth))
			}
		}
	}
}

// size makes room for a value of every example of a node.
func (w *worker) size(n *node) []float64 {
	w.values = slices.Grow(w.values[:0], len(n.examples))[:len(n.examples)]
	return w.values
}

// longestSource returns the length of the longest source walks from subsets that some nodes use.
func longestSource(nodes []*node) (length int) {
	for _, n := range nodes {
		for _, k := range n.cutKinds {
			if k.walk == Source {
				length = max(length, k.length)
			}
		}
	}
	return length
}

// fillLane writes a feature along walks from all vertices, or closed walks, at the examples of a node. With a cut,
// examples that are not on the wanted side of it get 0. It reports whether some values are not 0.
func (w *worker) fillLane(out []float64, n *node, feature int, k kind, c *cut, want uint8) (any bool) {
	for i, g := range n.graphs {
		part := out[n.starts[i]:n.starts[i+1]]
		examples := n.examples[n.starts[i]:n.starts[i+1]]
		st := w.d.strand(feature, g)
		if st == nil {
			clear(part)
			continue
		}
		v := w.vectorOf(feature, st, k, examples)
		for i, j := range examples {
			x := v[j-st.first]
			if c != nil && c.side[j] != want {
				x = 0
			}
			part[i] = x
			any = any || x != 0
		}
	}
	return any
}

// vectorOf returns the vector of a kind with all vertices as sources, of cycles at the examples only.
func (w *worker) vectorOf(feature int, st *strand, k kind, examples []int32) []float64 {
	switch {
	case k.length == 0:
		return st.vector(w.d.values)
	case k.walk == Cycle:
		return w.spread.cycle(feature, st, k.op, k.length, examples)
	}
	return st.vector(w.d.walks[k.op][k.length-1])
}

// partedBy reports whether walks without a step to other vertices tell examples of a node apart by the side of a cut on
// which they are. Where all are on one side, or on none, features are those of all vertices, or zeros.
func (n *node) partedBy(c *cut, up bool) bool { return !c.whole && up == n.isAbove(c.of) }

// sideOf returns the side of a cut.
func sideOf(up bool) uint8 {
	if up {
		return above
	}
	return below
}

// isAbove reports whether a node is below the GT child of an ancestor.
func (n *node) isAbove(a *node) bool {
	for n.parent != a {
		n = n.parent
	}
	return n == a.children[1]
}
