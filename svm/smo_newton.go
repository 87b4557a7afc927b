package svm

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
)

// A pair moves two variables at a time. Where C is large against the curvature of the kernel, pairs pass the
// same way over and over, and their number grows in proportion to C. Once they have cost as much as it would,
// Newton's method minimises over all variables between their bounds at once; the pairs then find out which
// others should leave theirs. The conditions to stop at, hence the optimum, are the same.
//
// The price of work is in numbers that one core passes over; only its ratios matter, and results depend on
// them within the tolerance.
const (
	pairPrice     = 5     // of a pair, for each active variable
	flopPrice     = 0.05  // of an operation in a factorisation
	newtonBudget  = 10    // times the work of the pairs before it that a step of Newton's method may cost
	newtonLargest = 4096  // variables of a factorisation, which takes 8 bytes for each pair of them
	newtonRidge   = 1e-11 // share of the diagonal that keeps a singular kernel invertible
	stoppedShare  = 4     // a new factorisation is made when one in so many variables has stopped
	ascent        = 1e-6  // relative rise of the objective that rounding does not explain
)

// newtonDue reports whether the pairs have cost as much as a step of Newton's method would.
func (s *smo) newtonDue() bool {
	if s.work += pairPrice * float64(s.active); s.work < s.due {
		return false
	}
	free := len(s.between())
	s.due = factorPrice(free) + float64(free)*float64(s.active)
	return s.work >= s.due && free > 2 && free <= newtonLargest && !s.indefinite
}

// factorPrice is the work of a factorisation for a number of variables.
func factorPrice(variables int) float64 {
	n := float64(variables)
	return n*n*n/3*flopPrice + n*n
}

// between returns the active variables between their bounds.
func (s *smo) between() []int {
	var free []int
	for t := range s.active {
		if s.up[t] && s.down[t] != 0 {
			free = append(free, t)
		}
	}
	return free
}

// newton moves the variables between their bounds to the minimum over them. Where a bound is in the way the
// variable stops there and the others go on. A kernel with which the objective then rises is not positive
// semi-definite, and is left to the pairs.
func (s *smo) newton() error {
	free := s.between()
	a := newFace(s, free)
	for budget := newtonBudget * s.work; a.work < budget; {
		if done, err := a.minimise(budget); err != nil {
			return err
		} else if done {
			break
		}
	}
	a.balance()
	for i, t := range free {
		if delta := s.b[t] - a.before[i]; delta != 0 {
			if err := s.kernel.Row(s.item[t], s.item[:s.active], s.ki[:s.active]); err != nil {
				return err
			}
			simd.Axpy(delta, s.ki[:s.active], s.f[:s.active])
			s.bound(t)
		}
	}
	change := 0.0
	for i, t := range free {
		change += (s.b[t] - a.before[i]) * (a.start[i] + s.f[t]) / 2
	}
	s.indefinite = change > ascent*math.Abs(s.objective())
	s.work, s.due = 0, 0
	s.look()
	return nil
}

// face is a set of variables between their bounds. Newton's equation in it,
//
//	A d = -f + lambda 1,    sum d = 0,    A = K + ridge I,
//
// has the solution d = u + sigma o with A u = mean f - f and A o = 1.
type face struct {
	smo    *smo
	all    []int     // variables that the step began with
	items  []int     // their objects
	before []float64 // their b
	start  []float64 // their f

	variables []int // places in all of those of the factor
	root      cholesky
	u, o, d   []float64
	columns   [][]float64 // of the inverse of A, one for each variable that has stopped since
	stopped   []int       // their places in variables
	work      float64
}

func newFace(s *smo, variables []int) *face {
	a := &face{smo: s, all: variables, root: cholesky{workers: 1}}
	for i, t := range variables {
		a.items = append(a.items, s.item[t])
		a.before = append(a.before, s.b[t])
		a.start = append(a.start, s.f[t])
		a.variables = append(a.variables, i)
	}
	return a
}

// minimise goes on until the minimum over the variables. It reports false where so many have stopped that
// a new factorisation of the others is cheaper.
func (a *face) minimise(budget float64) (done bool, err error) {
	if err := a.solve(); err != nil {
		return false, err
	}
	for a.work < budget && len(a.stopped)*stoppedShare <= len(a.variables) {
		at, ok := a.advance()
		if !ok || at < 0 {
			return true, nil
		}
		a.stop(at)
	}
	a.leave()
	return len(a.variables) < 2, nil
}

// solve finds u and o by a factorisation.
func (a *face) solve() error {
	s, n := a.smo, len(a.variables)
	scale := 0.0
	moved := make([]float64, len(a.all))
	for i, t := range a.all {
		moved[i] = s.b[t] - a.before[i]
		scale = max(scale, math.Abs(s.diag[t]))
	}
	ridge := newtonRidge * scale
	row := make([]float64, len(a.all))
	a.u, a.o, a.d = make([]float64, n), make([]float64, n), make([]float64, n)
	a.root.resize(n)
	for i, v := range a.variables {
		if err := s.kernel.Row(a.items[v], a.items, row); err != nil {
			return err
		}
		a.u[i], a.o[i] = -a.start[v]-simd.Dot(row, moved), 1
		out := a.root.l[i*n : i*n+i+1]
		for j, w := range a.variables[:i+1] {
			out[j] = row[w]
		}
		out[i] += ridge
		a.root.floor[i] = ridge / 2
	}
	a.root.factor()
	mean := sum(a.u) / float64(n) // nothing depends on it but what rounding leaves
	for i := range a.u {
		a.u[i] -= mean
	}
	for _, x := range [][]float64{a.u, a.o} {
		a.root.forward(x)
		a.root.backward(x)
	}
	a.columns, a.stopped = nil, nil
	a.work += factorPrice(n) + float64(n*len(a.all))
	return nil
}

// advance goes along d as far as the bounds allow, at most its whole length. It returns the place of the
// variable that it stops at, or -1, and false where rounding has left no d.
func (a *face) advance() (at int, ok bool) {
	s := a.smo
	d, total := a.d[:len(a.u)], sum(a.o)
	copy(d, a.u)
	for range 2 { // the second time for what rounding left of the sum
		simd.Axpy(-sum(d)/total, a.o, d)
	}
	length, at := 1.0, -1
	for i, v := range a.variables {
		t, most := a.all[v], length
		switch d := d[i]; {
		case !finite(d):
			return -1, false
		case d > 0:
			most = (s.c*s.high[t] - s.b[t]) / d
		case d < 0:
			most = (s.c*s.low[t] - s.b[t]) / d
		}
		if most < length {
			length, at = most, i
		}
	}
	for i, v := range a.variables {
		t, d := a.all[v], d[i]
		low, high := s.c*s.low[t], s.c*s.high[t]
		switch {
		case i != at:
			s.b[t] = min(max(s.b[t]+length*d, low), high)
		case d > 0:
			s.b[t] = high
		default:
			s.b[t] = low
		}
		a.u[i] -= length * d // (1 - length) u - length sigma o
	}
	return at, true
}

// stop holds the d of a variable at 0 from now on: u, o and the inverse of A lose its row and column.
func (a *face) stop(at int) {
	n := len(a.variables)
	column := make([]float64, n)
	column[at] = 1
	a.root.forwardFrom(at, column)
	a.root.backward(column)
	for k, other := range a.columns {
		simd.Axpy(-other[at]/other[a.stopped[k]], other, column)
	}
	for _, before := range a.stopped {
		column[before] = 0 // but for rounding it is
	}
	for _, x := range [][]float64{a.u, a.o} {
		simd.Axpy(-x[at]/column[at], column, x)
		x[at] = 0
	}
	a.columns, a.stopped = append(a.columns, column), append(a.stopped, at)
	a.work += float64(n * (n + len(a.columns)))
}

// leave takes the variables that have stopped out of the face.
func (a *face) leave() {
	for _, at := range a.stopped {
		a.variables[at] = -1
	}
	a.variables = slices.DeleteFunc(a.variables, func(v int) bool { return v < 0 })
}

// balance gives what rounding left of the sum of all variables to the one farthest from its bounds.
func (a *face) balance() {
	s, rest, widest, most := a.smo, 0.0, -1, 0.0
	for i, t := range a.all {
		rest += s.b[t] - a.before[i]
		if gap := min(s.b[t]-s.c*s.low[t], s.c*s.high[t]-s.b[t]); gap > most {
			widest, most = t, gap
		}
	}
	if most > math.Abs(rest) {
		s.b[widest] -= rest
	}
}
