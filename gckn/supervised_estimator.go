package gckn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// supervisedSuffix marks the models that are trained end to end.
const supervisedSuffix = "-sup"

// SupervisedEstimator is a network that is trained end to end ([Supervise]) on classes or numbers of graphs, or of
// vertices. Several of its trainings may run at once; on a CPU each takes one worker.
type SupervisedEstimator struct {
	Variant  string // registered name without "-sup", see [Variants]; "" is that of the preset with as many layers
	Options  SupervisedOptions
	Features dataset.Features // what the vertices show, "" is [dataset.AutoFeatures]

	// EachEpoch makes a grid of the number of epochs: one training predicts after every one of them. A cross-validation
	// chooses among them (docs/conventions.md, 20).
	EachEpoch bool
	// Validation cuts the training part in as many parts and holds one out, whose score chooses the epoch that is taken.
	// Below 2 nothing is held out, as with EachEpoch.
	Validation int
	Checkpoint autodiff.Checkpoint // of a training that gives a model; its Of is filled in
}

// Name implements [model.Estimator].
func (s SupervisedEstimator) Name() string {
	return s.Options.Network.variant(s.Variant) + supervisedSuffix
}

// String implements [model.Estimator].
func (s SupervisedEstimator) String() string { return s.Options.String() }

// Params implements [model.Estimator].
func (s SupervisedEstimator) Params() any { return s.Options }

// Grid implements [model.Estimator].
func (s SupervisedEstimator) Grid() model.Grid {
	if !s.EachEpoch {
		return model.Grid{}
	}
	g := model.Grid{Name: "epochs", Values: make([]float64, max(s.Options.Epochs, 0))}
	for i := range g.Values {
		g.Values[i] = float64(i + 1)
	}
	return g
}

// SideBySide implements [model.SideBySide].
func (s SupervisedEstimator) SideBySide() {}

// Sees implements [model.Estimator].
func (s SupervisedEstimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	return encode(w.Whole(), s.Features)
}

// Learner implements [model.Estimator]. It encodes the graphs; what else there is to learn without targets is part of
// every training.
func (s SupervisedEstimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer w.Spent.Fitting(time.Now())
	if w.Data.Task.PerVertex() {
		w = w.Whole() // the graphs belong to every part
	}
	if w.Shards != nil && w.Seen != nil {
		return nil, fmt.Errorf("%s learns from all graphs on disk, not from a part of them", s.Name())
	}
	encoding, b, input, err := encoded(w, s.Features)
	if err != nil {
		return nil, err
	}
	graphs := InMemory(b)
	if w.Shards != nil {
		graphs = Streamed(w.Shards, encoding)
	}
	return &supervisedLearner{s, w, encoding, graphs, input}, nil
}

type supervisedLearner struct {
	SupervisedEstimator
	work     *model.Work
	encoding *dataset.Encoding
	graphs   Graphs
	input    Input
}

// training returns the training of a trial: for the most epochs of its grid, or with a part held out.
func (l *supervisedLearner) training(t *model.Trial) (*Training, error) {
	run := &Training{Examples: Examples{l.graphs, t.Known}, Input: l.input, Options: l.Options, Train: t.Train}
	if len(t.Grid) > 0 {
		run.Options.Epochs, run.Options.Patience = int(slices.Max(t.Grid)), 0
		return run, nil
	}
	parts := min(l.Validation, len(t.Train))
	if parts < 2 {
		return run, nil
	}
	classes := split.Select(t.Known.Classes, t.Train)
	if classes == nil {
		classes = make([]int, len(t.Train)) // numbers: nothing to balance
	}
	folds, err := split.Stratified(classes, parts, l.Options.Network.Seed)
	if err != nil {
		return nil, err
	}
	run.Train, run.Validation = split.Select(t.Train, folds[0].Train), split.Select(t.Train, folds[0].Test)
	return run, nil
}

// Learn implements [model.Learner].
func (l *supervisedLearner) Learn(ctx context.Context, t model.Trial) (said []*model.Predictions, err error) {
	e, done, err := engine.Beside(l.work.Engine.WithWorkers(1))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return l.learn(ctx, e, t)
}

func (l *supervisedLearner) learn(ctx context.Context, e engine.Engine, t model.Trial) ([]*model.Predictions, error) {
	run, err := l.training(&t)
	if err != nil {
		return nil, err
	}
	if t.Progress != nil {
		run.Watch = func(r autodiff.Record) { t.Progress(r.Epoch, run.Options.Epochs) }
	}
	if len(t.Grid) == 0 {
		m, err := l.supervise(ctx, e, run)
		if err != nil {
			return nil, err
		}
		said, err := m.Predict(ctx, l.work.Data, nil)
		if err != nil {
			return nil, err
		}
		return []*model.Predictions{said.Of(t.Test)}, nil
	}
	after := make([]*model.Predictions, run.Options.Epochs+1)
	run.Unseen, run.Predicted = t.Test, func(epoch int, outputs *tensor.Dense) {
		after[epoch] = predictions(outputs, t.Known.Regression())
	}
	r, err := newSupervision(e, run)
	if err != nil {
		return nil, err
	}
	defer r.release()
	if err := r.trainer.Run(ctx); err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, len(t.Grid))
	for k, epoch := range t.Grid {
		said[k] = after[int(epoch)]
	}
	return said, nil
}

// Model implements [model.Learner].
func (l *supervisedLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	defer l.work.Spent.Fitting(time.Now())
	run, err := l.training(&t)
	if err != nil {
		return nil, err
	}
	run.Checkpoint = l.Checkpoint
	training := "train"
	run.Watch = func(r autodiff.Record) { training = stage(r, run.Options.Epochs) }
	if report := l.work.Progress; report != nil {
		run.Progress = func(stage string, done, total int) {
			if stage == "train" {
				stage = training
			}
			report(stage, done, total)
		}
	}
	return l.supervise(ctx, l.work.Engine, run)
}

// supervise returns the model that a training gives.
func (l *supervisedLearner) supervise(ctx context.Context, e engine.Engine, run *Training) (*supervisedModel, error) {
	trained, err := Supervise(ctx, e, run)
	if err != nil {
		return nil, err
	}
	return &supervisedModel{model.HeadOf(l.Name(), l.work.Data), network{l.encoding, trained.Model}, trained}, nil
}

// stage names a training by what its last epoch achieved.
func stage(r autodiff.Record, epochs int) string {
	text := fmt.Sprintf("train, epoch %d of %d: loss %.4f, accuracy %.1f %%", r.Epoch, epochs, r.Loss, 100*r.Accuracy)
	if len(r.Scores) > 0 {
		text += fmt.Sprintf(", on the part held out %.1f %%", 100*r.Scores[0])
	}
	return text
}
