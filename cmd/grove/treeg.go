package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/treeg"
)

func treegFamily() family {
	return family{
		name: "TREE-G", kind: "treeg", load: loadTreeG, verbs: []string{"eval", "train"}, inner: "5", weights: true,
		models: []modelName{{"treeg", "decision trees whose splits see the graph, boosted, bagged or single"}},
		flags:  func(string) modelFlags { return newTreeGFlags() },
	}
}

// prepared are the walks of a data set with the encoding of its vertices.
type prepared struct {
	encoding *dataset.Encoding
	data     *treeg.Data
}

// settings implements modelFlags. All settings share the walks.
func (g *treegFlags) settings(w *work) []setting {
	walks := &eval.Shared[*prepared]{Compute: func(ctx context.Context, _ []int) (*prepared, error) {
		defer w.spent.transforming(time.Now())
		return g.prepare(ctx, w)
	}}
	all := make([]setting, len(g.options))
	for i, o := range g.options {
		all[i] = &treegSetting{work: w, opt: o, static: g.static, walks: walks, rounds: g.rounds}
	}
	return all
}

// prepare computes the longest walks of all settings, or the static features.
func (g *treegFlags) prepare(ctx context.Context, w *work) (*prepared, error) {
	encoding, err := g.encode(w.data)
	if err != nil {
		return nil, err
	}
	b, err := treesBatch(encoding, w.data)
	if err != nil {
		return nil, err
	}
	longest := g.options[0]
	for _, o := range g.options {
		longest.MaxLength = max(longest.MaxLength, o.MaxLength)
	}
	if g.static >= 0 {
		if b, err = treeg.StaticFeatures(ctx, w.engine, b, g.walked); err != nil {
			return nil, err
		}
	}
	data, err := treeg.Prepare(ctx, w.engine, b, longest)
	return &prepared{encoding, data}, err
}

// treegSetting is one choice of options.
type treegSetting struct {
	work   *work
	opt    treeg.Options
	static int // length of the walks of static features, -1: the trees see walks themselves
	walks  *eval.Shared[*prepared]
	rounds []float64 // numbers of estimators to choose among: those of one fit
}

// String lists the options that a search varies.
func (s *treegSetting) String() string {
	o := s.opt
	size := ""
	if s.rounds == nil {
		size = fmt.Sprintf(" of %d", o.Estimators)
	}
	sees := fmt.Sprintf("walks to %d, ancestors to %d", o.MaxLength, o.MaxDistance)
	if s.static >= 0 {
		sees = fmt.Sprintf("static features to %d", s.static)
	}
	return fmt.Sprintf("%s%s, rate %g, %s, leaves %d, depth %d, %d in a leaf",
		o.Ensemble, size, o.LearningRate, sees, o.MaxLeaves, o.MaxDepth, o.MinLeaf)
}

// treegParams are the options of a setting.
type treegParams struct {
	treeg.Options
	Static *int `json:"static,omitempty"`
}

func (s *treegSetting) params() any {
	p := treegParams{Options: s.opt}
	if s.static >= 0 {
		p.Static = &s.static
	}
	return p
}

// Grid implements [eval.Setting]. The first rounds of a fit are those of a fit of fewer.
func (s *treegSetting) Grid() eval.Grid {
	if s.rounds == nil {
		return eval.Grid{}
	}
	return eval.Grid{Name: "estimators", Values: s.rounds}
}

// Learner implements [eval.Setting]: walks need no targets.
func (s *treegSetting) Learner(ctx context.Context, _ []int) (eval.Learner, error) {
	_, err := s.walks.Get(ctx, nil)
	return s, err
}

// Learn implements [eval.Learner].
func (s *treegSetting) Learn(ctx context.Context, t eval.Task) ([]eval.Targets, error) {
	p, err := s.walks.Get(ctx, nil)
	if err != nil {
		return nil, err
	}
	targets := treeg.Targets{Train: t.Train, NumClasses: s.work.data.NumClasses()}
	n := p.data.Examples()
	if t.Known.Classes != nil {
		targets.Classes = filled(n, -1)
		for k, i := range t.Train {
			targets.Classes[i] = t.Known.Classes[k]
		}
	} else {
		targets.Values = filled(n, math.NaN())
		for k, i := range t.Train {
			targets.Values[i] = t.Known.Values[k]
		}
	}
	opt, sizes := s.opt, t.Grid
	if sizes == nil {
		sizes = []float64{float64(opt.Estimators)}
	}
	opt.Estimators = int(slices.Max(sizes))
	m, err := p.data.Fit(ctx, targets, opt, stageless(t.Progress))
	if err != nil {
		return nil, err
	}
	predicted := make([]eval.Targets, len(sizes))
	for k, size := range sizes {
		one := m.First(int(size))
		scores, err := one.ScoresOf(ctx, p.data, t.Test)
		if err != nil {
			return nil, err
		}
		if targets.Classes == nil {
			predicted[k].Values = scores
		} else if predicted[k].Classes, err = one.ClassesOf(scores); err != nil {
			return nil, err
		}
	}
	return predicted, nil
}

// stageless passes on how far a training has come, without the name of the stage.
func stageless(progress func(done, total int)) treeg.Progress {
	if progress == nil {
		return nil
	}
	return func(_ string, done, total int) { progress(done, total) }
}

// filled returns n times a value.
func filled[T any](n int, value T) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// train implements setting.
func (s *treegSetting) train(ctx context.Context, estimators float64) (predictor, error) {
	p, err := s.walks.Get(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer s.work.spent.fitting(time.Now())
	d, opt := s.work.data, s.opt
	if s.rounds != nil {
		opt.Estimators = int(estimators)
	}
	x := examplesOf(d)
	targets := treeg.Targets{Classes: x.classes, NumClasses: d.NumClasses(), Values: x.values}
	m, err := p.data.Fit(ctx, targets, opt, s.work.report)
	if err != nil {
		return nil, err
	}
	h := head{Model: "treeg", Task: x.task, Classes: d.ClassNames, Targets: d.TargetNames}
	return &treegModel{h, p.encoding, d.Batch.Directed, m}, nil
}
