package search

import "github.com/grove-graph/grove/treeg/internal/walks"

// scanLanes searches the columns of one kind.
func (w *worker) scanLanes(best *candidate, n *node, block int, k walks.Kind, pointer int) {
	w.ofVertices(n)
	for lane, useful := range w.lanes.Useful {
		if feature := block*walks.Lanes + lane; useful && feature < w.d.Input.Features() && n.sees(feature, k.Length) {
			w.column.Values = w.lanes.Values[lane]
			w.try(best, n, w.split(k, feature, walks.NoAggregation, pointer))
		}
	}
}

// wholeBlock searches the features of a block along walks from all vertices.
func (w *worker) wholeBlock(block int, n *node) candidate {
	var best candidate
	w.lanes.Size(len(n.Examples))
	for _, k := range n.wholeKinds {
		w.lanes.FillWhole(&w.dense, &n.Placed, block, k, nil, 0, n.sees)
		w.scanLanes(&best, n, block, k, 0)
	}
	return best
}

// cutBlock searches the features of a block along walks from both subsets of a cut, for all nodes that may use them.
func (w *worker) cutBlock(t *unit) {
	if length := longestSource(t.nodes); length > 0 {
		t.plan.Once.Do(func() {
			t.plan.Make(w.d, t.cut, ends(t.nodes), length, &w.marks)
			t.plan.Divide(w.d, t.cut)
		})
		w.blocks.Walk(t.cut, t.feature, length, t.plan)
	}
	for i, n := range t.nodes {
		w.lanes.Size(len(n.Examples))
		for _, k := range n.cutKinds {
			switch {
			case k.Length > 0 && k.Walk == walks.Source:
				w.blocks.Fill(&w.lanes.Values, k, t.feature, n.Examples, &w.lanes.Useful)
			case n.partedBy(t.of, k.Up):
				w.lanes.FillWhole(&w.dense, &n.Placed, t.feature, k, t.cut, sideOf(k.Up), n.sees)
			default:
				continue
			}
			w.scanLanes(&t.best[i], n, t.feature, k, n.depth-t.of.depth)
		}
	}
}
