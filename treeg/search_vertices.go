package treeg

import "github.com/grove-graph/grove/engine"

// laneColumns holds the columns of a block of features on the examples of a node.
type laneColumns struct {
	values [lanes][]float64
	useful [lanes]bool // some values are not 0
}

// size makes room for the examples of a node.
func (c *laneColumns) size(n int) {
	for lane := range c.values {
		if cap(c.values[lane]) < n {
			c.values[lane] = make([]float64, n)
		}
		c.values[lane] = c.values[lane][:n]
	}
}

// scanLanes searches the columns of one kind.
func (w *worker) scanLanes(best *candidate, n *node, block int, k kind, pointer int) {
	c := &w.column
	c.of, c.size, c.sampled = &n.local, len(n.examples), c.sampled[:0]
	for i := 0; i < c.size; i += engine.SampleStride(c.size) {
		c.sampled = append(c.sampled, int32(i))
	}
	c.zero.reset()
	c.empty = statistic{}
	for lane, useful := range w.lanes.useful {
		feature := block*lanes + lane
		if !useful || feature >= len(w.d.kept) || !n.sees(feature, k.length) {
			continue
		}
		c.values = w.lanes.values[lane]
		w.try(best, n, w.split(k, feature, NoAggregation, pointer))
	}
}

// fillWhole writes features along walks from all vertices, or closed walks, at the examples of a node. With a cut,
// examples that are not on the wanted side of it get 0.
func (w *worker) fillWhole(n *node, block int, k kind, c *cut, want uint8) {
	d := w.d
	if k.length == 0 && !d.missingIn(block) {
		d.fillScaled(&w.lanes.values, block, nil, n.examples, c, want, &w.lanes.useful)
		return
	}
	if k.length > 0 && k.walk == Cycle && !d.weighted() && !d.missingIn(block) {
		d.fillScaled(&w.lanes.values, block, d.diagonal[k.op][k.length-1], n.examples, c, want, &w.lanes.useful)
		return
	}
	for lane := range w.lanes.values {
		w.lanes.useful[lane] = false
		if feature := block*lanes + lane; feature < len(d.kept) && n.sees(feature, k.length) {
			w.lanes.useful[lane] = w.fillLane(w.lanes.values[lane], n, feature, k, c, want)
		}
	}
}

// missingIn reports whether values of a block are missing.
func (d *Data) missingIn(block int) bool {
	for _, k := range d.kept[block*lanes : min((block+1)*lanes, len(d.kept))] {
		if k.missing {
			return true
		}
	}
	return false
}

// fillLane is fillWhole for one feature. It reports whether some values are not 0.
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

// wholeVertices searches the features of a block along walks from all vertices.
func (w *worker) wholeVertices(block int, n *node) candidate {
	var best candidate
	w.lanes.size(len(n.examples))
	for _, k := range n.wholeKinds {
		if !n.seesBlock(block, k.length) {
			continue
		}
		w.fillWhole(n, block, k, nil, 0)
		w.scanLanes(&best, n, block, k, 0)
	}
	return best
}

// cutVertices searches the features of a block along walks from both subsets of a cut, for all nodes that may use them.
func (w *worker) cutVertices(t *unit) {
	length, longest := 0, 0 // of walks of this block, and of any
	for _, n := range t.nodes {
		for _, k := range n.cutKinds {
			if k.walk != Source {
				continue
			}
			longest = max(longest, k.length)
			if n.seesBlock(t.feature, k.length) {
				length = max(length, k.length)
			}
		}
	}
	if length > 0 {
		t.plan.once.Do(func() { t.plan.make(w.d, t.cut, t.nodes, longest, &w.blocks.marks) })
		w.blocks.walk(t.cut, t.feature, length, t.plan)
	}
	for i, n := range t.nodes {
		w.lanes.size(len(n.examples))
		up := n.isAbove(t.cut.of)
		for _, k := range n.cutKinds {
			switch {
			case !n.seesBlock(t.feature, k.length):
				continue
			case k.length > 0 && k.walk == Source:
				w.blocks.fill(&w.lanes.values, k, t.feature, n.examples, &w.lanes.useful)
			case t.cut.whole || k.up != up:
				// All examples of the node are on one side of the cut or on none: without a step to other vertices
				// its features are those of all vertices, or zeros.
				continue
			default:
				side := below
				if up {
					side = above
				}
				w.fillWhole(n, t.feature, k, t.cut, side)
			}
			w.scanLanes(&t.best[i], n, t.feature, k, n.depth-t.cut.of.depth)
		}
	}
}

// isAbove reports whether a node is below the GT child of an ancestor.
func (n *node) isAbove(a *node) bool {
	for n.parent != a {
		n = n.parent
	}
	return n == a.children[1]
}
