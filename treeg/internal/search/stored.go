package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/treeg/internal/splits"
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

// NewStoredGrower is [NewGrower] for graphs that stay where they are, at graph level, whose trees are not randomised.
func NewStoredGrower(st *Stored, opt *Options, workers int) *Grower {
	t := &growth{d: st.Empty, opt: opt, workers: workers, known: map[drawnWalks][]walks.Kind{}}
	return &Grower{growth: t, searcher: &storedSearcher{
		growth: t, stored: st, blocks: make([]*piece, len(st.First)),
		plan: &hostSearcher{growth: t, every: true},
	}}
}

// In says who goes over the graphs while the next tree of a stored grower grows, and what its passes are called.
func (g *Grower) In(by *rounds.Rounds, tree string) {
	s := g.searcher.(*storedSearcher)
	s.by, s.tree, s.step = by, tree, 0
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

// plant implements [Searcher].
func (s *storedSearcher) plant(root *node) error {
	root.Examples = s.examples
	clear(s.blocks)
	s.homes = nil
	return nil
}

// begun is what a search begins with.
type begun struct {
	Found []chosen       // for the nodes of few examples
	Even  []engine.Cells // for the columns of the others
}

// chosen is the best split of a node, of gain 0 where there is none.
type chosen struct {
	Split walks.Split
	Gain  float64
}

// search implements [Searcher].
func (s *storedSearcher) search(ctx context.Context, nodes []*node) error {
	if len(nodes) == 0 {
		return nil
	}
	s.step++
	var some, many []*node
	for _, n := range nodes {
		if s.few(n) {
			some = append(some, n)
		} else {
			many = append(many, n)
		}
	}
	begun, err := rounds.Keep(s.by, func() (begun, error) { return s.begin(ctx, some, many) })
	if err != nil {
		return err
	}
	for i, f := range begun.Found {
		some[i].best = candidate{f.Split, f.Gain}
	}
	if len(many) == 0 {
		return nil
	}
	q := &survey{nodes: many, even: begun.Even}
	for i, n := range many {
		for _, split := range s.plan.tried(n) {
			q.columns = append(q.columns, column{i, split})
		}
	}
	judged, err := s.ask(ctx, q)
	if err == nil && len(judged.Again) > 0 {
		q.even, q.again = make([]engine.Cells, len(q.even)), judged.Again
		judged, err = s.ask(ctx, q)
	}
	return err
}

// begin searches the nodes of few examples, and looks at a sample of the others.
func (s *storedSearcher) begin(ctx context.Context, some, many []*node) (b begun, err error) {
	for _, n := range some {
		p, err := s.homeOf(ctx, n)
		if err != nil {
			return b, err
		}
		best, err := p.searchAlone(ctx, n)
		if err != nil {
			return b, err
		}
		b.Found = append(b.Found, chosen{best.Split, best.gain})
	}
	var sample []float64
	for _, n := range many {
		var drawn []int32
		for i := 0; i < len(n.Examples); i += engine.SampleStride(len(n.Examples)) {
			drawn = append(drawn, n.Examples[i])
		}
		d, err := s.stored.Some(ctx, drawn)
		if err != nil {
			return b, err
		}
		s.newPiece(d, drawn, 1).look(n, func(_ *splits.Scanner, c *splits.Column) {
			sample = sample[:0]
			for _, v := range c.Values {
				if v != 0 && v != c.AtEmpty {
					sample = append(sample, v)
				}
			}
			even, _ := engine.SampleCells(sample, c.AtEmpty)
			b.Even = append(b.Even, even)
		})
	}
	return b, nil
}

// survey is a pass that gathers columns.
type survey struct {
	nodes   []*node
	columns []column
	even    []engine.Cells // of the columns
	again   []int          // those that are wanted, where it is not the first pass; nil: all
}

// column is a column of a node.
type column struct {
	node  int
	split walks.Split // without its threshold
}

// wants reports whether a column is gathered.
func (q *survey) wants(at int) bool {
	if q.again == nil {
		return true
	}
	_, found := slices.BinarySearch(q.again, at)
	return found
}

// judged is what the columns say.
type judged struct {
	Best  []chosen // for the nodes
	Again []int    // columns whose cells tell too little
}

// ask goes over the blocks, and gives the nodes the best splits of the columns.
func (s *storedSearcher) ask(ctx context.Context, q *survey) (judged, error) {
	name := fmt.Sprintf("search %d", s.step)
	if q.again != nil {
		name += " exactly"
	}
	scanner := splits.NewScanner(s.targets.Criterion, s.targets.Width, s.opt.MinLeaf, s.bins())
	said, err := rounds.Conclude(ctx, s.by, pass(s, name, func(p *piece) []splits.Gathered {
		all := make([]splits.Gathered, 0, len(q.columns))
		for _, n := range q.nodes {
			p.look(n, func(of *splits.Scanner, c *splits.Column) {
				var g splits.Gathered
				if at := len(all); q.wants(at) {
					g = of.Gather(c, &q.even[at])
				}
				all = append(all, g)
			})
		}
		return all
	}), func(a, b []splits.Gathered) []splits.Gathered {
		for at := range a {
			if q.wants(at) {
				a[at] = scanner.Join(&a[at], &b[at], &q.even[at])
			}
		}
		return a
	}, func(all []splits.Gathered) (judged, error) { return s.judge(scanner, q, all), nil })
	if err != nil {
		return said, err
	}
	for i, n := range q.nodes {
		if b := (candidate{said.Best[i].Split, said.Best[i].Gain}); b.gain > n.leastGain && b.beats(&n.best) {
			n.best = b
		}
	}
	return said, nil
}

// judge scans what is gathered of all examples.
func (s *storedSearcher) judge(scanner *splits.Scanner, q *survey, all []splits.Gathered) judged {
	said := judged{Best: make([]chosen, len(q.nodes))}
	for at, c := range q.columns {
		if !q.wants(at) {
			continue
		}
		t, told := scanner.ScanGathered(&all[at], &q.even[at], s.opt.Empty.Value(c.split.Walk), &q.nodes[c.node].total)
		if !told {
			said.Again = append(said.Again, at)
			continue
		}
		split, best := c.split, &said.Best[c.node]
		split.Threshold, split.MissingAbove = positive(t.Value), t.MissingAbove
		if one := (candidate{split, t.Gain}); t.Gain > 0 && one.beats(&candidate{best.Split, best.Gain}) {
			*best = chosen{split, t.Gain}
		}
	}
	return said
}

// partition implements [Searcher].
func (s *storedSearcher) partition(ctx context.Context, nodes []*node) error {
	s.step++
	var some, many []*node
	for _, n := range nodes {
		if s.few(n) {
			some = append(some, n)
		} else {
			many = append(many, n)
		}
	}
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
