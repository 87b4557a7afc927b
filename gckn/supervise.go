package gckn

import (
	"context"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
)

// Training is a supervised training: what to learn from, and how. Its progress has the stages sample, anchors, encode
// and classifier of the start, then train, in steps.
type Training struct {
	train.Training
	Options SupervisedOptions
	Start   *Start // what it starts from; nil: anchors by k-means, and the classifier for them
}

// Supervise trains anchors and linear classifier together (section 3.5) from the unsupervised model:
// anchors by k-means on the training graphs, then the classifier alone, by L-BFGS on the sum of losses plus
// Decay/2 |W|^2 (docs/conventions.md, 18), then steps of Adam with the anchors' rows brought back to norm 1
// after each. In a task on vertices k-means sees the vertices of all graphs, whose classes it does not know.
//
// With a checkpoint that is there already the training goes on from it. The same training gives the same
// bits on the same device, interrupted or not.
func Supervise(ctx context.Context, e engine.Engine, t *Training) (*Supervised, error) {
	s, err := newSupervision(e, t)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	if err := s.Train(ctx); err != nil {
		return nil, err
	}
	return s.result()
}

// supervision is a training that runs.
type supervision struct {
	run     *train.Run
	opt     SupervisedOptions
	from    *Start
	engine  engine.Engine
	source  *source
	network *autodiff.KernelNetwork
	trainer *autodiff.Trainer
	all     *autodiff.Evaluator // of the training items, for an exact classifier
}

// newSupervision checks a training and makes its network, with parameters of zero.
func newSupervision(e engine.Engine, t *Training) (*supervision, error) {
	run, err := train.New(t.Training, t.Options.Options)
	if err != nil {
		return nil, err
	}
	run.SettleBatch(defaultBatch)
	s := &supervision{run: run, opt: t.Options, engine: e, from: t.Start}
	s.opt.Options = run.Options
	if err := s.opt.Check(); err != nil {
		return nil, err
	}
	if err := s.checkStart(); err != nil {
		return nil, err
	}
	if s.source, err = newSource(e, run, &s.opt); err != nil {
		return nil, err
	}
	parameters, err := s.parameters()
	if err != nil {
		return nil, err
	}
	if s.network, err = autodiff.NewKernelNetwork(e, s.opt.autodiff(), parameters); err != nil {
		return nil, err
	}
	if err := s.source.serve(s.network); err != nil {
		return nil, err
	}
	cache := run.Keeps(run.Train) && s.opt.Alternate
	s.all = s.network.NewEvaluator(s.source, run.Train, run.Together(), cache)
	s.trainer = &autodiff.Trainer{
		Network: s.network.Network, Source: s.source.ofSteps(), Start: s.start,
		Options: autodiff.TrainOptions{Frozen: s.opt.frozen(), Rates: s.opt.rates(), Seed: s.opt.Network.Seed},
	}
	if s.opt.Alternate {
		s.trainer.After = s.solve
	}
	return s, nil
}

// parameters returns those of the network, of zero.
func (s *supervision) parameters() (autodiff.Parameters, error) {
	var p autodiff.Parameters
	dtype, width, outputs := s.opt.Network.dtype(), s.run.Examples.Input.Dim(), s.run.Examples.Outputs()
	for _, l := range s.opt.Network.Layers {
		p.Anchors = append(p.Anchors, s.engine.New(dtype, l.PathSize, l.Filters, width))
		width = l.Filters
	}
	if s.opt.Decays != nil {
		p.Chosen = s.engine.New(dtype, 1, 1)
	}
	p.Weight = s.engine.New(dtype, outputs, s.opt.Network.Dim())
	p.Bias = s.engine.New(dtype, 1, outputs)
	if !s.opt.Standardise {
		return p, nil
	}
	var err error
	p.Standard, err = autodiff.NewStandard(s.engine, dtype, s.opt.Network.Dim())
	return p, err
}

// Train implements [train.Trainee].
func (s *supervision) Train(ctx context.Context) error {
	lasting := s.opt
	lasting.Options = lasting.Lasting()
	return s.run.Run(ctx, s.trainer, lasting)
}

// Release implements [train.Trainee].
func (s *supervision) Release() {
	s.all.Release()
	s.network.Release()
	s.engine.Release(s.network.Parameters().List()...)
	if standard := s.network.Parameters().Standard; standard != nil {
		standard.Release()
	}
	if chosen := s.network.Parameters().Chosen; chosen != nil {
		s.engine.Release(chosen)
	}
	s.source.release(s.engine)
}

// result returns the trained model. The classifier of a regression gives targets in their own units, and that
// of classes [model.NeverSeen] for those of no example.
func (s *supervision) result() (*Supervised, error) {
	m, err := newWith(s.engine, s.run.Examples.Input, s.opt.Network, s.network.Parameters().Anchors, s.opt.Freeze)
	if err != nil {
		return nil, err
	}
	linear, err := s.linear()
	if err != nil {
		return nil, err
	}
	if standard := s.network.Parameters().Standard; standard != nil {
		a, err := standard.Affine()
		if err != nil {
			return nil, err
		}
		unstandardised(linear, a)
	}
	s.run.Outputs.SettleLinear(linear)
	if s.opt.Decay, err = s.decay(); err != nil {
		return nil, err
	}
	return &Supervised{
		Options: s.opt, Vertices: s.run.Examples.Vertices(), Regression: s.run.Examples.Targets.Regression(),
		Model: m, Classifier: linear, Records: s.trainer.Records(), Best: s.trainer.Best(),
	}, nil
}

// linear returns the classifier of the network.
func (s *supervision) linear() (*svm.Linear, error) {
	p := s.network.Parameters()
	weight, err := hostRows(p.Weight)
	if err != nil {
		return nil, err
	}
	bias, err := hostRows(p.Bias)
	if err != nil {
		return nil, err
	}
	return &svm.Linear{Weight: weight, Bias: bias[0]}, nil
}
