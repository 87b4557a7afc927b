package search

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// deviceSearcher searches by an engine on which the tree grows: a search sends the list of what is tried and brings the
// chosen splits back, with what is known of the children. The host has no copy of which examples are where.
type deviceSearcher struct {
	*growth
	resident *Resident
	tree     engine.Growth

	// Subsets are kept in rows. At graph level, where nodes of one depth have different graphs, one row serves them
	// all. Else a split has a row of its own until nobody can use it any more.
	rows int
	free []int
}

func (s *deviceSearcher) search(ctx context.Context, nodes []*node) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	level, tried := s.level(nodes)
	found, err := s.tree.Split(level)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		f := &found[i]
		if f.Gain <= n.leastGain {
			s.release(n)
			continue
		}
		split := tried[f.Search]
		split.Feature = f.Feature
		if s.d.Input.Level == walks.Graphs {
			split.Aggregation = s.aggregations()[f.Aggregation]
		}
		split.Threshold, split.MissingAbove = positive(f.Threshold), f.MissingAbove
		n.best, n.found = candidate{split, f.Gain}, f
	}
	return nil
}

// plant implements [Searcher].
func (s *deviceSearcher) plant(root *node) (err error) {
	if s.tree == nil {
		if s.tree, err = s.resident.grow(s.d, s.features()); err != nil {
			return err
		}
	}
	t := s.targets
	s.rows, s.free = 0, nil
	if t.Plant != nil {
		root.sums, err = t.Plant(s.tree, s.bins())
		return err
	}
	e := &engine.TreeExamples{Examples: s.examples, Bins: s.bins()}
	for _, i := range s.examples {
		e.Weights = append(e.Weights, t.Weight[i])
		if t.Class != nil {
			e.Classes = append(e.Classes, t.Class[i])
		} else {
			e.Values = append(e.Values, t.Values[i])
		}
	}
	root.sums, err = s.tree.Plant(e)
	return err
}

// ready implements [Searcher].
func (s *deviceSearcher) ready(n *node) bool {
	if n.mixed = n.sums.Mixed; !n.mixed {
		return false
	}
	impurity := n.sums.Weight
	if s.targets.Criterion == splits.Variance {
		impurity = n.sums.Impurity
	}
	s.open(n, impurity)
	return true
}

// features says what all trees have in common.
func (s *deviceSearcher) features() *engine.TreeFeatures {
	f := &engine.TreeFeatures{
		Length: s.d.Length, Impurity: impurity(s.targets.Criterion), MinLeaf: float64(s.opt.MinLeaf),
	}
	if f.Impurity != engine.Variance {
		f.Number = s.targets.Width
	}
	if s.d.Input.Level == walks.Graphs {
		f.Offsets = s.d.Batch.Offsets
		for _, a := range s.aggregations() {
			f.Aggregations = append(f.Aggregations, engine.Aggregation(a-walks.Sum))
		}
	}
	if s.opt.Randomised {
		f.Draws = s.draws()
	}
	return f
}

// draws tells the streams of all aggregations and features.
func (s *deviceSearcher) draws() *engine.Draws {
	d := &engine.Draws{}
	for k := range s.d.Input.Features() {
		d.Features = append(d.Features, stream(&walks.Split{Feature: k}))
	}
	if s.d.Input.Level == walks.Vertices {
		d.Aggregations = []uint64{0}
	} else {
		for _, a := range s.aggregations() {
			d.Aggregations = append(d.Aggregations, stream(&walks.Split{Aggregation: a}))
		}
	}
	return d
}

// aggregations returns those that may be used, ascending.
func (s *deviceSearcher) aggregations() []walks.Aggregation {
	return slices.Sorted(slices.Values(s.opt.Aggregations))
}

// impurity returns the name that the engine has for c.
func impurity(c splits.Criterion) engine.Impurity {
	switch c {
	case splits.Gini:
		return engine.Gini
	case splits.Entropy:
		return engine.Entropy
	}
	return engine.Variance
}

// level describes a search of some nodes, and returns for every search the split that it looks for, but for feature,
// aggregation and threshold.
func (s *deviceSearcher) level(nodes []*node) (*engine.Level, []walks.Split) {
	l := &engine.Level{}
	var tried []walks.Split
	for i, n := range nodes {
		l.Nodes = append(l.Nodes, engine.LevelNode{
			From: n.from, To: n.from + n.sums.Count, Depth: n.depth, Centre: n.sums.Centre, Row: s.hold(n), Seed: n.seed,
		})
		masks := len(l.Masks)
		l.Masks = append(l.Masks, n.features...)
		for _, q := range s.queries(n) {
			q.Node, q.Stream = int32(i), stream(&q.split)
			if n.features != nil {
				q.Mask = int32(masks + min(q.split.Length, len(n.features)-1))
			}
			l.Searches, tried = append(l.Searches, q.LevelSearch), append(tried, q.split)
		}
	}
	return l, tried
}

// hold returns a row for the subsets that the best split of a node generates, -1 where nobody can use them.
func (s *deviceSearcher) hold(n *node) int {
	n.row = -1
	switch {
	case s.opt.MaxDistance == 0 || !s.growsBelow(n):
	case s.d.Input.Level == walks.Graphs:
		n.row = n.depth
	case len(s.free) > 0:
		n.row, s.free = s.free[len(s.free)-1], s.free[:len(s.free)-1]
	default:
		n.row = s.rows
		s.rows++
	}
	return n.row
}

// release implements [Searcher].
func (s *deviceSearcher) release(n *node) {
	if n.row >= 0 && s.d.Input.Level == walks.Vertices {
		s.free = append(s.free, n.row)
	}
	n.row = -1
}

// partition implements [Searcher]: the engine has ordered the examples and cut the subsets already.
func (s *deviceSearcher) partition(_ context.Context, nodes []*node) error {
	for _, n := range nodes {
		lte, gt := n.children[0], n.children[1]
		lte.sums, gt.sums = n.found.Below, n.found.Above
		lte.from, gt.from = n.from, n.from+lte.sums.Count
		n.found = nil
	}
	return nil
}
