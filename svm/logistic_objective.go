package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/grove-graph/grove/engine/simd"
)

// linearObjective is the objective of a [LinearProblem] in the variables V = W S and c = b + W m, with m and
// S the means and scales of the columns: W x + b = V z + c for the standardised row z.
type linearObjective struct {
	*LinearProblem
	ctx   context.Context
	rows  []int     // of the matrix
	z     []float64 // n x d, standardised
	d     int
	scale []float64

	begin []float64 // where the search starts
	least float64   // the least value so far
	vain  int       // evaluations since then

	at      []float64 // V by rows, then c, that loss, slopes and outputs belong to
	loss    float64
	outputs []float64 // n x Outputs
	slopes  []float64 // of the loss at the outputs
}

// value implements [optimize.Problem].
func (f *linearObjective) value(at []float64) float64 {
	if slices.Equal(f.at, at) {
		return f.loss
	}
	n, k := len(f.rows), f.Outputs
	if f.outputs == nil {
		f.outputs, f.slopes = make([]float64, n*k), make([]float64, n*k)
	}
	bias := at[k*f.d:]
	for i := range n {
		copy(f.outputs[i*k:], bias)
	}
	simd.Gemm(f.Workers, false, true, n, k, f.d, 1.0, f.z, max(f.d, 1), at, max(f.d, 1), 1, f.outputs, k)
	f.loss = 0
	for i, r := range f.rows {
		weight := 1.0
		if f.Weights != nil {
			weight = f.Weights[r]
		}
		slopes := f.slopes[i*k : (i+1)*k]
		f.loss += weight * f.rowLoss(f.outputs[i*k:(i+1)*k], slopes, r)
		simd.Scale(weight, slopes)
	}
	for j, v := range at[:k*f.d] {
		w := v / f.scale[j%f.d]
		f.loss += f.Decay / 2 * w * w
	}
	f.at = append(f.at[:0], at...)
	if f.vain++; f.loss < f.least {
		f.least, f.vain = f.loss, 0
	}
	return f.loss
}

// gradient implements [optimize.Problem].
func (f *linearObjective) gradient(to, at []float64) {
	f.value(at)
	n, k := len(f.rows), f.Outputs
	simd.Gemm(f.Workers, true, false, k, f.d, n, 1.0, f.slopes, k, f.z, max(f.d, 1), 0, to, max(f.d, 1))
	for j, v := range at[:k*f.d] {
		s := f.scale[j%f.d]
		to[j] += f.Decay * v / (s * s)
	}
	bias := to[k*f.d:]
	clear(bias)
	for i := range n {
		simd.Axpy(1, f.slopes[i*k:(i+1)*k], bias)
	}
}

// vainSearch is how many evaluations may follow each other that find nothing smaller. A line search takes some ten;
// one that meets numbers that are not finite does not end.
const vainSearch = 100

// status implements [optimize.Problem]: it stops the search when nobody waits for it, and when it leads nowhere.
func (f *linearObjective) status() (optimize.Status, error) {
	if f.ctx.Err() != nil || f.vain >= vainSearch {
		return optimize.MethodConverge, nil
	}
	return optimize.NotTerminated, nil
}

// rowLoss returns the loss of the outputs of row r of the matrix and its slopes.
func (f *linearObjective) rowLoss(x, slopes []float64, r int) float64 {
	loss := 0.0
	switch f.Loss {
	case CrossEntropy:
		largest, sum := slices.Max(x), 0.0
		for j, v := range x {
			slopes[j] = math.Exp(v - largest)
			sum += slopes[j]
		}
		simd.Scale(1/sum, slopes)
		slopes[f.Classes[r]]--
		return math.Log(sum) + largest - x[f.Classes[r]]
	case Logistic:
		for j, v := range x {
			y := 0.0
			if f.Classes[r] == j {
				y = 1
			}
			loss += (math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) - y*v) / float64(len(x))
			slopes[j] = (1/(1+math.Exp(-v)) - y) / float64(len(x))
		}
	case SquaredHinge:
		for j, v := range x {
			t := -1.0
			if f.Classes[r] == j {
				t = 1
			}
			margin := max(0, 1-t*v)
			loss += margin * margin / 2
			slopes[j] = -t * margin
		}
	case Squared:
		for j, v := range x {
			slopes[j] = v - f.Values[r*len(x)+j]
			loss += slopes[j] * slopes[j] / 2
		}
	}
	return loss
}

// standard returns a model in the variables of the objective; zeros for nil.
func (f *linearObjective) standard(m *Linear, s *Scaler) ([]float64, error) {
	at := make([]float64, f.Outputs*(f.d+1))
	if m == nil {
		return at, nil
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	if len(m.Weight) != f.Outputs || len(m.Weight[0]) != f.d {
		return nil, fmt.Errorf("a start with %d outputs of %d features for %d of %d", len(m.Weight),
			len(m.Weight[0]), f.Outputs, f.d)
	}
	for k, w := range m.Weight {
		c := m.Bias[k]
		for j, v := range w {
			at[k*f.d+j] = v * s.Scale[j]
			c += v * s.Mean[j]
		}
		at[f.Outputs*f.d+k] = c
	}
	return at, nil
}

// original is the inverse of standard.
func (f *linearObjective) original(at []float64, s *Scaler) *Linear {
	m := &Linear{Weight: make([][]float64, f.Outputs), Bias: slices.Clone(at[f.Outputs*f.d:])}
	for k := range m.Weight {
		m.Weight[k] = make([]float64, f.d)
		for j := range m.Weight[k] {
			m.Weight[k][j] = at[k*f.d+j] / s.Scale[j]
			m.Bias[k] -= m.Weight[k][j] * s.Mean[j]
		}
	}
	return m
}
