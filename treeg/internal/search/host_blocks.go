package search

import (
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

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

// scanSources searches the features of a block themselves where few examples have one: a column has entries for those
// alone. With a cut, examples that are not on the wanted side of it have none.
func (w *worker) scanSources(
	best *candidate, n *node, block int, k walks.Kind, cut *walks.Cut, want uint8, pointer int,
) {
	s, c := &w.sides[0], &w.column
	for feature := block * walks.Lanes; feature < min((block+1)*walks.Lanes, w.d.Input.Features()); feature++ {
		if !n.sees(feature, 0) {
			continue
		}
		s.reset(0)
		values := w.values[:0]
		w.d.EachSource(feature, n.Examples, func(i int, value float64) {
			if cut == nil || cut.Side[n.Examples[i]] == want {
				s.take(n, i)
				values = append(values, value)
			}
		})
		w.values = values
		if len(values) == 0 {
			continue
		}
		c.Values, c.Of, c.Size, c.Sampled, c.Empty = values, &s.sample, len(n.Examples), s.sampled, splits.Statistic{}
		c.Zero.Reset()
		c.Zero.Plus(&n.total)
		c.Zero.Minus(&s.entries)
		w.try(best, n, w.split(k, feature, walks.NoAggregation, pointer))
	}
}

// wholeBlock searches the features of a block along walks from all vertices.
func (w *worker) wholeBlock(block int, n *node) candidate {
	var best candidate
	w.lanes.Size(len(n.Examples))
	for _, k := range n.wholeKinds {
		if k.Length == 0 && w.d.FewSources(block, len(n.Examples)) {
			w.scanSources(&best, n, block, k, nil, 0, 0)
			continue
		}
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
			case !n.partedBy(t.of, k.Up):
				continue
			case k.Length == 0 && w.d.FewSources(t.feature, len(n.Examples)):
				w.scanSources(&t.best[i], n, t.feature, k, t.cut, sideOf(k.Up), n.depth-t.of.depth)
				continue
			default:
				w.lanes.FillWhole(&w.dense, &n.Placed, t.feature, k, t.cut, sideOf(k.Up), n.sees)
			}
			w.scanLanes(&t.best[i], n, t.feature, k, n.depth-t.of.depth)
		}
	}
}
