package svm

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
)

// FoldPath is what [FitFolds] makes of a fold.
type FoldPath struct {
	*Classifier
	Decisions []*tensor.Dense // what Model(k) decides of the rows of the test part, see [Model.Decisions]
}

// FitFolds trains the classifiers of [FitClassifier] on the training parts of several folds of one matrix, for every C
// of an ascending grid, and predicts the test parts. The intercept is free.
//
// All problems (a fold, a class) take their Newton steps in turn, at the same C, so that a pass over the rows serves
// all of them. A problem is held in columns x that are standardised on all training parts together; in those of its
// own fold, of scale s in terms of x, it is
//
//	minimise  1/2 sum_j s_j^2 u_j^2 + C sum_i max(0, 1 - y_i (<u, x_i> + b))^2,    w_j = s_j u_j.
//
// It keeps G = sum_A x x' and q = sum_A y x over the rows A whose margin is positive, which are brought up to date by
// the rows that enter or leave A. A Newton step is then (diag(s^2) + 2 C G) u = 2 C q and reads no row; the gradient is
// diag(s^2) u - 2 C (q - G u). The sums of the first A, all rows of a training part, are those of the parts of the
// matrix that no fold cuts: they are computed once for all folds.
//
// classes holds the class of each row, any integers. Beside a block the memory is quadratic in the columns, for each
// problem, and [FoldBytes] for each row and problem. Options.Tolerance bounds Path.Precision. Results have the same
// bits for any number of workers and any blocks. Errors are those of [FitClassifier] and of the source, a row that is
// twice in a training part, and a [NoSolutionError].
func FitFolds(
	ctx context.Context, x Source, classes []int, folds []split.Fold, grid []float64, o Options,
) ([]*FoldPath, error) {
	n, _ := x.Dims()
	if len(classes) != n {
		return nil, fmt.Errorf("%d classes for a matrix of %d rows", len(classes), n)
	}
	if o.Intercept != FreeIntercept || o.OneScale {
		return nil, fmt.Errorf("the machines of several folds have a free intercept and a scale for each column")
	}
	if err := checkGrid(grid); err != nil {
		return nil, err
	}
	for f, fold := range folds {
		if len(fold.Train) == 0 {
			return nil, fmt.Errorf("fold %d has no rows to train on", f+1)
		}
		for _, row := range slices.Concat(fold.Train, fold.Test) {
			if row < 0 || row >= n {
				return nil, fmt.Errorf("fold %d: row %d is not in a matrix of %d rows", f+1, row, n)
			}
		}
	}
	o = o.withDefaults()
	r, err := newStandardRows(ctx, x, folds, o)
	if err != nil {
		return nil, err
	}
	paths, s := make([]*FoldPath, len(folds)), &foldSolver{rows: r, options: o}
	for f, fold := range folds {
		c := &Classifier{C: slices.Clone(grid), Scaler: r.parts[f].scaler, Classes: split.Select(classes, fold.Train)}
		slices.Sort(c.Classes)
		c.Classes = slices.Compact(c.Classes)
		paths[f] = &FoldPath{Classifier: c, Decisions: make([]*tensor.Dense, len(grid))}
		count := problems(len(c.Classes))
		for k := range count {
			s.add(&r.parts[f], classes, fold.Train, c.Classes[len(c.Classes)-count+k])
			c.Problems = append(c.Problems, s.problems[len(s.problems)-1].path)
		}
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	for _, c := range approach(grid[0], n) {
		if err := s.reach(ctx, c); err != nil {
			return nil, err
		}
	}
	for k, c := range grid {
		if err := s.reach(ctx, c); err != nil {
			return nil, err
		}
		at := 0
		for f, fold := range folds {
			of := s.problems[at : at+len(paths[f].Problems)]
			at += len(of)
			width := max(len(of), 1) // of a single class zeros
			values := make([]float64, len(fold.Test)*width)
			for i, row := range fold.Test {
				for p, problem := range of {
					values[i*width+p] = problem.decision[row]
				}
			}
			paths[f].Decisions[k] = tensor.New(tensor.WithShape(len(fold.Test), width), tensor.WithBacking(values))
			for _, problem := range of {
				problem.keep(c)
			}
		}
	}
	return paths, nil
}

// FoldBytes is the memory that [FitFolds] takes for each row and each problem.
const FoldBytes = 2*8 + historyLength*4 + 2

// approach returns values of C on the way to the first of a grid: from where the penalty rules Newton's method takes
// few steps to each.
func approach(first float64, rows int) []float64 {
	var way []float64
	for c := first / approachRatio; c*float64(rows) > approachRatio; c /= approachRatio {
		way = append(way, c)
	}
	slices.Reverse(way)
	return way
}

const approachRatio = 10

// standardRows are the rows of a source in columns that are standardised on all training parts together, each with a 1
// behind it for the intercept.
type standardRows struct {
	source  Source
	n, p    int
	scaler  *Scaler // of the rows that are in some part
	parts   []part
	workers int
	held    []float64 // all rows, where they are few enough
}

// part is the training part of a fold.
type part struct {
	train  []bool
	count  int
	scaler *Scaler
	shift  []float64 // its means in terms of the standardised columns
	scale  []float64 // its scales
}

func newStandardRows(ctx context.Context, x Source, folds []split.Fold, o Options) (*standardRows, error) {
	n, columns := x.Dims()
	r := &standardRows{source: x, n: n, p: columns + 1, workers: o.Workers, parts: make([]part, len(folds))}
	for f, fold := range folds {
		p := part{train: make([]bool, n), count: len(fold.Train)}
		for _, row := range fold.Train {
			if p.train[row] {
				return nil, fmt.Errorf("fold %d trains on row %d twice", f+1, row)
			}
			p.train[row] = true
		}
		r.parts[f] = p
	}
	if err := r.fitScalers(ctx); err != nil {
		return nil, err
	}
	if 8*n*r.p <= o.tuning.held {
		held := make([]float64, n*r.p)
		err := r.each(ctx, func(first int, d *design) {
			parallel.Chunks(o.Workers, d.numRows(), standardBlock, func(from, to int) {
				r.fill(d, from, to, held[(first+from)*r.p:])
			})
		})
		if err != nil {
			return nil, err
		}
		r.held = held
	}
	return r, nil
}

// fitScalers standardises the columns on the rows of all parts together and of each, in two passes.
func (r *standardRows) fitScalers(ctx context.Context) error {
	columns := r.p - 1
	all := part{train: make([]bool, r.n)}
	for i := range all.train {
		all.train[i] = slices.ContainsFunc(r.parts, func(p part) bool { return p.train[i] })
		if all.train[i] {
			all.count++
		}
	}
	every := append([]part{all}, r.parts...)
	for i := range every {
		every[i].scaler = &Scaler{Mean: make([]float64, columns), Scale: make([]float64, columns)}
	}
	epsilon := 0.0
	scan := func(add func(p *part, row []float64)) error {
		row := make([]float64, columns)
		return eachDesign(ctx, r.source, func(first int, d *design) {
			epsilon = d.epsilon()
			for i := range d.numRows() {
				d.fill(row, columns, i, i+1, 0, columns)
				for k := range every {
					if p := &every[k]; p.train[first+i] {
						add(p, row)
					}
				}
			}
		})
	}
	if err := scan(func(p *part, row []float64) { addTo(p.scaler.Mean, row) }); err != nil {
		return err
	}
	for _, p := range every {
		for j := range p.scaler.Mean {
			p.scaler.Mean[j] /= float64(p.count)
		}
	}
	if err := scan(func(p *part, row []float64) { addSquares(p.scaler.Scale, row, p.scaler.Mean) }); err != nil {
		return err
	}
	for _, p := range every {
		p.scaler.finish(p.count, epsilon, false)
	}
	r.scaler = every[0].scaler
	for f := range r.parts {
		p := &r.parts[f]
		*p = every[f+1]
		p.shift, p.scale = make([]float64, columns), make([]float64, columns)
		for j := range columns {
			p.shift[j] = (p.scaler.Mean[j] - r.scaler.Mean[j]) / r.scaler.Scale[j]
			p.scale[j] = p.scaler.Scale[j] / r.scaler.Scale[j]
		}
	}
	return nil
}

// each reads the source, once the first passes have checked it.
func (r *standardRows) each(ctx context.Context, visit func(first int, d *design)) error {
	if r.held != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		visit(0, &design{double: r.held, columns: r.p, rows: split.All(r.n)})
		return nil
	}
	return r.source.Blocks(ctx, func(first int, x *tensor.Dense) error {
		single, double, err := contents(x, "the features", "one row for each sample")
		if err != nil {
			return err
		}
		d := &design{single: single, double: double, columns: r.p - 1, rows: split.All(x.Shape()[0]), scaler: r.scaler}
		visit(first, d)
		return ctx.Err()
	})
}

// standardBlock is the number of rows that are standardised at a time.
const standardBlock = 128

// fill writes rows of a block to dst.
func (r *standardRows) fill(d *design, from, to int, dst []float64) {
	if r.held != nil {
		copy(dst, r.held[from*r.p:to*r.p])
		return
	}
	d.fill(dst, r.p, from, to, 0, r.p-1)
	for i := range to - from {
		dst[i*r.p+r.p-1] = 1
	}
}

// some returns rows of a block, in the given buffer where they are not held.
func (r *standardRows) some(d *design, from, to int, buffer []float64) []float64 {
	if r.held != nil {
		return r.held[from*r.p : to*r.p]
	}
	r.fill(d, from, to, buffer)
	return buffer[:(to-from)*r.p]
}
