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

// fit learns from the targets of a trial with the most estimators that it asks for.
func (l *learner) fit(ctx context.Context, t *model.Trial, progress model.Progress) (*Model, error) {
	opt := l.estimator.fitted()
	if len(t.Grid) > 0 {
		opt.Estimators = int(slices.Max(t.Grid))
	}
	targets := Targets{Classes: t.Known.Classes, Values: t.Known.Values, Train: t.Train}
	if targets.Classes != nil {
		targets.NumClasses = len(t.Known.Names)
	}
	m, err := l.walks.data.Fit(ctx, targets, opt, progress)
	if err != nil {
		return nil, err
	}
	m.absent = t.Known.Absent()
	return m, nil
}

// Learn implements [model.Learner].
func (l *learner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	var progress model.Progress
	if t.Progress != nil {
		progress = func(_ string, done, total int) { t.Progress(done, total) }
	}
	m, err := l.fit(ctx, &t, progress)
	if err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, max(len(t.Grid), 1))
	for k := range said {
		one := m
		if len(t.Grid) > 0 {
			one = m.First(int(t.Grid[k]))
		}
		scores, err := one.ScoresOf(ctx, l.walks.data, t.Test)
		if err != nil {
			return nil, err
		}
		said[k] = one.predictions(scores)
	}
	return said, nil
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	if l.estimator.Static != nil {
		return nil, param.Errorf("static", *l.estimator.Static,
			"static features are there to compare with, no model keeps them")
	}
	defer l.work.Spent.Fitting(time.Now())
	m, err := l.fit(ctx, &t, l.work.Progress)
	if err != nil {
		return nil, err
	}
	d := l.work.Data
	return &Trained{model.HeadOf(modelName, d), m, l.walks.encoding, d.Batch.Directed}, nil
}
