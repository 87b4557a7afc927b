package svm

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"
)

// Scaler standardises columns: z = (x - Mean) / Scale, both of length d.
//
// Mean and Scale are the mean and the population standard deviation (divisor n) of the rows that the
// scaler was fitted on. A constant column has Scale 1, so that it becomes 0. A column counts as
// constant where its standard deviation is at most ten units in the last place of its mean, in the
// type of the matrix: what varies there is rounding.
type Scaler struct {
	Mean  []float64 `json:"mean"`
	Scale []float64 `json:"scale"`
}

const constantUnits = 10

func (d *design) fitScaler() (*Scaler, error) {
	n := d.numRows()
	if n == 0 {
		return nil, fmt.Errorf("no rows to standardise on")
	}
	mean, scale := make([]float64, d.columns), make([]float64, d.columns)
	row := make([]float64, d.columns)
	for i := range n {
		d.fill(row, d.columns, i, i+1, 0, d.columns)
		for j, v := range row {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	for i := range n {
		d.fill(row, d.columns, i, i+1, 0, d.columns)
		for j, v := range row {
			scale[j] += (v - mean[j]) * (v - mean[j])
		}
	}
	for j := range scale {
		scale[j] = math.Sqrt(scale[j] / float64(n))
		if scale[j] <= constantUnits*d.epsilon()*math.Abs(mean[j]) {
			scale[j] = 1
		}
	}
	return &Scaler{Mean: mean, Scale: scale}, nil
}

// Transform returns the standardised rows of x, one for each index in rows (nil: all), as a new
// matrix of Float64. The columns must be as many as the scaler was fitted on.
func (s *Scaler) Transform(x *tensor.Dense, rows []int) (*tensor.Dense, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if err := d.standardise(s); err != nil {
		return nil, err
	}
	n := d.numRows()
	out := make([]float64, n*d.columns)
	d.fill(out, d.columns, 0, n, 0, d.columns)
	return tensor.New(tensor.WithShape(n, d.columns), tensor.WithBacking(out)), nil
}

func (d *design) standardise(s *Scaler) error {
	if len(s.Mean) != d.columns || len(s.Scale) != d.columns {
		return fmt.Errorf("the features have %d columns, the scaler was fitted on %d", d.columns, len(s.Mean))
	}
	d.scaler = s
	return nil
}
