package treeg

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// Learner implements [model.Estimator]: walks need no targets.
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if err := s.check(levelOf(w.Data)); err != nil {
		return nil, err
	}
	if t := model.TargetsOf(w.Data); t.Regression() && len(t.Names) != 1 {
		return nil, param.Errorf("target", nil, "data set %s has the targets %s, and trees learn one", w.Data.Name,
			strings.Join(t.Names, ", "))
	}
	w = w.Whole()
	if w.Store != nil {
		if l, err := s.onDisk(w); l != nil || err != nil {
			return l, err
		}
		var err error
		if w, err = w.InMemory(); err != nil {
			return nil, err
		}
	}
	walks, err := s.walks(ctx, w)
	if err != nil {
		return nil, err
	}
	return &learner{s, w, walks}, nil
}

type learner struct {
	estimator Estimator
	work      *model.Work
	walks     *walkedData
}

// asked returns what a trial asks for: its targets, and the options with the most estimators.
func (s Estimator) asked(t *model.Trial) (Targets, Options) {
	opt := s.fitted()
	if len(t.Grid) > 0 {
		opt.Estimators = int(slices.Max(t.Grid))
	}
	targets := Targets{Classes: t.Known.Classes, Values: t.Known.Values, Train: t.Train}
	if targets.Classes != nil {
		targets.NumClasses = len(t.Known.Names)
	}
	return targets, opt
}

// fit learns from the targets of a trial.
func (l *learner) fit(ctx context.Context, t *model.Trial, progress model.Progress) (*Model, error) {
	targets, opt := l.estimator.asked(t)
	m, err := l.walks.data.Fit(ctx, targets, opt, progress)
	if err != nil {
		return nil, err
	}
	m.absent = t.Known.Absent()
	return m, nil
}

// told returns the progress of a trial.
func told(t *model.Trial) model.Progress {
	if t.Progress == nil {
		return nil
	}
	return func(_ string, done, total int) { t.Progress(done, total) }
}

// Learn implements [model.Learner].
func (l *learner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	m, err := l.fit(ctx, &t, told(&t))
	if err != nil {
		return nil, err
	}
	return m.eachOf(t.Grid, func(one *Model) ([]float64, error) { return one.ScoresOf(ctx, l.walks.data, t.Test) })
}

// eachOf returns what the first trees of a model say by their scores, for every number of a grid; all trees where it is
// empty.
func (m *Model) eachOf(grid []float64, scores func(*Model) ([]float64, error)) ([]*model.Predictions, error) {
	said := make([]*model.Predictions, max(len(grid), 1))
	for k := range said {
		one := m
		if len(grid) > 0 {
			one = m.First(int(grid[k]))
		}
		of, err := scores(one)
		if err != nil {
			return nil, err
		}
		said[k] = one.predictions(of)
	}
	return said, nil
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	if l.estimator.Static != nil {
		return nil, param.Errorf("static", *l.estimator.Static,
			"static features are there to compare with, no model keeps them")
	}
	if l.estimator.Checkpoint != "" {
		return nil, param.Errorf("checkpoint", l.estimator.Checkpoint,
			"there is one of boosting on the labelled graphs of a store alone")
	}
	defer l.work.Spent.Fitting(time.Now())
	m, err := l.fit(ctx, &t, l.work.Progress)
	if err != nil {
		return nil, err
	}
	d := l.work.Data
	return &Trained{model.HeadOf(modelName, d), m, l.walks.encoding, d.Batch.Directed}, nil
}
