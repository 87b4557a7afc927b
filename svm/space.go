package svm

import "github.com/grove-graph/grove/engine/simd"

// space is the matrix Z that the solver works on: n rows of p numbers, the last of them a constant for the
// intercept, whose weight is not penalised where it is free. With at most as many columns as rows the
// others are the features. With more columns than rows they are the coordinates R of the rows in an
// orthonormal basis Q of the space that the rows span, X = R Q, found by a pivoted Cholesky factorisation
// of X X' = R R'. The rotation keeps <w, x> and |w|, hence the problem.
type space struct {
	n, p     int
	penal    int     // penalised coordinates: all, or all but the last
	constant float64 // the last number of every row
	z        []float64
	workers  int
	design   *design
	kernel   []float64 // products of penalised coordinates, n x n, lower triangle; nil until gram is called
	pivots   []int     // rows that span, in the order of their columns; nil without rotation
}

func newSpace(d *design, o Options) *space {
	s := &space{n: d.numRows(), workers: o.Workers, design: d, constant: 1}
	switch o.Intercept {
	case PenalisedIntercept:
		s.constant = o.Constant
	case NoIntercept:
		s.constant = 0
	}
	if d.columns > s.n {
		s.rotate()
	} else {
		s.p = d.columns + 1
		s.z = make([]float64, s.n*s.p)
		d.fill(s.z, s.p, 0, s.n, 0, d.columns)
	}
	for i := range s.n {
		s.z[i*s.p+s.p-1] = s.constant
	}
	s.penal = s.p
	if o.Intercept == FreeIntercept {
		s.penal--
	} else if s.kernel != nil {
		for i := range s.kernel {
			s.kernel[i] += s.constant * s.constant
		}
	}
	return s
}

const columnBlock = 512 // columns of X held as float64 at a time while X X' is summed

// gram returns X X', n x n, lower triangle.
func (d *design) gram(workers int) []float64 {
	n := d.numRows()
	out := make([]float64, n*n)
	block := make([]float64, n*min(columnBlock, d.columns))
	for j0 := 0; j0 < d.columns; j0 += columnBlock {
		width := min(columnBlock, d.columns-j0)
		d.fill(block, width, 0, n, j0, j0+width)
		addGram(workers, false, n, width, 1, block, width, out, n)
	}
	return out
}

// rotate fills z with the coordinates of the rows.
func (s *space) rotate() {
	n := s.n
	s.kernel = s.design.gram(s.workers)
	work := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			work[i*n+j], work[j*n+i] = s.kernel[i*n+j], s.kernel[i*n+j]
		}
	}
	coordinates, pivots := pivotedCholesky(s.workers, work, n)
	r := len(pivots)
	s.p, s.pivots = r+1, pivots
	s.z = make([]float64, n*s.p)
	for i := range n {
		copy(s.z[i*s.p:], coordinates[i*n:i*n+r])
	}
}

// gram returns the products of the rows, without a free intercept (lower triangle).
func (s *space) gram() []float64 {
	if s.kernel == nil {
		s.kernel = make([]float64, s.n*s.n)
		addGram(s.workers, false, s.n, s.penal, 1, s.z, s.p, s.kernel, s.n)
	}
	return s.kernel
}

// product returns an entry of gram, after a call of it.
func (s *space) product(i, j int) float64 { return s.kernel[max(i, j)*s.n+min(i, j)] }

// row returns z_i.
func (s *space) row(i int) []float64 { return s.z[i*s.p : (i+1)*s.p] }

// weights returns the weights in feature space of solutions in this space, one row of d for each.
//
// Without rotation they are the first entries of v. Otherwise the optimum is w = X' beta with
// beta_i = 2 C y_i margin_i, where the margin is positive; residual, the first entries of the
// gradient, says by how much R' beta misses v, and goes to the pivot rows.
func (s *space) weights(solutions []solution) [][]float64 {
	out := make([][]float64, len(solutions))
	if s.pivots == nil {
		for k, sol := range solutions {
			out[k] = sol.v[: s.p-1 : s.p-1]
		}
		return out
	}
	d := s.design.columns
	m := len(solutions)
	beta := make([]float64, s.n*m)
	for k, sol := range solutions {
		correction := s.solvePivots(sol.gradient[:s.p-1])
		for i, b := range sol.beta {
			beta[i*m+k] = b
		}
		for j, pivot := range s.pivots {
			beta[pivot*m+k] += correction[j]
		}
	}
	all := s.design.combineRows(s.workers, beta, m)
	for k := range out {
		out[k] = all[k*d : (k+1)*d : (k+1)*d]
	}
	return out
}

// combineRows returns X' beta for m columns of beta (n x m): m rows of as many numbers as X has columns.
func (d *design) combineRows(workers int, beta []float64, m int) []float64 {
	n, out := d.numRows(), make([]float64, m*d.columns)
	block := make([]float64, n*min(columnBlock, d.columns))
	for j0 := 0; j0 < d.columns; j0 += columnBlock {
		width := min(columnBlock, d.columns-j0)
		d.fill(block, width, 0, n, j0, j0+width)
		simd.Gemm(workers, true, false, m, width, n, 1.0, beta, m, block, width, 0, out[j0:], d.columns)
	}
	return out
}

// solvePivots solves R_1' a = g, where R_1 are the pivot rows of R, lower triangular.
func (s *space) solvePivots(g []float64) []float64 {
	a := append([]float64(nil), g...)
	for j := len(a) - 1; j >= 0; j-- {
		row := s.row(s.pivots[j])
		a[j] /= row[j]
		simd.Axpy(-a[j], row[:j], a[:j])
	}
	return a
}
