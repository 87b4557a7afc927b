package main

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The rows and columns of a layer of a network on a batch of graphs: 128 molecules of NCI1.
const (
	layerRows    = 128 * 30
	layerColumns = 64
)

// layerOperations are those of a training step of a network on graphs.
func layerOperations() []operation {
	return []operation{
		{"linear-grad", "gradients through a linear layer, 3840 rows of 64 numbers, 64 outputs", linearGradient, everywhere},
		{"batch-norm", "3840 rows of 64 columns normalised and rectified, in training", batchNorm, everywhere},
		{"batch-norm-grad", "gradients through that", batchNormGradient, everywhere},
		{"rectify", "3840 rows of 64 numbers with a bias", rectified, everywhere},
		{"rectify-grad", "gradients of both", rectifiedGradient, everywhere},
		{"dropout", "half of 3840 rows of 64 numbers", dropped, everywhere},
		{"sparse-matmul-add", "the neighbours of 3840 vertices of degree 2 added to them, 64 columns", sparseMatMulAdd,
			everywhere},
	}
}

// layer is what operations on the rows of a batch are made of.
type layer struct {
	x, y, slopes, result *tensor.Dense // layerRows x layerColumns
	scale, shift, sums   *tensor.Dense // 1 x layerColumns
	weight               *tensor.Dense // layerColumns x layerColumns
}

func newLayer(t *table, name string) (layer, error) {
	r := newRandom(name)
	var l layer
	var all error
	matrix := func(to **tensor.Dense, rows, columns int) {
		m, err := r.matrix(t.engine, tensor.Float32, rows, columns)
		*to, all = m, errors.Join(all, err)
	}
	for _, to := range []**tensor.Dense{&l.x, &l.y, &l.slopes, &l.result} {
		matrix(to, layerRows, layerColumns)
	}
	for _, to := range []**tensor.Dense{&l.scale, &l.shift, &l.sums} {
		matrix(to, 1, layerColumns)
	}
	matrix(&l.weight, layerColumns, layerColumns)
	return l, all
}

// norm returns a normalisation in training, after a first batch.
func (l layer) norm(t *table) (*engine.BatchNorm, error) {
	column := func() *tensor.Dense { return t.engine.New(tensor.Float32, 1, layerColumns) }
	b := &engine.BatchNorm{Scale: l.scale, Shift: l.shift, Mean: column(), Variance: column(), BatchMean: column(),
		BatchDeviation: column(), Momentum: 0.1, Epsilon: 1e-5, Training: true, Rectify: true}
	return b, t.engine.BatchNorm(l.y, l.x, b)
}

// onLayer is an operation that reads and writes so many matrices of a layer, with operations on each of its elements.
func onLayer(name string, matrices, operations float64,
	prepare func(t *table, l layer) (func(e engine.Engine) error, error)) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		l, err := newLayer(t, name)
		if err != nil {
			return nil, err
		}
		run, err := prepare(t, l)
		if err != nil {
			return nil, err
		}
		return &task{
			shape: fmt.Sprintf("%d x %d", layerRows, layerColumns), run: run,
			units: layerRows, unit: "rows/s",
			floor: floor{flops32: operations * layerRows * layerColumns, bytes: 4 * matrices * layerRows * layerColumns},
		}, nil
	}
}

var (
	linearGradient = onLayer("linear-grad", 3, 4*layerColumns,
		func(_ *table, l layer) (func(e engine.Engine) error, error) {
			weightGrad := l.weight.Clone().(*tensor.Dense)
			return func(e engine.Engine) error {
				return e.LinearGrad(l.result, weightGrad, l.sums, l.slopes, l.x, l.weight)
			}, nil
		})
	batchNorm = onLayer("batch-norm", 2, 6, func(t *table, l layer) (func(e engine.Engine) error, error) {
		b, err := l.norm(t)
		return func(e engine.Engine) error { return e.BatchNorm(l.y, l.x, b) }, err
	})
	batchNormGradient = onLayer("batch-norm-grad", 4, 9, func(t *table, l layer) (func(e engine.Engine) error, error) {
		b, err := l.norm(t)
		scaleGrad := t.engine.New(tensor.Float32, 1, layerColumns)
		return func(e engine.Engine) error {
			return e.BatchNormGrad(l.result, scaleGrad, l.sums, l.slopes, l.x, l.y, b)
		}, err
	})
	rectified = onLayer("rectify", 2, 2, func(_ *table, l layer) (func(e engine.Engine) error, error) {
		return func(e engine.Engine) error { return e.Rectify(l.y, l.x, l.shift) }, nil
	})
	rectifiedGradient = onLayer("rectify-grad", 3, 2, func(_ *table, l layer) (func(e engine.Engine) error, error) {
		return func(e engine.Engine) error { return e.RectifyGrad(l.result, l.sums, l.slopes, l.x) }, nil
	})
	dropped = onLayer("dropout", 2, 1, func(_ *table, l layer) (func(e engine.Engine) error, error) {
		d := engine.Dropout{Rate: 0.5, Seed: 1}
		return func(e engine.Engine) error { return e.Dropout(l.y, l.x, d) }, nil
	})
	sparseMatMulAdd = onLayer("sparse-matmul-add", 3, 2, func(_ *table, l layer) (func(e engine.Engine) error, error) {
		a := &engine.Sparse{Cols: layerRows, RowPtr: []int32{0}}
		for r := range int32(layerRows) { // a ring: sums grow with every run, but never reach infinity
			a.Col = append(a.Col, (r+layerRows-1)%layerRows, (r+1)%layerRows)
			a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
		}
		return func(e engine.Engine) error { return e.SparseMatMulAdd(l.y, a, l.x) }, nil
	})
)
