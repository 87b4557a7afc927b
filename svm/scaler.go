package svm

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine/simd"
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

// fitScaler standardises the rows of d. With one scale all columns that vary are divided by the largest deviation.
func (d *design) fitScaler(oneScale bool) (*Scaler, error) {
	n := d.numRows()
	if n == 0 {
		return nil, fmt.Errorf("no rows to standardise on")
	}
	mean, scale := make([]float64, d.columns), make([]float64, d.columns)
	row := make([]float64, d.columns)
	for i := range n {
		d.fill(row, d.columns, i, i+1, 0, d.columns)
		addTo(mean, row)
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	for i := range n {
		d.fill(row, d.columns, i, i+1, 0, d.columns)
		addSquares(scale, row, mean)
	}
	s := &Scaler{Mean: mean, Scale: scale}
	s.finish(n, d.epsilon(), oneScale)
	return s, nil
}

// finish makes scales of the sums of n squares. With one scale all columns that vary are divided by the largest.
func (s *Scaler) finish(n int, epsilon float64, oneScale bool) {
	constant, largest := make([]bool, len(s.Scale)), 0.0
	for j := range s.Scale {
		s.Scale[j] = math.Sqrt(s.Scale[j] / float64(n))
		if constant[j] = s.Scale[j] <= constantUnits*epsilon*math.Abs(s.Mean[j]); !constant[j] {
			largest = max(largest, s.Scale[j])
		}
	}
	for j := range s.Scale {
		if constant[j] {
			s.Scale[j] = 1
		} else if oneScale {
			s.Scale[j] = largest
		}
	}
}

// addTo adds a row to sums.
func addTo(sums, row []float64) { simd.Add(sums, sums, row) }

// addSquares adds the squared differences of a row from a mean to sums.
func addSquares(sums, row, mean []float64) {
	for j, v := range row {
		sums[j] += (v - mean[j]) * (v - mean[j])
	}
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
