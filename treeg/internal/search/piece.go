package search

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// piece is some of the graphs that a tree is fitted to, searched on the host. It has nodes of its own that mirror those
// of the tree, with the examples that are here.
type piece struct {
	*hostSearcher
	own map[*node]*node // by the node of the tree
}

// newPiece returns the piece of some of all graphs, ascending.
func (s *storedSearcher) newPiece(d *walks.Data, graphs []int32, workers int) *piece {
	all := s.targets
	t := &Targets{Shift: all.Shift, Examples: all.Examples, Width: all.Width, Criterion: all.Criterion}
	var here []int32
	for i, g := range graphs {
		if all.Weight[g] > 0 {
			here = append(here, int32(i))
		}
		t.Take(&all.Sample, int(g))
	}
	on := &growth{d: d, opt: s.opt, workers: workers, targets: t, examples: here, known: map[drawnWalks][]walks.Kind{}}
	return &piece{on.onHost(false), map[*node]*node{}}
}

// of returns the node that mirrors one of the tree.
func (p *piece) of(n *node) *node {
	if own := p.own[n]; own != nil {
		return own
	}
	if n.parent != nil {
		p.split(n.parent)
		return p.own[n]
	}
	root := &node{row: -1}
	root.Examples = p.examples
	p.own[n] = root
	return root
}

// split splits the node that mirrors one of the tree as that is split, and returns it.
func (p *piece) split(n *node) *node {
	own := p.of(n)
	if own.children[0] == nil {
		own.rule = n.rule
		for i, c := range n.children {
			own.children[i] = &node{parent: own, depth: own.depth + 1, row: -1}
			p.own[c] = own.children[i]
		}
		own.Place(p.d)
		p.divide(own)
	}
	return own
}

// sidesOf tells which examples of a node, of those here, go to the GT child.
func (p *piece) sidesOf(n *node) []bool {
	own := p.split(n)
	sides, above := make([]bool, len(own.Examples)), own.children[1].Examples
	for i, e := range own.Examples {
		_, sides[i] = slices.BinarySearch(above, e)
	}
	return sides
}

// look calls take with every column that a node tries, in the order of [hostSearcher.tried], with the examples that are
// here, and what may scan it.
func (p *piece) look(n *node, take func(s *splits.Scanner, c *splits.Column)) {
	own := p.of(n)
	own.features, own.wholeKinds, own.cutKinds = n.features, n.wholeKinds, n.cutKinds
	p.takeUp(own)
	if p.targets.Target != nil {
		own.centreBy(n.centre)
	}
	p.every, p.busy = true, 0
	p.list([]*node{own})
	w := p.worker()
	w.take = func(c *splits.Column) { take(w.scanner, c) }
	for i := range p.units {
		w.work(&p.units[i])
	}
	own.local = splits.Sample{}
}

// searchAlone returns the best split of a node whose examples are all here.
func (p *piece) searchAlone(ctx context.Context, n *node) (candidate, error) {
	own := p.of(n)
	own.walks, own.alone, own.features, own.best = n.walks, n.alone, n.features, candidate{}
	if !p.ready(own) {
		return candidate{}, nil
	}
	err := p.search(ctx, []*node{own})
	own.local = splits.Sample{}
	return own.best, err
}

// tried lists the splits that a node tries, without their thresholds, where features that no graph has are listed too.
func (s *hostSearcher) tried(n *node) (all []walks.Split) {
	s.list([]*node{n})
	for _, u := range s.units {
		kinds, pointer := n.wholeKinds, 0
		if u.of != nil {
			kinds, pointer = n.cutKinds, n.depth-u.of.depth
		}
		for _, k := range kinds {
			for _, a := range s.opt.Aggregations {
				if n.sees(u.feature, k.Length) {
					all = append(all, s.split(k, u.feature, a, pointer))
				}
			}
		}
	}
	return all
}
