package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
	"gorgonia.org/tensor"
)

// Loss is what a [Linear] model is fitted for. The losses are those of package autodiff, for the outputs
// x of a row.
type Loss string

// The losses. The target t of an output is +1 for the class of the row and else -1; y is 1 and else 0.
const (
	CrossEntropy Loss = "cross-entropy" // -log softmax(x)_class
	Logistic     Loss = "logistic"      // mean over the outputs of log(1 + exp(x)) - y x
	SquaredHinge Loss = "squared-hinge" // sum over the outputs of 1/2 max(0, 1 - t x)^2
	Squared      Loss = "squared"       // sum over the outputs of 1/2 (x - value)^2
)

// LinearProblem says what [FitLinear] minimises over W (Outputs x d) and b:
//
//	sum_i weight_i loss(W x_i + b, target_i) + Decay/2 |W|^2
//
// which is how the classifier of a supervised GCKN starts (docs/conventions.md, 18). Targets are those of
// all rows of the matrix, whichever are fitted on.
type LinearProblem struct {
	Loss    Loss
	Outputs int
	Classes []int     // of each row, 0 to Outputs-1; nil for Squared
	Values  []float64 // rows x Outputs, for Squared
	Weights []float64 // of each row; nil: ones
	Decay   float64
	Start   *Linear // where the search starts; nil: zeros

	// Tolerance bounds the gradient at the end, in standardised columns and for each row; default 1e-7.
	Tolerance  float64
	Iterations int // at most, default 1000: with no decay separable classes have no minimum
	Workers    int // goroutines, default 1; the result does not depend on it
}

// FitLinear minimises a [LinearProblem] over the given rows of x (N x d, Float32 or Float64; nil: all) by
// L-BFGS. The search runs over standardised columns, smaller ones under a large Decay, a change of variables
// that leaves the problem as it is and makes its scales alike. With a positive Decay W is unique, and so is b
// but for a common constant in the cross-entropy. A cancelled context is an error, and so are a number that is
// not finite and a search that gets nowhere.
func FitLinear(ctx context.Context, x *tensor.Dense, rows []int, p LinearProblem) (*Linear, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if err := p.check(x.Shape()[0]); err != nil {
		return nil, err
	}
	scaler, err := d.fitScaler(false)
	if err != nil {
		return nil, err
	}
	if p.Loss != Squared {
		for _, r := range d.rows {
			if class := p.Classes[r]; class < 0 || class >= p.Outputs {
				return nil, fmt.Errorf("row %d has class %d: want 0 to %d", r, class, p.Outputs-1)
			}
		}
	}
	for j, s := range scaler.Scale { // so that the penalty, Decay / Scale^2, curves no more than the loss of the rows
		scaler.Scale[j] = max(s, math.Sqrt(p.Decay/float64(max(d.numRows(), 1))))
	}
	d.scaler = scaler
	f := &linearObjective{LinearProblem: &p, ctx: ctx, rows: d.rows, d: d.columns, scale: scaler.Scale}
	f.z = make([]float64, d.numRows()*d.columns)
	d.fill(f.z, d.columns, 0, d.numRows(), 0, d.columns)
	start, err := f.standard(p.Start, scaler)
	if err != nil {
		return nil, err
	}
	f.begin, f.least = start, math.Inf(1)
	settings := &optimize.Settings{
		GradientThreshold: p.Tolerance * float64(d.numRows()),
		MajorIterations:   p.Iterations,
		Converger:         optimize.NeverTerminate{},
	}
	problem := optimize.Problem{Func: f.value, Grad: f.gradient, Status: f.status}
	best, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{Linesearcher: &optimize.MoreThuente{}})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case best == nil:
		return nil, fmt.Errorf("fitting a linear model: %w", err)
	case math.IsNaN(best.F) || math.IsInf(best.F, 0):
		return nil, errors.New("fitting a linear model: the loss overflows: scale the features down")
	case f.vain >= vainSearch && slices.Equal(best.X, f.begin):
		return nil, errors.New("fitting a linear model: there is no way down from the start: scale the features down")
	}
	// A line search that finds nothing smaller has come as far as the rounding of float64 allows.
	return f.original(best.X, scaler), nil
}

// mostDecay bounds the decay, whose product with a weight is a number still.
const mostDecay = 1e300

// check fills in the defaults and reports what does not fit.
func (p *LinearProblem) check(rows int) error {
	if p.Tolerance == 0 {
		p.Tolerance = 1e-7
	}
	if p.Iterations == 0 {
		p.Iterations = 1000
	}
	p.Workers = max(p.Workers, 1)
	switch {
	case p.Loss != CrossEntropy && p.Loss != Logistic && p.Loss != SquaredHinge && p.Loss != Squared:
		return fmt.Errorf("loss %q: want %s, %s, %s or %s", p.Loss, CrossEntropy, Logistic, SquaredHinge, Squared)
	case p.Outputs < 1:
		return fmt.Errorf("%d outputs: want at least 1", p.Outputs)
	case !(p.Decay >= 0 && p.Decay <= mostDecay):
		return fmt.Errorf("decay %g: want a number from 0 to %g", p.Decay, mostDecay)
	case p.Weights != nil && len(p.Weights) != rows:
		return fmt.Errorf("%d weights for a matrix of %d rows", len(p.Weights), rows)
	case p.Loss == Squared && len(p.Values) != rows*p.Outputs:
		return fmt.Errorf("%d values for a matrix of %d rows and %d outputs", len(p.Values), rows, p.Outputs)
	case p.Loss != Squared && len(p.Classes) != rows:
		return fmt.Errorf("%d classes for a matrix of %d rows", len(p.Classes), rows)
	}
	return nil
}
