package model

import (
	"context"
	"fmt"
	"runtime"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// Fit learns from all examples of a data set that have a target. The grid of the estimator must hold one value, or
// none: package eval chooses among several. A nil engine is the CPU with all its cores.
func Fit(ctx context.Context, d *dataset.Dataset, est Estimator, e engine.Engine) (Model, error) {
	if e == nil {
		e = engine.NewCPU(runtime.GOMAXPROCS(0))
	}
	grid := est.Grid()
	if len(grid.Values) > 1 {
		return nil, fmt.Errorf("%s: %d values of %s to choose from: give one, or let package eval choose", est.Name(),
			len(grid.Values), grid.Name)
	}
	return FitWork(ctx, NewWork(d, e), est, grid.Values)
}

// FitWork learns from all examples of some work that have a target, at a value of the estimator's grid.
func FitWork(ctx context.Context, w *Work, est Estimator, value []float64) (Model, error) {
	if f := FamilyOf(est.Name()); f != nil {
		if err := f.Check(est.Name(), w.Data); err != nil {
			return nil, err
		}
	}
	if err := HasTargets(w.Data); err != nil {
		return nil, err
	}
	l, err := est.Learner(ctx, w)
	if err != nil {
		return nil, err
	}
	m, err := l.Model(ctx, TargetsOf(w.Data).All(value, w.Engine.Workers()))
	if err != nil {
		return nil, err
	}
	m.About().Training = trainingOf(w, est)
	if len(value) == 1 {
		m.About().Training.Value = &value[0]
	}
	return m, nil
}

// FitUnsupervised learns from the graphs of some work, with targets or without.
func FitUnsupervised(ctx context.Context, w *Work, est Estimator) (Model, error) {
	learns, ok := est.(Unsupervised)
	if !ok {
		return nil, fmt.Errorf("%s learns nothing without targets", est.Name())
	}
	blind := *w
	blind.Blind = true
	m, err := learns.Unsupervised(ctx, &blind)
	if err != nil {
		return nil, err
	}
	m.About().Training = trainingOf(w, est)
	return m, nil
}

// trainingOf says what a model was learned from.
func trainingOf(w *Work, est Estimator) Training {
	return Training{
		Dataset: w.Data.Name, Graphs: w.Data.NumGraphs(), Setting: est.String(), Instructions: simd.Level(),
	}
}
