package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Stored are graphs that stay where they are: blocks of them are made ready when a pass comes by, and some when who
// leads wants to look at them, all of them told what is known of all graphs ([walks.Known]). Block must be safe for
// concurrent use.
type Stored struct {
	Empty *walks.Data // of none of the graphs
	First []int       // graph that each block begins with
	Few   int         // examples of a node up to which who leads reads their graphs

	Block func(ctx context.Context, block int) (*walks.Data, error)
	Some  func(ctx context.Context, graphs []int32) (*walks.Data, error)
	Kept  func(block int) bool // whether a block that was made ready is still there when it is asked for again
}

// StoredGrower is a [Grower] for graphs that stay where they are, at graph level, whose trees are not randomised.
type StoredGrower struct {
	Grower
	on *storedSearcher
}

// NewStoredGrower prepares for growing trees one after another on some goroutines.
func NewStoredGrower(st *Stored, opt *Options, workers int) *StoredGrower {
	t := &growth{d: st.Empty, opt: opt, workers: workers, known: map[drawnWalks][]walks.Kind{}}
	on := &storedSearcher{
		growth: t, stored: st, blocks: make([]*piece, len(st.First)), plan: &hostSearcher{growth: t, every: true},
	}
	return &StoredGrower{Grower{growth: t, searcher: on}, on}
}

// In says who goes over the graphs while the next tree grows, and what its passes are called.
func (g *StoredGrower) In(by *rounds.Rounds, tree string) {
	g.on.by, g.on.tree, g.on.step = by, tree, 0
}

// storedSearcher searches on graphs that stay where they are. Examples and targets are in memory. Two passes over the
// blocks serve a search: one sends the examples of the nodes that are split to their children, the other gathers what
// is known of every column of the children; columns whose cells tell too little take a third one. Nodes of few examples
// are searched and split by who leads, who reads their graphs.
type storedSearcher struct {
	*growth
	stored *Stored
	by     *rounds.Rounds
	tree   string // in the names of its passes
	step   int    // of it

	plan   *hostSearcher // lists what is searched, and searches nothing
	blocks []*piece      // those that are kept
	homes  []home        // of the nodes of few examples that were looked at last
}

// home is a node with the graphs of its examples.
type home struct {
	of *node
	*piece
}

// homes is the number of nodes whose graphs are there at a time.
const homes = 4

// few reports whether a node is searched by who leads: all are where thresholds are exact.
func (s *storedSearcher) few(n *node) bool {
	return len(n.Examples) <= s.stored.Few || !engine.Histogrammed(len(n.Examples), s.bins())
}

// apart returns the nodes of few examples, and the others.
func (s *storedSearcher) apart(nodes []*node) (some, many []*node) {
	for _, n := range nodes {
		if s.few(n) {
			some = append(some, n)
		} else {
			many = append(many, n)
		}
	}
	return some, many
}

// plant implements [Searcher].
func (s *storedSearcher) plant(root *node) error {
	root.Examples = s.examples
	clear(s.blocks)
	s.homes = nil
	return nil
}

// partition implements [Searcher].
func (s *storedSearcher) partition(ctx context.Context, nodes []*node) error {
	s.step++
	some, many := s.apart(nodes)
	if len(some) > 0 {
		sides, err := rounds.Keep(s.by, func() ([][]bool, error) {
			sides := make([][]bool, len(some))
			for i, n := range some {
				p, err := s.homeOf(ctx, n)
				if err != nil {
					return nil, err
				}
				sides[i] = p.sidesOf(n)
			}
			return sides, nil
		})
		if err != nil {
			return err
		}
		for i, n := range some {
			n.hand(sides[i])
		}
	}
	if len(many) == 0 {
		return nil
	}
	sides, err := rounds.Collect(ctx, s.by, pass(s, fmt.Sprintf("split %d", s.step), func(p *piece) [][]bool {
		sides := make([][]bool, len(many))
		for i, n := range many {
			sides[i] = p.sidesOf(n)
		}
		return sides
	}), make([][]bool, len(many)), func(all *[][]bool, of [][]bool) error {
		for i := range of {
			(*all)[i] = append((*all)[i], of[i]...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, n := range many {
		n.hand(sides[i])
	}
	return nil
}

// release implements [Searcher].
func (s *storedSearcher) release(n *node) {
	for _, p := range s.blocks {
		if p != nil && p.own[n] != nil {
			p.release(p.own[n])
		}
	}
}

// pass goes over the blocks as pieces.
func pass[P any](s *storedSearcher, name string, compute func(p *piece) P) rounds.Pass[P] {
	return rounds.Pass[P]{
		Name: s.tree + ", " + name, First: s.stored.First, Workers: s.workers,
		Compute: func(ctx context.Context, block int) (of P, err error) {
			p := s.blocks[block]
			if p == nil {
				d, err := s.stored.Block(ctx, block)
				if err != nil {
					return of, err
				}
				graphs := make([]int32, d.Batch.NumGraphs())
				for i := range graphs {
					graphs[i] = int32(s.stored.First[block] + i)
				}
				p = s.newPiece(d, graphs, 1)
				if s.stored.Kept(block) {
					s.blocks[block] = p
				}
			}
			return compute(p), nil
		},
	}
}

// homeOf returns the graphs of a node of few examples, or those of the first one above it that has few.
func (s *storedSearcher) homeOf(ctx context.Context, n *node) (*piece, error) {
	for n.parent != nil && s.few(n.parent) {
		n = n.parent
	}
	if at := slices.IndexFunc(s.homes, func(h home) bool { return h.of == n }); at >= 0 {
		return s.homes[at].piece, nil
	}
	d, err := s.stored.Some(ctx, n.Examples)
	if err != nil {
		return nil, err
	}
	if len(s.homes) == homes {
		s.homes = s.homes[1:]
	}
	s.homes = append(s.homes, home{n, s.newPiece(d, n.Examples, s.workers)})
	return s.homes[len(s.homes)-1].piece, nil
}
