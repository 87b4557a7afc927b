package svm

import (
	"context"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// solution is the optimum at one C, in the space of the solver.
type solution struct {
	v          []float64
	gradient   []float64
	beta       []float64 // 2 C y_i margin_i where positive; only with rotation
	objective  float64
	precision  float64 // see Path.Precision
	iterations int
}

const (
	patience   = 15    // Newton steps before a value of C between is tried
	maxDepth   = 8     // halvings of the way to a value of C
	maxNewton  = 100   // Newton steps after the last halving
	coldStart  = 1e-6  // share of the first C from which the way to it is measured
	sufficient = 0.25  // share of the decrement by which a full step must lower the objective; a quadratic gives 0.5
	negligible = 1e-8  // share of the objective that stands in for |w|^2 where w is nearly 0
	acceptable = 1e-4  // precision below which rounding may end the search without a value of C between
	usable     = 1     // precision below which the best point found is returned at all
	unseen     = 1e-13 // a decrement below this share of the objective is lost in its rounding
	maxUnseen  = 3     // steps of that size before rounding is taken to be all that is left
)

// solver follows the path of one binary problem.
type solver struct {
	passes    *passes
	tolerance float64
	c         float64
	current   *point
	trial     *point
	step      []float64
	system    *system
	history   history
}

func newSolver(s *space, y []float64, o Options) *solver {
	p := newPasses(s, y)
	return &solver{
		passes: p, tolerance: o.Tolerance,
		current: newPoint(s.n, s.p), trial: newPoint(s.n, s.p),
		step:   make([]float64, s.p),
		system: newSystem(p, o.tuning),
	}
}

// path solves for every value of the grid.
func (s *solver) path(ctx context.Context, grid []float64) ([]solution, error) {
	solutions := make([]solution, len(grid))
	for k, c := range grid {
		var err error
		if solutions[k], err = s.reach(ctx, c, 0); err != nil {
			return nil, err
		}
	}
	return solutions, nil
}

// reach solves at c from the solutions so far. Far from the optimum at a large C few rows are active
// and Newton's method creeps along the pieces; where it takes too many steps, it goes by way of a
// value between the last C and this one. Where C is so large that rounding hides the optimum, from about 1e11 on
// features that nearly depend on each other, it returns the best point found, whose precision says so.
func (s *solver) reach(ctx context.Context, c float64, depth int) (solution, error) {
	limit := patience
	if depth == maxDepth {
		limit = maxNewton
	}
	s.c = c
	s.history.predict(c, s.passes.y, s.passes.space.penal, s.current)
	iterations, precision, done, err := s.newton(ctx, limit)
	if err != nil {
		return solution{}, err
	}
	if done || (depth == maxDepth && precision < usable) {
		s.history.add(c, s.current)
		return s.solution(iterations, precision), nil
	}
	if depth == maxDepth {
		return solution{}, fmt.Errorf("no solution for C = %g after %d Newton steps (precision %.1g): "+
			"standardise the features or leave out this C", c, limit, precision)
	}
	between, err := s.reach(ctx, math.Sqrt(c*s.history.lastC(c*coldStart)), depth+1)
	if err != nil {
		return solution{}, err
	}
	sol, err := s.reach(ctx, c, depth+1)
	sol.iterations += iterations + between.iterations
	return sol, err
}

// newton runs Newton's method from the current v. It stops where the Newton decrement is small
// against |w| or where rounding leaves nothing to gain, and gives up after limit steps.
func (s *solver) newton(ctx context.Context, limit int) (iterations int, precision float64, done bool, err error) {
	s.passes.evaluate(s.current, s.c)
	unseenSteps := 0
	for {
		if err := ctx.Err(); err != nil {
			return iterations, precision, false, err
		}
		cur := s.current
		size := math.Sqrt(cur.norm + negligible*2*cur.objective)
		s.system.solve(cur, s.c, s.step, s.tolerance*size)
		decrement := -simd.Dot(cur.gradient, s.step)
		precision = math.Sqrt(math.Abs(decrement))
		if size > 0 {
			precision /= size
		}
		if precision <= s.tolerance {
			return iterations, precision, true, nil
		}
		if iterations == limit {
			return iterations, precision, false, nil
		}
		if decrement <= unseen*cur.objective {
			if unseenSteps == maxUnseen {
				return iterations, precision, precision <= acceptable, nil
			}
			unseenSteps++
		}
		iterations++
		s.advance(decrement)
	}
}

// solution copies the current point.
func (s *solver) solution(iterations int, precision float64) solution {
	sol := solution{
		v:         append([]float64(nil), s.current.v...),
		gradient:  append([]float64(nil), s.current.gradient...),
		objective: s.current.objective, precision: precision, iterations: iterations,
	}
	if s.passes.space.pivots != nil {
		sol.beta = make([]float64, len(s.passes.y))
		for i, y := range s.passes.y {
			sol.beta[i] = 2 * s.c * y * max(1-y*s.current.decision[i], 0)
		}
	}
	return sol
}

// advance moves along the step: by the whole of it where that lowers the objective enough, or where
// the objective is too coarse to tell, otherwise to the minimum along it.
func (s *solver) advance(decrement float64) {
	cur, next := s.current, s.trial
	simd.Add(next.v, cur.v, s.step)
	s.passes.evaluate(next, s.c)
	enough := next.objective <= cur.objective-sufficient*decrement
	if !enough && decrement > unseen*cur.objective {
		t := s.lineMinimum(cur, next)
		copy(next.v, cur.v)
		simd.Axpy(t, s.step, next.v)
		s.passes.evaluate(next, s.c)
	}
	s.current, s.trial = next, cur
}
