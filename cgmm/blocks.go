package cgmm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
)

// Blocks are graphs that are read some at a time, in rounds or by one process.
type Blocks struct {
	Rounds *rounds.Rounds
	Graphs int // number
	// Read reads consecutive graphs, from one to the one before another.
	Read func(from, to int) (*graph.Batch, error)

	size int // of a block; 0: model.BlockGraphs
}

// FitBlocks is [Fit] for graphs that are read once for each layer, and once or twice before. Fit makes the same model
// of all of them together. Soft states and a criterion are errors: they look at all graphs at once.
func FitBlocks(
	ctx context.Context, e engine.Engine, graphs *Blocks, in Input, opt Options, t Training,
) (*Model, error) {
	if opt.Soft || t.Criterion != nil {
		return nil, fmt.Errorf("soft states and a criterion look at all graphs at once, these come some at a time")
	}
	g := &growth{Model: &Model{opt: opt, input: in, engine: e}, Training: t, blocks: graphs}
	g.pieces = func(visit func(b *graph.Batch) error) error { return graphs.all(ctx, visit) }
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	return g.run(ctx)
}

// readGraphs is the number of graphs of a block that are read at a time.
const readGraphs = 1 << 9

func (b *Blocks) blockGraphs() int { return cmp.Or(b.size, model.BlockGraphs) }

// all calls visit with all graphs, some at a time.
func (b *Blocks) all(ctx context.Context, visit func(b *graph.Batch) error) error {
	return b.within(ctx, 0, b.Graphs, visit)
}

// each calls visit with the graphs of a block, some at a time.
func (b *Blocks) each(ctx context.Context, block int, visit func(b *graph.Batch) error) error {
	from := block * b.blockGraphs()
	return b.within(ctx, from, min(from+b.blockGraphs(), b.Graphs), visit)
}

func (b *Blocks) within(ctx context.Context, from, end int, visit func(b *graph.Batch) error) error {
	for ; from < end; from += readGraphs {
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
		Name: "what vertices show", First: rounds.Even(b.Graphs, b.blockGraphs()),
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
		First: rounds.Even(b.Graphs, b.blockGraphs()), Workers: g.blocksAtOnce(),
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

// blocksAtOnce returns how many blocks are gathered at the same time: several on a CPU, which looks contexts up alone.
func (g *growth) blocksAtOnce() int {
	if g.engine.Host() == g.engine {
		return g.engine.Workers()
	}
	return 1
}

// growOnBlocks is grow for graphs that are read some at a time.
func (g *growth) growOnBlocks(ctx context.Context) error {
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
		k, err = rounds.Keep(g.blocks.Rounds, func() (layerKept, error) { return learn(withoutContext(g.shown)) })
	} else {
		k, err = g.blocks.learn(ctx, g, previous, below, y.arcs, learn)
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
