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
	some, many := s.apart(nodes)
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
		_, err = s.ask(ctx, q)
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
