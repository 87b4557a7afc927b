package gnn

import (
	"context"
	"errors"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// defaultBatch is the number of graphs of a step.
const defaultBatch = 128

// Train trains a network on examples. With a checkpoint that is there already the training goes on from it. The same
// training gives the same bits on the same device, interrupted or not. The model has no name, encoding or task until it
// comes from an [Estimator].
func Train(ctx context.Context, e engine.Engine, t train.Training, o Options) (*Model, error) {
	n, err := newTrainee(e, t, o)
	if err != nil {
		return nil, err
	}
	defer n.Release()
	if err := n.Train(ctx); err != nil {
		return nil, err
	}
	return n.result()
}

// trainee is a network that is about to be trained.
type trainee struct {
	run      *train.Run
	opt      Options
	engine   engine.Engine
	tensors  *network
	source   *source
	trainer  *autodiff.Trainer
	head     model.Head
	encoding *dataset.Encoding
}

// evenBatch returns the largest size of batches up to a given one that leaves no small one at the end of so many items:
// the moments of a batch of one or two graphs say nothing of the others, and normalising by them spoils every epoch.
func evenBatch(items, size int) int {
	for s := min(size, items); s > 0; s-- {
		if last := items % s; last == 0 || 2*last >= s {
			return s
		}
	}
	return size
}

// newTrainee checks a training and makes its network.
func newTrainee(e engine.Engine, t train.Training, o Options) (*trainee, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	run, err := train.New(t, o.Options)
	if err != nil {
		return nil, err
	}
	run.SettleBatch(defaultBatch)
	run.Options.BatchSize = evenBatch(len(run.Train), run.Options.BatchSize)
	o.Options = run.Options
	n := &trainee{run: run, opt: o, engine: e, source: &source{run: run}}
	if err := n.open(); err != nil {
		n.Release()
		return nil, err
	}
	n.trainer = &autodiff.Trainer{
		Network: n.source.network, Source: n.source.ofSteps(), Options: autodiff.TrainOptions{Seed: o.Seed},
	}
	return n, nil
}

// open makes the network and what lays out its batches.
func (n *trainee) open() (err error) {
	x := &n.run.Examples
	if n.tensors, err = define(n.engine, n.opt, x.Input, x.Outputs()); err != nil {
		return err
	}
	if n.source.features, err = featuresOf(n.engine, &n.opt, x.Input); err != nil {
		return err
	}
	if x.Vertices() {
		if err := n.source.cutting(n.engine, &n.opt); err != nil {
			return err
		}
	}
	n.source.network, err = autodiff.New(n.engine, n.tensors.Definition)
	return err
}

// Train implements [train.Trainee].
func (n *trainee) Train(ctx context.Context) error {
	lasting := n.opt
	lasting.Options = lasting.Lasting()
	return n.run.Run(ctx, n.trainer, lasting)
}

// Model implements [train.Trainee].
func (n *trainee) Model() (model.Model, error) {
	m, err := n.result()
	if err != nil {
		return nil, err
	}
	m.Head, m.encoding = n.head, n.encoding
	return m, nil
}

// result returns the trained model, with tensors of its own.
func (n *trainee) result() (*Model, error) {
	x := &n.run.Examples
	own, err := define(n.engine, n.opt, x.Input, x.Outputs())
	if err != nil {
		return nil, err
	}
	from := n.tensors.tensors()
	for name, t := range own.tensors() {
		err = errors.Join(err, n.engine.Convert(t, from[name]))
	}
	m := &Model{
		Records: n.trainer.Records(), engine: n.engine, tensors: own,
		described: described{Options: n.opt, Input: x.Input, Outputs: n.run.Outputs, Best: n.trainer.Best()},
	}
	return m, errors.Join(err, m.start())
}

// Release implements [train.Trainee]. What was not made is passed over.
func (n *trainee) Release() {
	if n.source.network != nil {
		n.source.network.Release()
	}
	if n.source.features != nil {
		n.engine.Release(n.source.features.rows, n.source.whole)
	}
	n.tensors.release()
}
