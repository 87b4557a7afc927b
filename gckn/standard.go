package gckn

import (
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// constantUnits is how many units in the last place of its mean the standard deviation of a column has at most that
// counts as constant, as package svm has it.
const constantUnits = 10

// standardOf returns means and standard deviations of the columns of a representation; a constant column has scale 1.
func standardOf(x *tensor.Dense) (autodiff.Affine, error) {
	values, err := engine.Float64s(x)
	if err != nil {
		return autodiff.Affine{}, err
	}
	a, unit := autodiff.Standardise(values, x.Shape()[1]), 0x1p-52
	if x.Dtype() == tensor.Float32 {
		unit = 0x1p-23
	}
	for j, scale := range a.Scale {
		if scale <= constantUnits*unit*math.Abs(a.Mean[j]) {
			a.Scale[j] = 1
		}
	}
	return a, nil
}

// standardised returns (x - mean) / scale in Float64.
func standardised(x *tensor.Dense, a autodiff.Affine) (*tensor.Dense, error) {
	values, err := engine.Float64s(x)
	if err != nil {
		return nil, err
	}
	d := len(a.Mean)
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - a.Mean[i%d]) / a.Scale[i%d]
	}
	return tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(out)), nil
}

// unstandardised makes a classifier of standardised columns one of columns as they are.
func unstandardised(l *svm.Linear, a autodiff.Affine) {
	for k, row := range l.Weight {
		for j := range row {
			row[j] /= a.Scale[j]
			l.Bias[k] -= row[j] * a.Mean[j]
		}
	}
}

// restandardised is the inverse of unstandardised.
func restandardised(l *svm.Linear, a autodiff.Affine) {
	for k, row := range l.Weight {
		for j := range row {
			l.Bias[k] += row[j] * a.Mean[j]
			row[j] *= a.Scale[j]
		}
	}
}
