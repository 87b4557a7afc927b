package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// selection is the choice of C by the published protocol on a representation that is there.
type selection struct {
	folds   []eval.Split
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
		sel.folds, err = eval.Stratified(d.Classes, 10, 0)
		return sel, err
	}
	folds, err := dataset.ReadFolds(dir, d.NumGraphs())
	for _, f := range folds {
		sel.folds = append(sel.folds, eval.Split{Train: f.Train, Test: f.Test})
	}
	return sel, err
}

// represented are vectors that are given.
type represented struct{ x *tensor.Dense }

func (represented) String() string { return "given representation" }

func (r represented) Represent(context.Context, []int) (*tensor.Dense, error) { return r.x, nil }

// run returns the best mean test accuracy, a fraction.
func (s *selection) run(ctx context.Context, x *tensor.Dense, workers int) (float64, error) {
	classified := eval.LinearSVM{Vectors: represented{x}, C: s.grid}
	o, err := eval.Published(ctx, eval.Problem{
		Classes: s.classes, Folds: s.folds, Settings: []eval.Setting{classified}, Workers: workers,
	})
	if err != nil {
		return 0, err
	}
	return o.Mean, nil
}
