package cgmm

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
)

// Blocks are graphs that are gone over in rounds, to the model that [FitPieces] makes.
type Blocks struct {
	Rounds *rounds.Rounds
	Graphs int // number
	// Read reads consecutive graphs, from one to the one before another.
	Read func(from, to int) (*graph.Batch, error)
}

// readGraphs is the number of graphs of a block that are read at a time.
const readGraphs = 1 << 9

// each calls visit with the graphs of a block, some at a time.
func (b *Blocks) each(ctx context.Context, block int, visit func(b *graph.Batch) error) error {
	end := min((block+1)*model.BlockGraphs, b.Graphs)
	for from := block * model.BlockGraphs; from < end; from += readGraphs {
		some, err := b.Read(from, min(from+readGraphs, end))
		if err != nil {
			return err
		}
		if err := visit(some); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// shown are the observations of some graphs.
type shown struct {
	Number  []float64
	Symbols []int32
	Reals   []float64
}

// shown returns what was observed.
func (r *observer) shown() shown { return shown{r.seen.number, r.seen.symbols, r.seen.reals} }

// join adds what was observed of the graphs that come next.
func (r *observer) join(s shown) {
	for i, number := range s.Number {
		symbol := int32(unknown)
		if r.in.Labels > 0 {
			symbol = s.Symbols[i]
		}
		id := r.find(symbol, s.Reals[i*r.in.Attributes:(i+1)*r.in.Attributes])
		r.seen.number[id] += number
	}
}

// observe observes the vertices of all graphs.
func (b *Blocks) observe(ctx context.Context, in *Input) (*observer, error) {
	all := newObserver(in)
	seen, err := rounds.Digest(ctx, b.Rounds, rounds.Pass[shown]{
		Name: "what vertices show", First: rounds.Even(b.Graphs, model.BlockGraphs),
		Compute: func(ctx context.Context, block int) (shown, error) {
			r := newObserver(in)
			err := b.each(ctx, block, func(b *graph.Batch) error {
				_, err := r.observe(b)
				return err
			})
			return r.shown(), err
		},
	}, func(s shown) error {
		all.join(s)
		return nil
	}, func() (shown, error) { return all.shown(), nil })
	if err != nil {
		return nil, err
	}
	r := newObserver(in)
	r.join(seen)
	return r, nil
}

// table holds distinct contexts: the rows of a gatherer.
type table struct {
	Shown, Ends []int32
	Keys        []int32 // tokens, three numbers each
	Weight      []float64
}

// all returns what was gathered.
func (g *gatherer) all() table {
	t := table{Shown: g.shown, Ends: g.ends, Weight: g.rows.weight, Keys: make([]int32, 0, 3*len(g.keys))}
	for _, k := range g.keys {
		t.Keys = append(t.Keys, k.group, k.what, k.number)
	}
	return t
}

// join adds what was gathered of the graphs that come next.
func (g *gatherer) join(t table) error {
	from := int32(0)
	for r, to := range t.Ends {
		g.tokens = g.tokens[:0]
		for k := t.Keys[3*from : 3*to]; len(k) > 0; k = k[3:] {
			g.tokens = append(g.tokens, token{k[0], k[1], k[2]})
		}
		from = to
		at, err := g.row(t.Shown[r])
		if err != nil {
			return err
		}
		g.rows.weight[at] += t.Weight[r]
	}
	return nil
}

// layerKept is a layer in a file of package rounds.
type layerKept struct {
	Parameters [][]float64 // in the order of [layer.parameters]
	History    LayerHistory
}

// learn gathers what a layer on top of the given ones sees of all vertices, and keeps what learn makes of it.
func (b *Blocks) learn(
	ctx context.Context, g *growth, previous, below []int, arcs int, learn func(c *contexts) (layerKept, error),
) (kept layerKept, err error) {
	states := make([]*assignment, len(below)) // of other vertices
	for l, n := range below {
		states[l] = &assignment{states: n}
	}
	empty := func() (*gatherer, error) {
		all, err := newGatherer(arcs, below, false)
		if err == nil {
			all.below = states
		}
		return all, err
	}
	all, err := empty()
	if err != nil {
		return kept, err
	}
	return rounds.Digest(ctx, b.Rounds, rounds.Pass[table]{
		Name:  fmt.Sprintf("what vertices see of their neighbours in layer %d", len(g.layers)+1),
		First: rounds.Even(b.Graphs, model.BlockGraphs),
		Compute: func(ctx context.Context, block int) (table, error) {
			some, err := empty()
			if err != nil {
				return table{}, err
			}
			err = b.each(ctx, block, func(batch *graph.Batch) error { return g.gather(ctx, some, batch, previous) })
			return some.all(), err
		},
	}, all.join, func() (layerKept, error) {
		all.rows.x = cached(all.rows.x)
		return learn(all.rows)
	})
}

// growInRounds is grow for graphs that are gone over in rounds.
func (g *growth) growInRounds(ctx context.Context) error {
	previous, below := g.previous()
	y := newLayer(&g.input, g.opt.States, previous, below)
	learn := func(c *contexts) (k layerKept, err error) {
		best, err := g.pool(ctx, c, previous, below)
		if err != nil {
			return k, err
		}
		for _, p := range best.layer.parameters(0) {
			k.Parameters = append(k.Parameters, *p.values)
		}
		k.History = best.LayerHistory
		return k, nil
	}
	var k layerKept
	var err error
	if len(previous) == 0 {
		k, err = rounds.Keep(g.Blocks.Rounds, func() (layerKept, error) { return learn(withoutContext(g.shown)) })
	} else {
		k, err = g.Blocks.learn(ctx, g, previous, below, y.arcs, learn)
	}
	if err != nil {
		return err
	}
	for i, p := range y.parameters(0) {
		*p.values = k.Parameters[i]
	}
	g.layers, g.history = append(g.layers, y), append(g.history, k.History)
	return nil
}
