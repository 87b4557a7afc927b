package search

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// query is one search of a node with the split that it looks for, but for feature, aggregation and threshold.
type query struct {
	engine.LevelSearch
	split walks.Split
}

// queries lists what a node tries in the order in which equal splits are chosen.
func (s *deviceSearcher) queries(n *node) []query {
	var all []query
	for _, k := range n.wholeKinds {
		all = append(all, s.query(k, 0, -1))
	}
	if len(n.cutKinds) > 0 {
		for distance := 1; distance <= min(s.opt.MaxDistance, n.depth); distance++ {
			a := n.ancestor(distance)
			for _, k := range n.cutKinds {
				if s.d.Input.Level == walks.Graphs || k.Length > 0 && k.Walk == walks.Source || n.partedBy(a, k.Up) {
					all = append(all, s.query(k, distance, a.row))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b query) int {
		if a.split.Before(&b.split) {
			return -1
		}
		return 1
	})
	return all
}

// query returns the search for a kind of features with the subset of a row, or with all vertices.
func (s *deviceSearcher) query(k walks.Kind, pointer, row int) query {
	q := query{split: s.split(k, 0, walks.NoAggregation, pointer)}
	q.Search = engine.Search{Subset: -1, Factor: -1, Over: engine.Within, Empty: s.opt.Empty.Value(k.Walk)}
	if pointer > 0 {
		q.Subset = int32(2 * row)
		if !k.Up {
			q.Subset++
		}
	}
	switch {
	case k.Length == 0:
		if k.Walk == walks.Source {
			q.Over = engine.ZeroBeyond
		}
	case k.Walk == walks.Cycle:
		q.Factor = int32(s.d.Index(k.Op, k.Length))
	case pointer == 0 || k.Walk == walks.Target:
		q.Vector = int32(1 + s.d.Index(k.Op, k.Length))
	default:
		q.Steps, q.Matrix = k.Length, k.Op
		if k.Walk == walks.Source {
			q.Over = engine.Everywhere
		}
	}
	return q
}
