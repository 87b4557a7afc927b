package svm

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine/simd"
)

// Model is a trained linear classifier, with everything that prediction needs.
//
// With two classes there is one problem, in which the larger class is +1. With more there is one for
// each class, that class against the rest. With a single class there is none, and that class is
// always predicted. Weights refer to standardised features.
type Model struct {
	Classes []int       `json:"classes"` // ascending
	C       float64     `json:"c"`
	Scaler  Scaler      `json:"scaler"`
	Weights [][]float64 `json:"weights"` // problems x d
	Bias    []float64   `json:"bias"`    // one for each problem
}

// problems returns the number of binary problems for a number of classes.
func problems(classes int) int {
	switch {
	case classes <= 1:
		return 0
	case classes == 2:
		return 1
	}
	return classes
}

// Check returns an error where the parts do not fit each other, as they may in a file.
func (m *Model) Check() error {
	if len(m.Classes) == 0 {
		return fmt.Errorf("the model has no classes")
	}
	for i := 1; i < len(m.Classes); i++ {
		if m.Classes[i] <= m.Classes[i-1] {
			return fmt.Errorf("the classes of the model are not ascending: %d after %d", m.Classes[i], m.Classes[i-1])
		}
	}
	d := len(m.Scaler.Mean)
	if len(m.Scaler.Scale) != d {
		return fmt.Errorf("the model has %d means and %d scales", d, len(m.Scaler.Scale))
	}
	if want := problems(len(m.Classes)); len(m.Weights) != want || len(m.Bias) != want {
		return fmt.Errorf("the model has %d weight vectors and %d biases for %d classes: want %d",
			len(m.Weights), len(m.Bias), len(m.Classes), want)
	}
	for _, w := range append([][]float64{m.Scaler.Mean, m.Scaler.Scale, m.Bias}, m.Weights...) {
		if notFinite(w) >= 0 {
			return fmt.Errorf("the model holds a number that is not finite")
		}
	}
	if err := checkC(m.C); err != nil {
		return err
	}
	for j, s := range m.Scaler.Scale {
		// A column that varies less is constant, see Scaler.
		if least := constantUnits * 0x1p-52 * math.Abs(m.Scaler.Mean[j]); s <= 0 || s != 1 && s <= least {
			return fmt.Errorf("column %d of the model has mean %g and scale %g", j, m.Scaler.Mean[j], s)
		}
	}
	for k, w := range m.Weights {
		if len(w) != d {
			return fmt.Errorf("weight vector %d of the model has %d entries for %d features", k, len(w), d)
		}
	}
	return nil
}

// CheckTrained returns an error where no training on so many rows gives the weights, at the model's C: the objective
// 1/2 |w|^2 + C sum_i max(0, 1 - f_i)^2 is C rows for zeros and not larger at its minimum. There some row has |f| <= 1,
// which bounds the bias, as no standardised column is longer than the root of the number of rows.
func (m *Model) CheckTrained(rows int) error {
	most := math.Sqrt(2*m.C*float64(rows)) * trainedSlack
	columns := math.Sqrt(float64(len(m.Scaler.Mean)) * float64(rows))
	for k, w := range m.Weights {
		if length := math.Sqrt(simd.Dot(w, w)); !(length <= most) {
			return fmt.Errorf("weight vector %d of the model has length %g; C %g and %d rows give at most %g", k, length, m.C,
				rows, most)
		}
		if b := m.Bias[k]; !(math.Abs(b) <= trainedSlack+most*columns) {
			return fmt.Errorf("bias %d of the model is %g; its C and %d rows give at most %g", k, b, rows,
				trainedSlack+most*columns)
		}
	}
	return nil
}

// trainedSlack is what rounding may add to the bounds on what training gives.
const trainedSlack = 1.01

// Decisions returns <w, z> + b, with z the standardised features, for the rows of x (N x d; nil: all
// rows): a Float64 matrix with one column for each problem of the model, at least one. With a single
// class the column is 0.
func (m *Model) Decisions(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if err := d.standardise(&m.Scaler); err != nil {
		return nil, err
	}
	width := max(len(m.Weights), 1)
	out := make([]float64, d.numRows()*width)
	d.decisions(m.Weights, m.Bias, out, width)
	return tensor.New(tensor.WithShape(d.numRows(), width), tensor.WithBacking(out)), nil
}

// Predict returns the class of every row of x (N x d; nil: all rows): with two classes the larger one
// where the decision is positive, with more the one with the largest decision. Of equal decisions
// the smallest class wins.
func (m *Model) Predict(x *tensor.Dense, rows []int) ([]int, error) {
	decisions, err := m.Decisions(x, rows)
	if err != nil {
		return nil, err
	}
	width := decisions.Shape()[1]
	values := decisions.Data().([]float64)
	out := make([]int, decisions.Shape()[0])
	for i := range out {
		out[i] = choose(m.Classes, values[i*width:(i+1)*width])
	}
	return out, nil
}

// choose returns the class that the decisions of one row speak for.
func choose(classes []int, decisions []float64) int {
	switch len(classes) {
	case 1:
		return classes[0]
	case 2:
		if decisions[0] > 0 {
			return classes[1]
		}
		return classes[0]
	}
	best, value := 0, math.Inf(-1)
	for k, v := range decisions {
		if v > value {
			best, value = k, v
		}
	}
	return classes[best]
}

// decisionRows is the number of rows standardised at a time.
const decisionRows = 64

// decisions writes <w_k, z_i> + b_k to out[i*width+k].
func (d *design) decisions(weights [][]float64, bias, out []float64, width int) {
	n, columns := d.numRows(), d.columns
	block := make([]float64, decisionRows*columns)
	for from := 0; from < n; from += decisionRows {
		to := min(from+decisionRows, n)
		d.fill(block, columns, from, to, 0, columns)
		for i := from; i < to; i++ {
			row := block[(i-from)*columns : (i-from+1)*columns]
			for k, w := range weights {
				out[i*width+k] = simd.Dot(row, w) + bias[k]
			}
		}
	}
}
