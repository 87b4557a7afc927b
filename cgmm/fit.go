package cgmm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Criterion judges the layers that were trained so far by the fingerprints of the training graphs. It must
// depend on the fingerprints alone.
type Criterion interface {
	// String tells criteria apart: a checkpoint is continued with the criterion that it was made with.
	String() string
	// Score returns how good fingerprints are, NumGraphs x columns; larger is better.
	Score(ctx context.Context, fingerprints *tensor.Dense) (float64, error)
}

// Training holds what [Fit] may be given beside the options.
type Training struct {
	// Criterion chooses among a pool of candidates and ends the growth (section 3.4). Without it a pool is
	// judged by its log-likelihood, and there are as many layers as the options say.
	Criterion Criterion

	// Checkpoint names a file that is written after every layer. Where it is there, the training that it
	// comes from goes on, and ends with the same bits as without a break; a checkpoint of other graphs,
	// options or criterion is an error. Remove it when the model is stored.
	Checkpoint string

	Progress model.Progress
}

// Fit trains layer by layer on the vertices of b, each by expectation maximisation until the log-likelihood
// hardly gains (section 3.2). Of each layer opt.Pool candidates with different random starts are trained,
// and the one with the best score is frozen; of equal ones the first. With opt.Patience layers without a
// better score growth ends, and the layers after the best one are left out.
//
// The result has the same bits for any number of workers.
func Fit(ctx context.Context, e engine.Engine, b *graph.Batch, in Input, opt Options, t Training) (*Model, error) {
	g := &growth{Model: &Model{opt: opt, input: in, engine: e}, Training: t}
	g.pieces = func(visit func(*graph.Batch) error) error { return visit(b) }
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	var err error
	if g.states, err = newStates(&in, g.standard, b); err != nil {
		return nil, err
	}
	return g.run(ctx)
}

// begin checks what is asked for and observes all vertices.
func (g *growth) begin(ctx context.Context) error {
	if err := g.opt.Check(); err != nil {
		return err
	}
	if err := g.input.check(); err != nil {
		return err
	}
	if g.opt.Patience > 0 && g.Criterion == nil {
		return fmt.Errorf("patience %d: without a criterion nothing says whether a layer helps", g.opt.Patience)
	}
	if err := g.observe(ctx); err != nil {
		return err
	}
	if g.shown = g.observer.seen; g.shown.count == 0 {
		return fmt.Errorf("no vertices to learn from")
	}
	g.standard = standardOf(g.shown)
	g.standard.apply(g.shown)
	return nil
}

// observe observes all vertices.
func (g *growth) observe(ctx context.Context) (err error) {
	if g.blocks != nil {
		g.observer, err = g.blocks.observe(ctx, &g.input)
		return err
	}
	g.observer = newObserver(&g.input)
	return g.pieces(func(b *graph.Batch) error {
		_, err := g.observer.observe(b)
		return err
	})
}

// run grows layer after layer.
func (g *growth) run(ctx context.Context) (*Model, error) {
	m, opt := g.Model, &g.opt
	if err := g.resume(ctx); err != nil {
		return nil, err
	}
	for len(m.layers) < opt.Layers && !g.stalled() {
		if err := g.grow(ctx); err != nil {
			return nil, fmt.Errorf("layer %d: %w", len(m.layers)+1, err)
		}
		if err := g.store(); err != nil {
			return nil, err
		}
	}
	g.Progress.Report("layers", opt.Layers, opt.Layers)
	if opt.Patience > 0 {
		best := g.best()
		m.layers, m.history = m.layers[:best+1], m.history[:best+1]
	}
	return m, nil
}

// growth is a training in progress.
type growth struct {
	*Model
	Training
	blocks   *Blocks                                    // nil where all graphs are in memory
	pieces   func(visit func(*graph.Batch) error) error // calls visit with all graphs, in their order
	observer *observer
	shown    *observations // of all vertices, standardised
	states   *States       // of all vertices; nil with blocks
	digest   string        // of all that the result follows from, see identity
}

// gather adds what the vertices of a piece see of the given layers.
func (g *growth) gather(ctx context.Context, to *gatherer, b *graph.Batch, previous []int) error {
	s, err := g.States(ctx, b, nil)
	if err != nil {
		return err
	}
	of, err := g.observer.of(b)
	if err != nil {
		return err
	}
	_, err = to.add(of, s.neighbours, s.at(previous))
	return err
}

// best returns the first layer with the highest score.
func (g *growth) best() int {
	best := 0
	for l, h := range g.history {
		if h.Score > g.history[best].Score {
			best = l
		}
	}
	return best
}

// stalled reports whether the last layers did not help.
func (g *growth) stalled() bool {
	return g.opt.Patience > 0 && len(g.history) > g.best()+g.opt.Patience
}

// grow trains a pool of candidates for the next layer and adds the best.
func (g *growth) grow(ctx context.Context) error {
	if g.blocks != nil {
		return g.growOnBlocks(ctx)
	}
	previous, below := g.previous()
	c, err := g.states.contexts(previous, newLayer(&g.input, g.opt.States, previous, below).arcs, g.opt.Soft)
	if err != nil {
		return err
	}
	best, err := g.pool(ctx, c, previous, below)
	if err != nil {
		return err
	}
	g.layers = append(g.layers, best.layer)
	g.history = append(g.history, best.LayerHistory)
	if !g.opt.Soft && !g.opt.Fingerprint.Soft {
		best.assignment.posterior = nil // nothing will look at it
	}
	g.states.layers = append(g.states.layers, best.assignment)
	return nil
}

// pool trains the candidates for the next layer on what it sees, and returns the best.
func (g *growth) pool(ctx context.Context, c *contexts, previous, below []int) (best *candidate, err error) {
	s := newEM(g.engine, g.shown, c, g.opt.States)
	defer s.release()
	var scores []float64
	for k := range g.opt.Pool {
		g.Progress.Report("layers", len(g.layers)*g.opt.Pool+k, g.opt.Layers*g.opt.Pool)
		next, err := g.candidate(ctx, s, previous, below, k)
		if err != nil {
			return nil, err
		}
		scores = append(scores, next.Score)
		if best == nil || next.Score > best.Score {
			best = next
		}
	}
	best.Scores = scores
	return best, nil
}

// candidate is one layer of a pool.
type candidate struct {
	LayerHistory
	layer      *layer
	assignment *assignment
}

// candidate trains number k of a pool.
func (g *growth) candidate(ctx context.Context, s *em, previous, below []int, k int) (*candidate, error) {
	y := newLayer(&g.input, g.opt.States, previous, below)
	y.draw(rand.New(rand.NewPCG(g.opt.Seed, uint64(len(g.layers))<<32|uint64(k))), g.shown)
	history, err := s.fit(ctx, y, &g.opt)
	if err != nil {
		return nil, err
	}
	s.setMarginal(y)
	next := &candidate{LayerHistory{LogLikelihood: history, Candidate: k, Score: history[len(history)-1]}, y, nil}
	if g.states == nil {
		return next, nil
	}
	if next.assignment, err = y.assign(g.engine, g.shown, s.c); err != nil || g.Criterion == nil {
		return next, err
	}
	with := *g.states
	with.layers = append(slices.Clone(with.layers), next.assignment)
	x, err := with.Fingerprints(g.growing())
	if err != nil {
		return nil, err
	}
	next.Score, err = g.Criterion.Score(ctx, x)
	if err == nil && (math.IsNaN(next.Score) || math.IsInf(next.Score, 0)) {
		err = fmt.Errorf("the criterion %s gives %g, want a number", g.Criterion, next.Score)
	}
	return next, err
}

// growing is the fingerprint of the layers so far.
func (g *growth) growing() Fingerprint {
	f := g.opt.Fingerprint
	f.Depth = 0
	return f
}
