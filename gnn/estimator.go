package gnn

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// Estimator is a network that is trained on classes or numbers of graphs, or of vertices. Several of its trainings may
// run at once; on a CPU each takes one worker.
type Estimator struct {
	Options  Options
	Features dataset.Features // what the vertices show, "" is [dataset.AutoFeatures]
	Plan     train.Plan
}

// Name implements [model.Estimator].
func (s Estimator) Name() string { return string(s.Options.Kind) }

// String implements [model.Estimator].
func (s Estimator) String() string { return s.Options.String() }

// Params implements [model.Estimator].
func (s Estimator) Params() any { return s.Options }

// Grid implements [model.Estimator].
func (s Estimator) Grid() model.Grid { return s.Plan.Grid(s.Options.Epochs) }

// SideBySide implements [model.SideBySide].
func (s Estimator) SideBySide() {}

// Sees implements [model.Estimator].
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	return train.Encoding(w.Whole(), s.shown(w.Data))
}

// shown returns what the vertices of d show: attributes that are divided by row are not standardised before.
func (s Estimator) shown(d *dataset.Dataset) dataset.Features {
	auto := s.Features == "" || s.Features == dataset.AutoFeatures
	if auto && s.Options.ByRow && d.Batch.Labels == nil && d.Batch.AttributeDim > 0 {
		return dataset.RawAttributes
	}
	return s.Features
}

// Learner implements [model.Estimator].
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	data, err := train.Open(ctx, w, s.shown(w.Data))
	if err != nil {
		return nil, err
	}
	head := model.HeadOf(s.Name(), data.Work.Data)
	return &train.Learner{
		Data: data, Plan: s.Plan, Options: s.Options.Options, Seed: s.Options.Seed,
		New: func(e engine.Engine, t *train.Training, o train.Options) (train.Trainee, error) {
			opt := s.Options
			opt.Options = o
			n, err := newTrainee(e, *t, opt)
			if err != nil {
				return nil, err
			}
			n.head, n.encoding = head, data.Encoding
			return n, nil
		},
	}, nil
}
