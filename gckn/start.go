package gckn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// StreamedStart is the largest number of graphs that the start of a training holds in memory when they are read from
// disk and [SupervisedOptions].StartGraphs leaves it open: with the default of 300 000 sampled paths thirty of each.
const StreamedStart = 10000

// start sets the parameters to those of the unsupervised model with a classifier on top.
func (s *supervision) start(ctx context.Context) error {
	items, b, err := s.startItems()
	if err != nil {
		return err
	}
	anchor := func(l int) *tensor.Dense { return s.from.Anchors[l] }
	if s.from == nil {
		m, err := Fit(ctx, s.engine, b, s.run.Examples.Input, s.opt.Network, s.run.Progress)
		if err != nil {
			return fmt.Errorf("unsupervised start: %w", err)
		}
		anchor = m.Anchors
	}
	for l, z := range s.network.Parameters().Anchors {
		if err := s.engine.Convert(z, anchor(l)); err != nil {
			return err
		}
	}
	s.run.Progress.Report("classifier", 0, 1)
	defer s.run.Progress.Report("classifier", 1, 1)
	on := s.all
	if len(items) == len(s.run.Train) {
		items = s.run.Train // in the order of the evaluator
	} else {
		on = s.network.NewEvaluator(s.source, items, s.run.Together(), false)
	}
	x, err := on.Representations(ctx)
	if err != nil {
		return err
	}
	if standard := s.network.Parameters().Standard; standard != nil {
		a, err := standardOf(x)
		if err != nil {
			return err
		}
		if err := standard.Set(a); err != nil {
			return err
		}
	}
	if s.opt.Decays != nil {
		if err := s.choose(ctx, x, items); err != nil {
			return err
		}
	}
	if s.from != nil && s.from.Classifier != nil {
		return s.keep(s.from.Classifier)
	}
	return s.solveFor(ctx, x, items, 0)
}

// keep sets the classifier to one on the representation as it is.
func (s *supervision) keep(c *svm.Linear) error {
	own := &svm.Linear{Bias: slices.Clone(c.Bias)}
	for _, row := range c.Weight {
		own.Weight = append(own.Weight, slices.Clone(row))
	}
	if standard := s.network.Parameters().Standard; standard != nil {
		a, err := standard.Affine()
		if err != nil {
			return err
		}
		restandardised(own, a)
	}
	return s.set(own)
}

// checkStart reports a start that does not fit.
func (s *supervision) checkStart() error {
	if s.from == nil {
		return nil
	}
	o, width := &s.opt.Network, s.run.Examples.Input.Dim()
	if len(s.from.Anchors) != len(o.Layers) {
		return fmt.Errorf("a start from anchors of %d layers for %d layers", len(s.from.Anchors), len(o.Layers))
	}
	for l, y := range o.Layers {
		want := tensor.Shape{y.PathSize, y.Filters, width}
		if z := s.from.Anchors[l]; !z.Shape().Eq(want) || z.Dtype() != o.dtype() {
			return fmt.Errorf("layer %d: a start from anchors of shape %v of %v, want %v of %v", l+1, z.Shape(), z.Dtype(),
				want, o.dtype())
		}
		width = y.Filters
	}
	c, outputs := s.from.Classifier, s.run.Examples.Outputs()
	if c != nil && (len(c.Bias) != outputs || len(c.Weight) != outputs || len(c.Weight[0]) != o.Dim()) {
		return fmt.Errorf("a start from a classifier of %d outputs for %d", len(c.Bias), outputs)
	}
	return nil
}

// startItems returns the items that the first classifier is learned from, and the graphs for the anchors.
func (s *supervision) startItems() ([]int, *graph.Batch, error) {
	whole := s.run.Examples.Whole()
	if s.run.Examples.Vertices() {
		return s.run.Train, whole, nil
	}
	graphs, n := slices.Clone(s.run.Train), s.opt.StartGraphs
	if n == 0 && whole == nil {
		n = StreamedStart
	}
	if n > 0 && n < len(graphs) {
		rng := rand.New(rand.NewPCG(s.opt.Network.Seed, startStream))
		rng.Shuffle(len(graphs), func(i, j int) { graphs[i], graphs[j] = graphs[j], graphs[i] })
		graphs = graphs[:n]
	}
	slices.Sort(graphs)
	b, err := s.run.Examples.Graphs.Select(graphs)
	return graphs, b, err
}

// startStream tells the draw of graphs for the start from other uses of the seed.
const startStream = 0x57a27 << 32

// solve sets the classifier to the minimum of the loss for the anchors as they are.
func (s *supervision) solve(ctx context.Context) error {
	x, err := s.all.Representations(ctx)
	if err != nil {
		return err
	}
	return s.solveFor(ctx, x, s.run.Train, epochTolerance)
}

// epochTolerance is that of the classifiers after epochs, whose anchors are not the last: far below what moves a
// decision.
const epochTolerance = 1e-5

// solveFor is solve for the loss of some items with the representations x.
func (s *supervision) solveFor(ctx context.Context, x *tensor.Dense, items []int, tolerance float64) error {
	p, x, err := s.linearProblem(x, items)
	if err != nil {
		return err
	}
	if p.Start, err = s.linear(); err != nil { // zeros at the start
		return err
	}
	p.Tolerance = tolerance
	linear, err := svm.FitLinear(ctx, x, nil, p)
	if err != nil {
		return fmt.Errorf("fitting the classifier: %w", err)
	}
	return s.set(linear)
}

// linearProblem returns that of the classifier for some items with the representations x, and what it sees of these.
func (s *supervision) linearProblem(x *tensor.Dense, items []int) (svm.LinearProblem, *tensor.Dense, error) {
	decay, err := s.decay()
	if err != nil {
		return svm.LinearProblem{}, nil, err
	}
	if standard := s.network.Parameters().Standard; standard != nil {
		a, err := standard.Affine()
		if err == nil {
			x, err = standardised(x, a)
		}
		if err != nil {
			return svm.LinearProblem{}, nil, err
		}
		decay *= float64(len(items)) // of a sum of losses, as that of their mean in the steps
	}
	p := svm.LinearProblem{
		Loss: svm.Loss(s.opt.Loss), Outputs: s.run.Examples.Outputs(), Decay: decay,
		Workers: s.engine.Workers(),
		Values:  s.run.Values(items), Classes: split.Select(s.run.Examples.Targets.Classes, items),
	}
	p.Weights = split.Select(s.opt.ClassWeights, p.Classes)
	return p, x, nil
}

// set gives the network a classifier.
func (s *supervision) set(c *svm.Linear) error {
	p := s.network.Parameters()
	if err := s.engine.Convert(p.Weight, matrixOf(c.Weight)); err != nil {
		return err
	}
	return s.engine.Convert(p.Bias, matrixOf([][]float64{c.Bias}))
}
