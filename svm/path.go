package svm

import (
	"context"
	"fmt"

	"gorgonia.org/tensor"
)

// Options holds the numerical settings; the zero value stands for the defaults.
type Options struct {
	// Tolerance bounds Path.Precision, default 1e-9.
	Tolerance float64
	// Workers is the number of goroutines for matrix products and passes over the rows, default 1.
	// The result does not depend on it.
	Workers int
	// Intercept says how decisions get a constant term, default FreeIntercept.
	Intercept Intercept
	// Constant is the value of the further feature with PenalisedIntercept, default 1.
	Constant float64
	// OneScale makes [FitClassifier] divide all columns by the largest of their deviations, in place of each by its own:
	// a column that varies little counts little.
	OneScale bool

	tuning tuning
}

// Intercept says how decisions get a constant term b.
type Intercept int

const (
	// FreeIntercept leaves b out of the penalty.
	FreeIntercept Intercept = iota
	// PenalisedIntercept makes b the weight of a further feature of constant value, times that value: the
	// penalty is 1/2 (|w|^2 + (b/Constant)^2). It is LIBLINEAR's bias.
	PenalisedIntercept
	// NoIntercept sets b to 0.
	NoIntercept
)

const defaultTolerance = 1e-9

func (o Options) withDefaults() Options {
	if o.Tolerance <= 0 {
		o.Tolerance = defaultTolerance
	}
	o.Workers = max(o.Workers, 1)
	if o.Constant == 0 {
		o.Constant = 1
	}
	if o.tuning == (tuning{}) {
		o.tuning = defaultTuning
	}
	return o
}

// Path holds the solutions of one binary problem for a grid of C. All slices have the length of the
// grid, and every weight vector has one entry for each column.
type Path struct {
	C          []float64
	Weight     [][]float64
	Bias       []float64
	Objective  []float64 // penalty + C sum_i max(0, 1 - y_i (<w, x_i> + b))^2
	Iterations []int     // Newton steps
	// Precision is the Newton decrement sqrt(g' H^-1 g) over |w|: it bounds |w - w*| / |w| on the
	// final piece of the objective, and sqrt(2 C) times the error of the decisions over |w|. It is at
	// most the tolerance, but for what rounding leaves where 2 C |X|^2 comes near 1e16.
	Precision []float64
}

// FitPath solves
//
//	min over w, b of 1/2 |w|^2 + C sum_{i in rows} max(0, 1 - y_i (<w, x_i> + b))^2
//
// for every C of an ascending grid, each from the solutions before it; Options.Intercept may penalise b or
// leave it out. x is N x d, Float32 or Float64, contiguous by rows; y holds N labels, +1 or -1; rows picks
// the samples, nil means all. Features are taken as they are; see [FitClassifier] for standardisation.
//
// Where all labels are the same the weights are 0, a free bias is that label and the objective is 0.
// Errors name an empty set of rows, a row out of range, a label that is not +1 or -1, a number that is
// not finite, a grid that is not positive and ascending, and a cancelled context.
func FitPath(ctx context.Context, x *tensor.Dense, rows []int, y []float64, grid []float64, o Options) (*Path, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if n := x.Shape()[0]; len(y) != n {
		return nil, fmt.Errorf("%d labels for a matrix of %d rows", len(y), n)
	}
	if err := checkGrid(grid); err != nil {
		return nil, err
	}
	labels := make([]float64, d.numRows())
	for i, r := range d.rows {
		if y[r] != 1 && y[r] != -1 {
			return nil, fmt.Errorf("the label of row %d is %g: give +1 or -1", r, y[r])
		}
		labels[i] = y[r]
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("no rows to train on")
	}
	if label, same := allSame(labels); same && o.Intercept == FreeIntercept {
		return constantPath(grid, d.columns, label), nil
	}
	o = o.withDefaults()
	return fitSpace(ctx, newSpace(d, o), labels, grid, o)
}

// fitSpace solves one problem on a matrix that several problems may share.
func fitSpace(ctx context.Context, s *space, labels, grid []float64, o Options) (*Path, error) {
	solutions, err := newSolver(s, labels, o).path(ctx, grid)
	if err != nil {
		return nil, err
	}
	p := &Path{
		C: append([]float64(nil), grid...), Weight: s.weights(solutions),
		Bias: make([]float64, len(grid)), Objective: make([]float64, len(grid)),
		Iterations: make([]int, len(grid)), Precision: make([]float64, len(grid)),
	}
	for k, sol := range solutions {
		p.Bias[k] = sol.v[s.p-1] * s.constant
		p.Objective[k] = sol.objective
		p.Iterations[k] = sol.iterations
		p.Precision[k] = sol.precision
	}
	return p, nil
}

// Decision returns <w, x_r> + b at value k of the grid for every r in rows (nil: all rows of x). The
// matrix must have the columns of the training matrix.
func (p *Path) Decision(k int, x *tensor.Dense, rows []int) ([]float64, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	if len(p.Weight[k]) != d.columns {
		return nil, fmt.Errorf("the features have %d columns, the weights %d", d.columns, len(p.Weight[k]))
	}
	out := make([]float64, d.numRows())
	d.decisions(p.Weight[k:k+1], p.Bias[k:k+1], out, 1)
	return out, nil
}

func allSame(labels []float64) (label float64, same bool) {
	for _, y := range labels {
		if y != labels[0] {
			return 0, false
		}
	}
	return labels[0], true
}

// constantPath is the path of a problem in which all rows have the same label.
func constantPath(grid []float64, columns int, label float64) *Path {
	p := &Path{
		C: append([]float64(nil), grid...), Weight: make([][]float64, len(grid)),
		Bias: make([]float64, len(grid)), Objective: make([]float64, len(grid)),
		Iterations: make([]int, len(grid)), Precision: make([]float64, len(grid)),
	}
	for k := range grid {
		p.Weight[k] = make([]float64, columns)
		p.Bias[k] = label
	}
	return p
}
