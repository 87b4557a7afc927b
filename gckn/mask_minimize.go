package gckn

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// boxLBFGS minimises a smooth function on the box lower <= x_i <= upper. It is the two-metric projection of
// Bertsekas ("Projected Newton methods for optimization problems with simple constraints", SIAM Journal on
// Control and Optimization, 1982) with the limited-memory inverse Hessian of Nocedal and Wright ("Numerical
// Optimization", algorithm 7.4):
//
//	x(step) = P(x + step d),  d = -H g on the free coordinates,  d = -g on the others
//
// where P projects on the box and a coordinate is free unless it lies at a border that the gradient g pushes
// it against. The step is halved until the function has decreased enough (Armijo).
//
// It is a method of gonum's [optimize.Minimize], and has converged where a projected step along the
// gradient moves no coordinate by more than the tolerance.
type boxLBFGS struct {
	lower, upper float64
	tolerance    float64
	memory       int // steps that the inverse Hessian is made of

	status optimize.Status
	err    error

	steps, changes [][]float64 // the last steps and the changes of the gradient along them, the latest last
}

// Constants of the line search, and how near a border counts as at it.
const (
	sufficientDecrease = 1e-4
	mostHalvings       = 50
	borderWidth        = 1e-8

	evaluation = optimize.FuncEvaluation | optimize.GradEvaluation
)

// Uses implements [optimize.Method].
func (*boxLBFGS) Uses(has optimize.Available) (optimize.Available, error) {
	if !has.Grad {
		return optimize.Available{}, optimize.ErrMissingGrad
	}
	return optimize.Available{Grad: true}, nil
}

// Init implements [optimize.Method].
func (m *boxLBFGS) Init(_, _ int) int {
	m.status, m.err = optimize.NotTerminated, nil
	m.steps, m.changes = nil, nil
	return 1
}

// Status implements [optimize.Statuser].
func (m *boxLBFGS) Status() (optimize.Status, error) { return m.status, m.err }

// Run implements [optimize.Method].
func (m *boxLBFGS) Run(operation chan<- optimize.Task, result <-chan optimize.Task, tasks []optimize.Task) {
	defer close(operation)
	at := tasks[0].Location
	ask := func(op optimize.Operation) bool {
		operation <- optimize.Task{Op: op, Location: at}
		return (<-result).Op != optimize.PostIteration
	}
	if m.search(at, ask) {
		operation <- optimize.Task{Op: optimize.MethodDone, Location: at}
	}
	for range result { // ends when everything is collected
	}
}

// search moves the location until the method is done (true) or the run was ended by a limit (false). ask has
// an operation done at the location.
func (m *boxLBFGS) search(at *optimize.Location, ask func(optimize.Operation) bool) bool {
	m.project(at.X)
	if !ask(evaluation) {
		return false
	}
	if math.IsNaN(at.F) || math.IsInf(at.F, 0) {
		m.status, m.err = optimize.Failure, optimize.ErrFunc(at.F)
		return true
	}
	n := len(at.X)
	x, gradient, direction, free := make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
	for {
		if !ask(optimize.MajorIteration) {
			return false
		}
		if m.stationary(at) {
			m.status = optimize.GradientThreshold
			return true
		}
		value := at.F
		copy(x, at.X)
		copy(gradient, at.Gradient)
		for i, v := range x {
			free[i] = !(v <= m.lower+borderWidth && gradient[i] > 0 || v >= m.upper-borderWidth && gradient[i] < 0)
		}
		improved, ended := m.lineSearch(at, x, gradient, direction, m.aim(direction, gradient, free), ask)
		switch {
		case ended:
			return false
		case improved:
			m.remember(x, gradient, at)
			continue
		}
		at.F = value
		copy(at.X, x)
		copy(at.Gradient, gradient)
		if len(m.steps) == 0 {
			m.status = optimize.StepConvergence
			return true
		}
		m.steps, m.changes = nil, nil // what they say of the curvature misleads here: once more along the gradient
	}
}

// lineSearch moves the location from x along the projected direction until the function has decreased enough. It
// reports whether it has, and whether the run was ended.
func (m *boxLBFGS) lineSearch(at *optimize.Location, x, gradient, direction []float64, step float64,
	ask func(optimize.Operation) bool) (improved, ended bool) {
	value := at.F
	for range mostHalvings {
		promised := 0.0
		for i, v := range x {
			at.X[i] = min(max(v+step*direction[i], m.lower), m.upper)
			promised += gradient[i] * (v - at.X[i])
		}
		if promised > 0 {
			if !ask(evaluation) {
				return false, true
			}
			if at.F <= value-sufficientDecrease*promised {
				return true, false
			}
		}
		step /= 2
	}
	return false, false
}

func (m *boxLBFGS) project(x []float64) {
	for i, v := range x {
		x[i] = min(max(v, m.lower), m.upper)
	}
}

// stationary reports whether a projected step along the gradient moves no coordinate by more than the
// tolerance.
func (m *boxLBFGS) stationary(at *optimize.Location) bool {
	for i, v := range at.X {
		if math.Abs(min(max(v-at.Gradient[i], m.lower), m.upper)-v) > m.tolerance {
			return false
		}
	}
	return true
}

// aim computes the direction of the next step and returns how far to try to go along it.
func (m *boxLBFGS) aim(direction, gradient []float64, free []bool) (step float64) {
	dot := func(a, b []float64) float64 {
		sum := 0.0
		for i, ok := range free {
			if ok {
				sum += a[i] * b[i]
			}
		}
		return sum
	}
	add := func(factor float64, a []float64) {
		for i, ok := range free {
			if ok {
				direction[i] += factor * a[i]
			}
		}
	}
	for i, g := range gradient {
		direction[i] = -g
	}
	alpha, curvature := make([]float64, len(m.steps)), make([]float64, len(m.steps))
	scale := 0.0
	for k := len(m.steps) - 1; k >= 0; k-- {
		s, y := m.steps[k], m.changes[k]
		curvature[k] = dot(s, y)
		size := dot(y, y)
		if curvature[k] <= 1e-10*size { // not curved upwards on the free coordinates: left out
			curvature[k] = 0
			continue
		}
		if scale == 0 {
			scale = curvature[k] / size
		}
		alpha[k] = dot(s, direction) / curvature[k]
		add(-alpha[k], y)
	}
	if scale == 0 {
		return 1 / max(math.Sqrt(dot(gradient, gradient)), 1e-300)
	}
	for i, ok := range free {
		if ok {
			direction[i] *= scale
		}
	}
	for k, s := range m.steps {
		if curvature[k] > 0 {
			add(alpha[k]-dot(m.changes[k], direction)/curvature[k], s)
		}
	}
	return 1
}

// remember takes up the step from x to the location.
func (m *boxLBFGS) remember(x, gradient []float64, at *optimize.Location) {
	s, y := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		s[i], y[i] = at.X[i]-x[i], at.Gradient[i]-gradient[i]
	}
	m.steps, m.changes = append(m.steps, s), append(m.changes, y)
	if len(m.steps) > m.memory {
		m.steps, m.changes = m.steps[1:], m.changes[1:]
	}
}
