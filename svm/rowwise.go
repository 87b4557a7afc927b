package svm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
)

// Rowwise reports whether [FitRows] is the way for a matrix: standardised in float64 it takes more than 64 MiB, and it
// has several times as many rows as columns.
func Rowwise(rows, columns int) bool {
	return 8*rows*(columns+1) > 1<<26 && rows >= 4*(columns+1)
}

// FitRows trains the classifier of [FitClassifier] for one C on rows that are read in passes, each of which
// standardises them anew: beside x the memory is quadratic in the columns, for each problem. A pass evaluates the
// objective of all problems at a point each, with the gradient and the sum G of z z' over the rows that are active
// there; the sum changes by the rows that are active at one of this point and the one before. Newton's method then
// takes the step
//
//	(D + 2 C G) step = -gradient,
//
// the whole of it where that lowers the objective enough, or the best of some shares of it.
//
// The rounds say who goes over the rows. Sums over blocks of rows are added up in a tree that depends on their number
// alone, so results have the same bits for any number of workers and any cut. Errors are those of FitClassifier, and a
// [NoSolutionError]. The intercept is free.
func FitRows(
	ctx context.Context, x *tensor.Dense, rows, classes []int, c float64, o Options, by *rounds.Rounds,
) (*Model, error) {
	single, double, err := contents(x, "the features", "one row for each sample")
	if err != nil {
		return nil, err
	}
	n, columns := x.Shape()[0], x.Shape()[1]
	if len(classes) != n {
		return nil, fmt.Errorf("%d classes for a matrix of %d rows", len(classes), n)
	}
	if err := errors.Join(checkGrid([]float64{c}), checkFree(o)); err != nil {
		return nil, err
	}
	if rows, err = checkRows(n, rows); err != nil {
		return nil, err
	}
	f := &rowFit{
		design: &design{single: single, double: double, columns: columns, rows: split.All(n)},
		in:     make([]bool, n), count: len(rows), c: c, options: o.withDefaults(), by: by,
		first: rounds.Even(n, rowBlock),
	}
	m := &Model{C: c, Classes: split.Select(classes, rows)}
	for _, r := range rows {
		f.in[r] = true
	}
	slices.Sort(m.Classes)
	m.Classes = slices.Compact(m.Classes)
	if err := f.standardise(ctx); err != nil {
		return nil, err
	}
	m.Scaler = *f.design.scaler
	count := problems(len(m.Classes))
	for k := range count {
		positive := m.Classes[len(m.Classes)-count+k]
		f.problems = append(f.problems, &rowProblem{positive: func(row int) bool { return classes[row] == positive }})
	}
	if err := f.solve(ctx); err != nil {
		return nil, err
	}
	for _, p := range f.problems {
		m.Weights, m.Bias = append(m.Weights, p.v[:columns]), append(m.Bias, p.v[columns])
	}
	return m, nil
}

// checkFree refuses options that [FitRows] does not know.
func checkFree(o Options) error {
	if o.Intercept != FreeIntercept {
		return fmt.Errorf("a machine on rows that are read in passes has a free intercept")
	}
	return nil
}

const (
	rowBlock = 1 << 12 // rows of a block of package rounds
	rowChunk = 128     // rows that are standardised at a time
	exactly  = 1e-7    // precision that shows that a step on the right piece, which ends at the optimum, was not spoiled
)

// rowFit trains machines row by row.
type rowFit struct {
	design   *design
	in       []bool // rows to train on
	count    int
	c        float64
	options  Options
	by       *rounds.Rounds
	first    []int // rows of the blocks
	problems []*rowProblem
}

// rowProblem separates a class from the others.
type rowProblem struct {
	positive func(row int) bool

	v, gradient []float64
	objective   float64
	step, trial []float64
	decrement   float64
	last        bool // the trial is taken, whatever it gives

	gram   []float64 // sum of z z' over the rows that are active at summed, lower triangle by rows
	summed []float64
	unseen int
	exact  bool // no row has changed on the whole of the last step
	done   bool
}

// over returns a pass over the blocks of rows.
func over[P any](f *rowFit, name string, compute func(from, to int) (P, error)) rounds.Pass[P] {
	return rounds.Pass[P]{
		Name: name, First: f.first, Workers: f.options.Workers,
		Compute: func(_ context.Context, block int) (P, error) {
			return compute(f.first[block], min(f.first[block]+rowBlock, len(f.in)))
		},
	}
}

// standardise learns the scaler of the rows.
func (f *rowFit) standardise(ctx context.Context) error {
	d := f.design
	sum := func(name string, add func(sum, row []float64)) ([]float64, error) {
		return rounds.Reduce(ctx, f.by, over(f, name, func(from, to int) ([]float64, error) {
			sum, row := make([]float64, d.columns), make([]float64, d.columns)
			for i := from; i < to; i++ {
				if j := d.firstNotFinite(i); j >= 0 {
					return nil, fmt.Errorf("feature %d of row %d is NaN or infinite: remove or replace it", j, i)
				}
				if f.in[i] {
					d.fill(row, d.columns, i, i+1, 0, d.columns)
					add(sum, row)
				}
			}
			return sum, nil
		}), added)
	}
	mean, err := sum("means of the columns", addTo)
	if err != nil {
		return err
	}
	for j := range mean {
		mean[j] /= float64(f.count)
	}
	squares, err := sum("deviations of the columns", func(sum, row []float64) { addSquares(sum, row, mean) })
	if err != nil {
		return err
	}
	d.scaler = &Scaler{Mean: mean, Scale: squares}
	d.scaler.finish(f.count, d.epsilon(), f.options.OneScale)
	return nil
}

// added returns a + b, in place of a. Nothing stands for zeros.
func added(a, b []float64) []float64 {
	switch {
	case len(a) == 0:
		return b
	case len(b) > 0:
		simd.Add(a, a, b)
	}
	return a
}

// each calls visit with standardised rows that are trained on, a 1 behind each, from one to the one before another.
func (f *rowFit) each(from, to int, visit func(i int, row []float64)) {
	p := f.design.columns + 1
	buffer := make([]float64, rowChunk*p)
	for i := range rowChunk {
		buffer[i*p+p-1] = 1
	}
	for ; from < to; from += rowChunk {
		end := min(from+rowChunk, to)
		f.design.fill(buffer, p, from, end, 0, p-1)
		for i := from; i < end; i++ {
			if f.in[i] {
				visit(i, buffer[(i-from)*p:(i-from+1)*p])
			}
		}
	}
}

// moments are the sums over some rows at the point 0.
type moments struct {
	Gram    []float64   // of z z'
	Targets [][]float64 // of y z, for each problem
}

// begin evaluates all problems at 0, where all rows are active.
func (f *rowFit) begin(ctx context.Context) error {
	p := f.design.columns + 1
	sum, err := rounds.Reduce(ctx, f.by, over(f, "products of the columns", func(from, to int) (moments, error) {
		m := moments{Targets: make([][]float64, len(f.problems))}
		for k := range m.Targets {
			m.Targets[k] = make([]float64, p)
		}
		sum := newGramSum(p)
		f.each(from, to, func(i int, row []float64) {
			sum.add(row)
			for k, one := range f.problems {
				simd.Axpy(one.label(i), row, m.Targets[k])
			}
		})
		m.Gram = sum.packed()
		return m, nil
	}), func(a, b moments) moments {
		a.Gram = added(a.Gram, b.Gram)
		for k := range a.Targets {
			a.Targets[k] = added(a.Targets[k], b.Targets[k])
		}
		return a
	})
	if err != nil {
		return err
	}
	for k, one := range f.problems {
		one.v, one.summed = make([]float64, p), make([]float64, p)
		one.gradient, one.gram = sum.Targets[k], slices.Clone(sum.Gram)
		simd.Scale(-2*f.c, one.gradient)
		one.objective = f.c * float64(f.count)
	}
	return nil
}

// label returns +1 for the class of the problem, -1 for others.
func (p *rowProblem) label(row int) float64 {
	if p.positive(row) {
		return 1
	}
	return -1
}
