package search

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// ofVertices prepares the column for the vertices of a node.
func (w *worker) ofVertices(n *node) {
	c := &w.column
	c.Of, c.Size, c.Sampled = &n.local, len(n.Examples), c.Sampled[:0]
	for i := 0; i < c.Size; i += engine.SampleStride(c.Size) {
		c.Sampled = append(c.Sampled, int32(i))
	}
	c.Zero.Reset()
	c.Empty = splits.Statistic{}
}

// wholeVertices searches one feature along walks from all vertices.
func (w *worker) wholeVertices(feature int, n *node) candidate {
	var best candidate
	w.ofVertices(n)
	w.column.Values = w.size(n)
	for _, k := range n.wholeKinds {
		if n.sees(feature, k.Length) && w.dense.Entries(w.column.Values, &n.Placed, feature, k, nil, 0) {
			w.try(&best, n, w.split(k, feature, walks.NoAggregation, 0))
		}
	}
	return best
}

// cutVertices searches one feature along walks from both subsets of a cut, for all nodes that may use it.
func (w *worker) cutVertices(t *unit) {
	length := 0
	for _, n := range t.nodes {
		for _, k := range n.cutKinds {
			if k.Walk == walks.Source && n.sees(t.feature, k.Length) {
				length = max(length, k.Length)
			}
		}
	}
	if length > 0 {
		t.plan.Once.Do(func() { t.plan.Make(w.d, t.cut, ends(t.nodes), longestSource(t.nodes), &w.marks) })
		w.sparse.Walk(t.cut, t.feature, length, t.plan)
	}
	for i, n := range t.nodes {
		w.ofVertices(n)
		values := w.size(n)
		w.column.Values = values
		for _, k := range n.cutKinds {
			any := false
			switch {
			case !n.sees(t.feature, k.Length):
			case k.Length > 0 && k.Walk == walks.Source:
				any = w.sparse.Fill(values, k, n.Examples)
			case n.partedBy(t.of, k.Up):
				any = w.dense.Entries(values, &n.Placed, t.feature, k, t.cut, sideOf(k.Up))
			}
			if any {
				w.try(&t.best[i], n, w.split(k, t.feature, walks.NoAggregation, n.depth-t.of.depth))
			}
		}
	}
}

// size makes space for a value of every example of a node.
func (w *worker) size(n *node) []float64 {
	w.values = slices.Grow(w.values[:0], len(n.Examples))[:len(n.Examples)]
	return w.values
}

// ends lists the examples of nodes.
func ends(nodes []*node) (lists [][]int32) {
	for _, n := range nodes {
		lists = append(lists, n.Examples)
	}
	return lists
}

// longestSource returns the length of the longest source walks from subsets that some nodes use.
func longestSource(nodes []*node) (length int) {
	for _, n := range nodes {
		for _, k := range n.cutKinds {
			if k.Walk == walks.Source {
				length = max(length, k.Length)
			}
		}
	}
	return length
}

// partedBy reports whether walks without a step to other vertices tell examples of a node apart by the side of an
// ancestor's cut on which they are. Where all are on one side, or on none, features are those of all vertices, or
// zeros.
func (n *node) partedBy(a *node, up bool) bool { return a.rule.Pointer > 0 && up == n.isAbove(a) }

// sideOf returns the side of a cut.
func sideOf(up bool) uint8 {
	if up {
		return walks.Above
	}
	return walks.Below
}

// isAbove reports whether a node is below the GT child of an ancestor.
func (n *node) isAbove(a *node) bool {
	for n.parent != a {
		n = n.parent
	}
	return n == a.children[1]
}
