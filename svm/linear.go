package svm

import (
	"errors"
	"fmt"

	"gorgonia.org/tensor"
)

// Linear is a linear model with one output for each class or target, W x + b on features as they are.
type Linear struct {
	Weight [][]float64 `json:"weight"` // outputs x d
	Bias   []float64   `json:"bias"`   // one for each output
}

// Check returns an error where the parts do not fit each other, as they may in a file.
func (m *Linear) Check() error {
	if len(m.Weight) == 0 || len(m.Weight) != len(m.Bias) {
		return fmt.Errorf("a linear model of %d weight vectors and %d biases", len(m.Weight), len(m.Bias))
	}
	for k, w := range m.Weight {
		if len(w) != len(m.Weight[0]) {
			return fmt.Errorf("weight vector %d has %d entries, the first has %d", k, len(w), len(m.Weight[0]))
		}
		if notFinite(w) >= 0 {
			return errors.New("the linear model holds a number that is not finite")
		}
	}
	if notFinite(m.Bias) >= 0 {
		return errors.New("the linear model holds a number that is not finite")
	}
	return nil
}

// Outputs returns W x + b for the rows of x (N x d; nil: all), a Float64 matrix with a column for each
// output.
func (m *Linear) Outputs(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if d.columns != len(m.Weight[0]) {
		return nil, fmt.Errorf("the features have %d columns, the model was fitted on %d", d.columns, len(m.Weight[0]))
	}
	out := make([]float64, d.numRows()*len(m.Weight))
	d.decisions(m.Weight, m.Bias, out, len(m.Weight))
	return tensor.New(tensor.WithShape(d.numRows(), len(m.Weight)), tensor.WithBacking(out)), nil
}
