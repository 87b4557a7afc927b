package svm

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/rounds"
)

// shares of a step of which the best is taken where the whole is too long.
var shares = [...]float64{1, 1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 32, 1. / 64, 1. / 128}

// evaluated is what some rows say of the trials of all problems.
type evaluated struct {
	Loss     [][]float64 // sums of squared margins, at the shares of the way from the point before to the trial
	Gradient [][]float64 // of the loss at the trial
	Gram     [][]float64 // by which the sums change; nil where no row does
}

// evaluate computes what the rows from one to the one before another say of the trials.
func (f *rowFit) evaluate(from, to int) (evaluated, error) {
	p, n := f.design.columns+1, len(f.problems)
	e := evaluated{make([][]float64, n), make([][]float64, n), make([][]float64, n)}
	enter, leave := make([]*gramSum, n), make([]*gramSum, n)
	for k := range f.problems {
		e.Loss[k], e.Gradient[k] = make([]float64, len(shares)), make([]float64, p)
		enter[k], leave[k] = newGramSum(p), newGramSum(p)
	}
	f.each(from, to, func(i int, row []float64) {
		for k, one := range f.problems {
			if one.done {
				continue
			}
			y := one.label(i)
			before, after := 1-y*simd.Dot(row, one.summed), 1-y*simd.Dot(row, one.trial)
			for s, t := range shares {
				if margin := before + t*(after-before); margin > 0 {
					e.Loss[k][s] += margin * margin
				}
			}
			if after > 0 {
				simd.Axpy(-2*f.c*y*after, row, e.Gradient[k])
			}
			switch {
			case after > 0 && before <= 0:
				enter[k].add(row)
			case after <= 0 && before > 0:
				leave[k].add(row)
			}
		}
	})
	for k := range f.problems {
		e.Gram[k] = enter[k].packed()
		if out := leave[k].packed(); out != nil {
			simd.Scale(-1, out)
			e.Gram[k] = added(e.Gram[k], out)
		}
	}
	return e, nil
}

// join adds up what neighbouring blocks say.
func (e evaluated) join(o evaluated) evaluated {
	for k := range e.Loss {
		e.Loss[k], e.Gradient[k], e.Gram[k] = added(e.Loss[k], o.Loss[k]), added(e.Gradient[k], o.Gradient[k]),
			added(e.Gram[k], o.Gram[k])
	}
	return e
}

// solve takes Newton's steps for all problems side by side.
func (f *rowFit) solve(ctx context.Context) error {
	if len(f.problems) == 0 {
		return nil
	}
	if err := f.begin(ctx); err != nil {
		return err
	}
	for pass := 1; ; pass++ {
		working := false
		for _, one := range f.problems {
			if !one.done && !one.last {
				f.newton(one)
			}
			working = working || !one.done
		}
		if !working {
			return nil
		}
		if pass > maxNewton {
			return &NoSolutionError{f.c}
		}
		said, err := rounds.Reduce(ctx, f.by, over(f, fmt.Sprintf("step %d of the linear machine", pass), f.evaluate),
			evaluated.join)
		if err != nil {
			return err
		}
		for k, one := range f.problems {
			if !one.done && !one.judge(f.c, said.Loss[k], said.Gradient[k], said.Gram[k]) {
				return &NoSolutionError{f.c}
			}
		}
	}
}

// newton makes the next trial of a problem, or ends it: as [solver] does.
func (f *rowFit) newton(one *rowProblem) {
	p := len(one.v)
	root := &cholesky{workers: f.options.Workers}
	root.resize(p)
	at := 0
	for i := range p {
		row := root.l[i*p : i*p+i+1]
		copy(row, one.gram[at:at+i+1])
		at += i + 1
		simd.Scale(2*f.c, row)
		if i < p-1 {
			row[i]++
			root.floor[i] = 0.5 // in exact arithmetic the pivot is at least 1
		}
	}
	intercept := &root.l[p*p-1]
	if *intercept == 0 {
		*intercept = 1 // no row says anything about it
	}
	root.floor[p-1] = *intercept * 0x1p-50
	root.factor()
	one.step = slices.Clone(one.gradient)
	simd.Scale(-1, one.step)
	root.solve(one.step)
	one.decrement = -simd.Dot(one.gradient, one.step)
	size := simd.Dot(one.v[:p-1], one.v[:p-1]) + negligible*2*one.objective
	goal := f.options.Tolerance
	if one.exact {
		goal = max(goal, exactly)
	}
	precise := one.decrement <= goal*goal*size
	if one.decrement <= unseen*one.objective {
		one.unseen++
	}
	if precise || one.unseen > maxUnseen && one.decrement <= acceptable*acceptable*size {
		one.done = true
		return
	}
	one.trial = make([]float64, p)
	simd.Add(one.trial, one.v, one.step)
}

// judge takes the trial, or the best share of the way to it for the next trial. It reports false where none is better.
func (p *rowProblem) judge(c float64, loss, gradient, gram []float64) bool {
	way := p.last
	p.gram, p.summed, p.last, p.exact = added(p.gram, gram), p.trial, false, len(gram) == 0
	penal := len(p.v) - 1
	objective := func(v []float64, loss float64) float64 { return simd.Dot(v[:penal], v[:penal])/2 + c*loss }
	value := objective(p.trial, loss[0])
	if way || value <= p.objective-sufficient*p.decrement || p.decrement <= unseen*p.objective {
		p.v, p.objective, p.gradient = p.trial, value, gradient
		simd.Add(p.gradient[:penal], p.gradient[:penal], p.v[:penal])
		return true
	}
	best := p.objective
	for s, t := range shares[1:] {
		v := slices.Clone(p.v)
		simd.Axpy(t, p.step, v)
		if value := objective(v, loss[s+1]); value < best {
			best, p.trial, p.last = value, v, true
		}
	}
	return p.last
}
