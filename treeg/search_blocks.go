package treeg

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
	w.ofVertices(n)
	for lane, useful := range w.lanes.useful {
		if feature := block*lanes + lane; useful && feature < len(w.d.kept) && n.sees(feature, k.length) {
			w.column.values = w.lanes.values[lane]
			w.try(best, n, w.split(k, feature, NoAggregation, pointer))
		}
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

// wholeBlock searches the features of a block along walks from all vertices.
func (w *worker) wholeBlock(block int, n *node) candidate {
	var best candidate
	w.lanes.size(len(n.examples))
	for _, k := range n.wholeKinds {
		w.fillWhole(n, block, k, nil, 0)
		w.scanLanes(&best, n, block, k, 0)
	}
	return best
}

// cutBlock searches the features of a block along walks from both subsets of a cut, for all nodes that may use them.
func (w *worker) cutBlock(t *unit) {
	if length := longestSource(t.nodes); length > 0 {
		t.plan.once.Do(func() {
			t.plan.make(w.d, t.cut, t.nodes, length, &w.marks)
			t.plan.part(w.d, t.cut)
		})
		w.blocks.walk(t.cut, t.feature, length, t.plan)
	}
	for i, n := range t.nodes {
		w.lanes.size(len(n.examples))
		for _, k := range n.cutKinds {
			switch {
			case k.length > 0 && k.walk == Source:
				w.blocks.fill(&w.lanes.values, k, t.feature, n.examples, &w.lanes.useful)
			case n.partedBy(t.cut, k.up):
				w.fillWhole(n, t.feature, k, t.cut, sideOf(k.up))
			default:
				continue
			}
			w.scanLanes(&t.best[i], n, t.feature, k, n.depth-t.cut.of.depth)
		}
	}
}
