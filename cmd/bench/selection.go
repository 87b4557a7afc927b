package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// selection is the choice of C by the published protocol on a representation that is there.
type selection struct {
	folds   []split.Fold
	classes []int
	grid    []float64
}

// newSelection takes the published folds of a data set, or ten stratified ones where there are none.
func newSelection(root string, d *dataset.Dataset, s sizes) (*selection, error) {
	sel := &selection{classes: d.Classes}
	for i, c := range svm.CGrid() {
		if i%s.penalty == 0 {
			sel.grid = append(sel.grid, c)
		}
	}
	dir := filepath.Join(root, "folds", d.Name)
	if _, err := os.Stat(dir); err != nil || s.graphs <= d.NumGraphs() {
		sel.folds, err = split.Stratified(d.Classes, 10, 0)
		return sel, err
	}
	folds, err := dataset.ReadFolds(dir, d.NumGraphs())
	for _, f := range folds {
		sel.folds = append(sel.folds, split.Fold{Train: f.Train, Test: f.Test})
	}
	return sel, err
}

// represented is an estimator on vectors that are given. It gives no model.
type represented struct {
	x    *tensor.Dense
	grid []float64
}

func (represented) Name() string                                { return "given representation" }
func (represented) String() string                              { return "given representation" }
func (represented) Params() any                                 { return nil }
func (represented) Sees(*model.Work) (*dataset.Encoding, error) { return nil, nil }
func (r represented) Grid() model.Grid                          { return machine.Grid(r.grid, nil) }

func (r represented) Learner(_ context.Context, w *model.Work) (model.Learner, error) {
	v, err := machine.OnVectors(r.x, svm.VectorKernel{}, w.Engine)
	return learner{v}, err
}

type learner struct{ *machine.Vectors }

func (learner) Model(context.Context, model.Trial) (model.Model, error) {
	return nil, errors.New("a given representation gives no model")
}

// run returns the best mean test accuracy, a fraction.
func (s *selection) run(ctx context.Context, x *tensor.Dense, workers int) (float64, error) {
	o, err := eval.Published(ctx, eval.Problem{
		Work: model.NewWork(&dataset.Dataset{}, engine.NewCPU(workers)), Targets: &model.Targets{Classes: s.classes},
		Folds: s.folds, Estimators: []model.Estimator{represented{x, s.grid}}, Workers: workers,
	})
	if err != nil {
		return 0, err
	}
	return o.Mean, nil
}
