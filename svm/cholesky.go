package svm

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

const (
	leafSize    = 32  // order of the blocks that are factorised row by row
	squareBlock = 192 // order up to which a symmetric update computes both triangles
)

// cholesky factorises symmetric positive definite matrices, A = L L', by recursive halving, so that
// nearly all work is in matrix products. A pivot below its floor is raised, so that rounding in a
// badly conditioned matrix cannot stop it; the caller learns of it. Buffers are kept between calls.
type cholesky struct {
	workers int
	n       int       // order of the last matrix
	l       []float64 // its factor, n x n, row-major; the strict upper triangle has no meaning
	floor   []float64 // smallest pivot that is believed, for each row
	raised  bool      // a pivot was below its floor
	inverse []float64 // inverses of the diagonal blocks of L, leafSize x leafSize each
	panel   []float64 // n x leafSize
}

// resize makes space for a matrix of order n, whose lower triangle the caller writes to l, and the
// smallest pivots to floor.
func (c *cholesky) resize(n int) {
	c.n = n
	c.l = atLeast(c.l, n*n)
	c.floor = atLeast(c.floor, n)
	c.inverse = atLeast(c.inverse, (n+leafSize-1)/leafSize*leafSize*leafSize)
	c.panel = atLeast(c.panel, n*leafSize)
}

// atLeast returns a slice of n numbers, x itself where it is long enough.
func atLeast(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// factor replaces the matrix in l by its factor.
func (c *cholesky) factor() {
	c.raised = false
	if c.n > 0 {
		c.half(c.l, 0, c.n)
	}
}

// half factorises the diagonal block of rows [from, to), already reduced by the rows before it.
func (c *cholesky) half(a []float64, from, to int) {
	ld := c.n
	if to-from <= leafSize {
		c.leaf(a, from, to)
		return
	}
	mid := middle(from, to)
	c.half(a, from, mid)
	c.solvePanel(a, mid, to, from, mid)
	addGram(c.workers, false, to-mid, mid-from, -1, a[mid*ld+from:], ld, a[mid*ld+mid:], ld)
	c.half(a, mid, to)
}

// middle halves a range at a multiple of leafSize.
func middle(from, to int) int {
	leaves := (to - from + leafSize - 1) / leafSize
	return from + (leaves+1)/2*leafSize
}

// leaf factorises a diagonal block row by row and stores the inverse of its factor.
func (c *cholesky) leaf(a []float64, from, to int) {
	ld := c.n
	for i := from; i < to; i++ {
		row := a[i*ld+from : i*ld+to]
		for j := from; j < i; j++ {
			above := a[j*ld+from : j*ld+to]
			k := j - from
			row[k] = (row[k] - simd.Dot(row[:k], above[:k])) / above[k]
		}
		k := i - from
		pivot := row[k] - simd.Dot(row[:k], row[:k])
		if !(pivot >= c.floor[i]) {
			pivot, c.raised = 2*c.floor[i], true
		}
		row[k] = math.Sqrt(pivot)
	}
	inverse := c.inverse[from*leafSize:]
	for i := range to - from {
		row := inverse[i*leafSize : i*leafSize+leafSize]
		clear(row)
		l := a[(from+i)*ld+from:]
		for k := range i {
			simd.Axpy(l[k], inverse[k*leafSize:k*leafSize+k+1], row[:k+1])
		}
		simd.Scale(-1/l[i], row[:i])
		row[i] = 1 / l[i]
	}
}

// solvePanel overwrites rows [r0, r1), columns [from, to) of a by themselves times the inverse
// transpose of the factor at [from, to).
func (c *cholesky) solvePanel(a []float64, r0, r1, from, to int) {
	ld, rows := c.n, r1-r0
	if to-from > leafSize {
		mid := middle(from, to)
		c.solvePanel(a, r0, r1, from, mid)
		simd.Gemm(c.workers, false, true, rows, to-mid, mid-from, -1.0,
			a[r0*ld+from:], ld, a[mid*ld+from:], ld, 1, a[r0*ld+mid:], ld)
		c.solvePanel(a, r0, r1, mid, to)
		return
	}
	width := to - from
	simd.Gemm(c.workers, false, true, rows, width, width, 1.0,
		a[r0*ld+from:], ld, c.inverse[from*leafSize:], leafSize, 0, c.panel, leafSize)
	for i := range rows {
		copy(a[(r0+i)*ld+from:(r0+i)*ld+to], c.panel[i*leafSize:i*leafSize+width])
	}
}

// forward overwrites b by the solution of L x = b.
func (c *cholesky) forward(b []float64) { c.forwardFrom(0, b) }

// forwardFrom is forward for a b that is 0 before entry first.
func (c *cholesky) forwardFrom(first int, b []float64) {
	for i := first; i < c.n; i++ {
		row := c.l[i*c.n : i*c.n+i+1]
		b[i] = (b[i] - simd.Dot(row[first:i], b[first:i])) / row[i]
	}
}

// backward overwrites b by the solution of L' x = b.
func (c *cholesky) backward(b []float64) {
	for i := c.n - 1; i >= 0; i-- {
		row := c.l[i*c.n : i*c.n+i+1]
		b[i] /= row[i]
		simd.Axpy(-b[i], row[:i], b[:i])
	}
}

// solve overwrites b by the solution of A x = b.
func (c *cholesky) solve(b []float64) {
	c.forward(b)
	c.backward(b)
}

// addGram adds alpha times a Gram matrix to the lower triangle of the n x n matrix c: A A' for A n x
// k, or A' A for A k x n with transposed. Entries of the upper triangle near the diagonal are
// overwritten too.
func addGram(workers int, transposed bool, n, k int, alpha float64, a []float64, lda int, c []float64, ldc int) {
	if k == 0 || n == 0 {
		return
	}
	if n <= squareBlock {
		simd.Gemm(workers, transposed, !transposed, n, n, k, alpha, a, lda, a, lda, 1, c, ldc)
		return
	}
	half := (n/2 + leafSize - 1) / leafSize * leafSize
	below := a[min(half*lda, len(a)):]
	if transposed {
		below = a[half:]
	}
	addGram(workers, transposed, half, k, alpha, a, lda, c, ldc)
	simd.Gemm(workers, transposed, !transposed, n-half, half, k, alpha, below, lda, a, lda, 1, c[half*ldc:], ldc)
	addGram(workers, transposed, n-half, k, alpha, below, lda, c[half*ldc+half:], ldc)
}
