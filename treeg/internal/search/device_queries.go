package search

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// query is one search of a node with the split that it looks for, but for feature, aggregation and threshold.
type query struct {
	engine.Search
	split  walks.Split
	walked walks.Kind // unless its length is 0, the vector is of walks from a subset
}

// queries lists what the nodes try, for each in the order in which equal splits are chosen: with vectors that all trees
// share, and with walks from subsets.
func (e *engineSearch) queries() (shared, walked []query) {
	for i, n := range e.nodes {
		var all []query
		for _, k := range n.wholeKinds {
			all = append(all, e.query(int32(i), k, 0, -1))
		}
		if len(n.cutKinds) > 0 {
			for distance := 1; distance <= min(e.opt.MaxDistance, n.depth); distance++ {
				row := e.rowOf[n.ancestor(distance).cut]
				for _, k := range n.cutKinds {
					all = append(all, e.query(int32(i), k, distance, row))
				}
			}
		}
		slices.SortFunc(all, func(a, b query) int {
			if a.split.Before(&b.split) {
				return -1
			}
			return 1
		})
		for _, q := range all {
			if q.walked.Length > 0 {
				walked = append(walked, q)
			} else {
				shared = append(shared, q)
			}
		}
	}
	return shared, walked
}

// query returns the search for a kind of features with the subset of a row, or with all vertices.
func (e *engineSearch) query(node int32, k walks.Kind, pointer, row int) query {
	q := query{split: e.split(k, 0, walks.NoAggregation, pointer)}
	q.Search = engine.Search{Node: node, Subset: -1, Factor: -1, Over: engine.Within, Empty: e.opt.Empty.Value(k.Walk)}
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
		q.Factor = int32(e.d.Index(k.Op, k.Length))
	case pointer == 0 || k.Walk == walks.Target:
		q.Vector = int32(1 + e.d.Index(k.Op, k.Length))
	default:
		q.walked = k
		if k.Walk == walks.Source {
			q.Over = engine.Everywhere
		}
	}
	return q
}
