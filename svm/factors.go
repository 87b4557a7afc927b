package svm

import "github.com/grove-graph/grove/engine/simd"

// factorisation solves H u = r for one C and one set A of rows,
//
//	H = D + 2 C sum_{i in A} z_i z_i',    D = diag(1, ..., 1, 0), or the identity without a free intercept.
//
// There are two: [featureFactor] for many rows and [rowFactor] for many columns.
type factorisation interface {
	// renew factorises for another C or another set of rows.
	renew(c float64, active []bool, rows []int)
	// adapt changes the set of rows, given what enters and leaves since renew. It reports false
	// where that is too much.
	adapt(enter, leave []int) bool
	// solve overwrites r by the solution.
	solve(r []float64)
	// raised reports that rounding spoiled a pivot: what solve gives is close to the solution for
	// another, larger H.
	raised() bool
}

// featureFactor factorises H itself, of order p. A row that enters or leaves is a border: with the
// corner -1/(2 C), or 1/(2 C), elimination adds 2 C z z', or subtracts it.
type featureFactor struct {
	gram   *activeGram
	system bordered
	c      float64
	tail   []float64
}

func newFeatureFactor(s *space) *featureFactor {
	return &featureFactor{gram: newActiveGram(s), system: bordered{root: cholesky{workers: s.workers}}}
}

func (f *featureFactor) renew(c float64, active []bool, rows []int) {
	f.c = c
	f.gram.update(active, len(rows))
	p, root := f.gram.space.p, &f.system.root
	root.resize(p)
	for i := range p {
		row := root.l[i*p : i*p+i+1]
		copy(row, f.gram.sum[i*p:])
		simd.Scale(2*c, row)
		if i < f.gram.space.penal {
			row[i]++
			root.floor[i] = 0.5 // in exact arithmetic the pivot is at least 1
		}
	}
	if f.gram.space.penal < p {
		intercept := &root.l[p*p-1]
		if len(rows) == 0 {
			*intercept = 1 // no row says anything about b: leave it where it is
		}
		root.floor[p-1] = *intercept * 0x1p-50
	}
	root.factor()
	f.system.reset()
}

func (f *featureFactor) adapt(enter, leave []int) bool {
	return f.system.attach(append(enter, leave...),
		func(row int, out []float64) { copy(out, f.gram.space.row(row)) },
		func(i, j int) float64 {
			switch {
			case i != j:
				return 0
			case i < len(enter):
				return -1 / (2 * f.c)
			}
			return 1 / (2 * f.c)
		})
}

func (f *featureFactor) solve(r []float64) {
	f.tail = atLeast(f.tail, len(f.system.border))
	clear(f.tail)
	f.system.solve(r, f.tail)
}

func (f *featureFactor) raised() bool { return f.system.root.raised }

// rowFactor factorises S = K_AA + I/(2 C) instead, with K = X X', of the order of A. With
// u = 2 C (X_A w + b), the equation H (w, b) = (r, s) becomes
//
//	S u = X_A r + b,    sum u = s,    w = r - X_A' u,
//
// so that u = S^-1 X_A r + b S^-1 1, and the sum gives b. Without a free intercept there is no b, and Z
// stands in for X. A row that enters is a border of S; one that
// leaves has a unit vector as border, which holds its u at 0.
type rowFactor struct {
	passes *passes
	system bordered
	c      float64
	rows   []int       // of the factor, and after them those that entered
	places map[int]int // row -> place in the factor
	left   []int       // places of the rows that left
	ones   []float64   // S^-1 1
	total  float64     // its sum
	u      []float64
	tail   []float64
}

func newRowFactor(p *passes) *rowFactor {
	return &rowFactor{passes: p, system: bordered{root: cholesky{workers: p.space.workers}}}
}

func (f *rowFactor) renew(c float64, _ []bool, rows []int) {
	kernel, n := f.passes.space.gram(), f.passes.space.n
	f.c = c
	f.rows = append(f.rows[:0], rows...)
	f.places = make(map[int]int, len(rows))
	m, root := len(rows), &f.system.root
	root.resize(m)
	for a, i := range rows {
		f.places[i] = a
		out := root.l[a*m : a*m+a+1]
		from := kernel[i*n : i*n+i+1]
		for b, j := range rows[:a+1] {
			out[b] = from[j]
		}
		out[a] += 1 / (2 * c)
		root.floor[a] = 1 / (4 * c) // in exact arithmetic the pivot is at least 1/(2 C)
	}
	root.factor()
	f.system.reset()
	f.left = f.left[:0]
	f.solveOnes()
}

func (f *rowFactor) adapt(enter, leave []int) bool {
	m := f.system.root.n
	ok := f.system.attach(append(enter, leave...),
		func(row int, out []float64) {
			if place, inside := f.places[row]; inside {
				out[place] = 1
				return
			}
			for a, i := range f.rows[:m] {
				out[a] = f.passes.space.product(row, i)
			}
		},
		func(i, j int) float64 {
			if i >= len(enter) || j >= len(enter) {
				return 0
			}
			value := f.passes.space.product(enter[i], enter[j])
			if i == j {
				value += 1 / (2 * f.c)
			}
			return value
		})
	if !ok {
		return false
	}
	f.rows = append(f.rows[:m], enter...)
	f.left = f.left[:0]
	for _, row := range leave {
		f.left = append(f.left, f.places[row])
	}
	f.solveOnes()
	return true
}

// solveRows overwrites u, over the rows of the factor and those that entered, by S^-1 u.
func (f *rowFactor) solveRows(u []float64) {
	m := f.system.root.n
	f.tail = atLeast(f.tail, len(f.system.border))
	clear(f.tail)
	copy(f.tail, u[m:])
	f.system.solve(u[:m], f.tail)
	copy(u[m:], f.tail)
	for _, place := range f.left {
		u[place] = 0
	}
}

func (f *rowFactor) solveOnes() {
	f.ones, f.u = atLeast(f.ones, len(f.rows)), atLeast(f.u, len(f.rows))
	for a := range f.ones {
		f.ones[a] = 1
	}
	f.solveRows(f.ones)
	f.total = sum(f.ones)
}

func (f *rowFactor) solve(r []float64) {
	penal := f.passes.space.penal
	if len(f.rows) == len(f.left) {
		return // no active rows: H is D, and b stays where it is
	}
	f.passes.project(f.rows, r[:penal], f.u)
	f.solveRows(f.u)
	b := 0.0
	if penal < len(r) {
		b = (r[penal] - sum(f.u)) / f.total
		simd.Axpy(b, f.ones, f.u)
	}
	simd.Scale(-1, f.u)
	f.passes.combine(f.rows, f.u, r)
	if penal < len(r) {
		r[penal] = b
	}
}

func (f *rowFactor) raised() bool { return f.system.root.raised }

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
