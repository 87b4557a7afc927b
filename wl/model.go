package wl

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Model is a fitted kernel: the injective map of every round and the colour counts of the graphs that it was
// fitted on. It compares them with each other and with graphs that were never seen. Its methods may be called
// from several goroutines at once, but for Keep.
type Model struct {
	opt        Options
	engine     engine.Engine
	refinement *refinement
	train      []*histograms   // of every round, fitted colours only
	index      func() []*index // of train, made when it is asked for
	weights    [][]float64     // of every colour of every round, for Assignment; nil: ones
}

// Fit colours the graphs of b and keeps what comparing needs. The engine gives the number of workers; where it
// is a device, it computes the matrices of [Assignment]. Errors are options that make no sense or ask for labels
// that b does not have, and a context that is done.
func Fit(ctx context.Context, e engine.Engine, b *graph.Batch, opt Options, progress model.Progress) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	s := nothing(b, opt)
	if err := s.see(ctx, b, e.Workers(), progress); err != nil {
		return nil, err
	}
	return s.model(e), nil
}

func (m *Model) setTrain(rounds []*histograms) {
	m.train = rounds
	m.index = sync.OnceValue(func() []*index {
		all := make([]*index, len(rounds))
		for t, h := range rounds {
			all[t] = h.invert()
		}
		return all
	})
}

// Options returns the options that the model was fitted with.
func (m *Model) Options() Options { return m.opt }

// NumGraphs returns the number of graphs, or of vertices, that the model compares with.
func (m *Model) NumGraphs() int { return m.train[0].graphs() }

// Reach implements [machine.Reacher].
func (m *Model) Reach() int { return m.opt.Iterations }

// NumColours returns the number of fitted colours of every round, 0 to h.
func (m *Model) NumColours() []int {
	counts := make([]int, len(m.train))
	for t, h := range m.train {
		counts[t] = h.columns
	}
	return counts
}

// Pairs returns the number of pairs of fitted graphs, each with itself included, that share a colour, added up over the
// colours: the additions that [Model.Gram] makes.
func (m *Model) Pairs() int {
	pairs := 0
	for _, x := range m.index() {
		for c := range int32(len(x.ptr) - 1) {
			n := len(x.of(c))
			pairs += n * (n + 1) / 2
		}
	}
	return pairs
}

// Keep forgets all fitted graphs but the given ones, to which the rows of [Model.Gram] and the columns of
// [Model.Cross] then belong, in the given order, and all colours that none of these has. A classifier needs its support
// vectors alone. Kernel values stay as they are; the colours that are left are numbered anew, in their order.
func (m *Model) Keep(graphs []int) error {
	for _, g := range graphs {
		if g < 0 || g >= m.NumGraphs() {
			return fmt.Errorf("graph %d: the model has %d graphs, counted from 0", g, m.NumGraphs())
		}
	}
	selected := make([]*histograms, len(m.train))
	for t, h := range m.train {
		selected[t] = h.selected(graphs)
	}
	if m.weights == nil {
		m.refinement = m.refinement.only(selected)
	}
	m.setTrain(selected)
	return nil
}

// first returns the model after fewer rounds.
func (m *Model) first(rounds int) *Model {
	f := &Model{opt: m.opt, engine: m.engine}
	f.opt.Iterations = rounds
	f.refinement = &refinement{opt: f.opt, labelled: m.refinement.labelled, rounds: m.refinement.rounds[:rounds+1]}
	f.setTrain(slices.Clone(m.train[:rounds+1]))
	return f
}

// EachGram calls visit with the kernel matrix after h = 0 to Iterations rounds, all of them in one pass: the
// matrix of h+1 is that of h and the pairs of one more round. The matrix is good until visit returns. This is work of
// the host on any engine.
func (m *Model) EachGram(ctx context.Context, progress model.Progress, visit func(h int, k *tensor.Dense) error) error {
	n := m.NumGraphs()
	if err := memory.ForMatrices("kernel matrix", 2, n, n); err != nil {
		return err
	}
	k, err := matrix(n, n)
	if err != nil {
		return err
	}
	raw, self := make([]float64, n*n), make([]float64, n)
	for t := range m.train {
		if err := m.pairs(m.train).addUpper(ctx, raw, t, t+1, m.engine.Workers(), progress); err != nil {
			return err
		}
		m.addSelf(self, m.train, t, t+1)
		finish(k.Float64s(), raw, m.divisors(self), n, m.engine.Workers())
		if err := visit(t, k); err != nil {
			return err
		}
	}
	return nil
}

// divisors returns the self-values where the kernel is normalised, else nil.
func (m *Model) divisors(self []float64) []float64 {
	if !m.opt.Normalise {
		return nil
	}
	return self
}

// factors returns 1/sqrt(self), and 0 for a graph that has nothing to compare, where the kernel is normalised, else
// nil.
func (m *Model) factors(self []float64) []float64 {
	if !m.opt.Normalise {
		return nil
	}
	factors := make([]float64, len(self))
	for g, s := range self {
		if s > 0 {
			factors[g] = 1 / math.Sqrt(s)
		}
	}
	return factors
}

// Gram returns the kernel matrix of the fitted graphs, N x N.
func (m *Model) Gram(ctx context.Context, progress model.Progress) (*tensor.Dense, error) {
	n := m.NumGraphs()
	k, err := matrix(n, n)
	if err != nil {
		return nil, err
	}
	if m.throughEngine() {
		a := m.sparse(m.train)
		err = m.intersect(ctx, k, a, a)
	} else {
		err = m.pairs(m.train).addUpper(ctx, k.Float64s(), 0, len(m.train), m.engine.Workers(), progress)
	}
	if err != nil {
		return nil, err
	}
	finish(k.Float64s(), k.Float64s(), m.divisors(m.self(m.train)), n, m.engine.Workers())
	return k, nil
}

// GramRows returns rows of the matrix that [Model.Gram] returns, in the given columns or with nil in all, bit by bit:
// rows x columns. A part of a large matrix needs memory for itself alone.
func (m *Model) GramRows(ctx context.Context, rows, columns []int, progress model.Progress) (*tensor.Dense, error) {
	left, right := m.of(rows), m.train
	if columns != nil {
		right = m.of(columns)
	}
	n := right[0].graphs()
	k, err := matrix(len(rows), n)
	if err != nil {
		return nil, err
	}
	switch {
	case m.throughEngine():
		err = m.intersect(ctx, k, m.sparse(left), m.sparse(right))
	case columns == nil:
		err = m.pairs(left).addAll(ctx, k.Float64s(), n, m.engine.Workers(), progress)
	default:
		p := &pairs{kernel: m.opt.Kernel, left: left, weights: m.weights}
		for _, h := range right {
			p.right = append(p.right, h.invert())
		}
		err = p.addAll(ctx, k.Float64s(), n, m.engine.Workers(), progress)
	}
	if err != nil || !m.opt.Normalise {
		return k, err
	}
	self, selves := m.self(left), m.self(right)
	for i := range rows {
		row := k.Float64s()[i*n : (i+1)*n]
		normalise(row, row, self[i], selves)
	}
	return k, nil
}

// of returns the histograms of some of the fitted graphs.
func (m *Model) of(graphs []int) []*histograms {
	some := make([]*histograms, len(m.train))
	for t, h := range m.train {
		some[t] = h.selected(graphs)
	}
	return some
}

// Cross returns the kernel matrix between the graphs of b and the fitted ones, NumGraphs of b x N; where vertices are
// compared a row is that of a vertex. It does not depend on the others of b. Errors are those of [Fit].
func (m *Model) Cross(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	c, err := m.refinement.apply(ctx, b, m.engine.Workers(), progress)
	if err != nil {
		return nil, err
	}
	all := c.histograms()
	known := make([]*histograms, len(all))
	for t, h := range all {
		known[t] = h.below(m.train[t].columns)
	}
	rows, columns := all[0].graphs(), m.NumGraphs()
	k, err := matrix(rows, columns)
	if err != nil {
		return nil, err
	}
	if m.throughEngine() {
		err = m.intersect(ctx, k, m.sparse(known), m.sparse(m.train))
	} else {
		err = m.pairs(known).addAll(ctx, k.Float64s(), columns, m.engine.Workers(), progress)
	}
	if err != nil || !m.opt.Normalise {
		return k, err
	}
	fitted := m.self(m.train)
	for i, s := range m.self(all) {
		row := k.Float64s()[i*columns : (i+1)*columns]
		normalise(row, row, s, fitted)
	}
	return k, nil
}

// matrix returns a zero matrix in host memory, or an error where memory does not suffice.
func matrix(rows, columns int) (*tensor.Dense, error) {
	if err := memory.ForMatrices("kernel matrix", 1, rows, columns); err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(make([]float64, rows*columns))), nil
}
