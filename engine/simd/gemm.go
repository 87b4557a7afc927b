package simd

import "fmt"

// Gemm is the general matrix product
//
//	C = alpha * op(A) * op(B) + beta * C
//
// with op(X) = X, or the transpose of X where transA or transB is set. op(A) is m x k, op(B) is
// k x n and C is m x n. Matrices are stored by rows: element (i, j) of X is x[i*ldx + j], so that
// the leading dimensions satisfy lda >= k (m if transA), ldb >= n (k if transB) and ldc >= n.
//
// With beta = 0, C is overwritten without being read; with alpha = 0 or k = 0, A and B are not read.
// C must not overlap A or B.
//
// The work is split over at most workers goroutines (at least one) by tiles of C, never along k, so
// that the bits of C do not depend on workers.
func Gemm[T Float](
	workers int, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) {
	checkGemm(transA, transB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if m > 0 && n > 0 {
		gemm(active, false, workers, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// GemmApart is [Gemm] with rows that stand apart: a row of C has the same bits whatever the others are, and however
// many. It is slower where there are few rows, or few columns and A is transposed.
func GemmApart[T Float](
	workers int, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int,
) {
	checkGemm(transA, transB, m, n, k, len(a), lda, len(b), ldb, len(c), ldc)
	if m > 0 && n > 0 {
		gemm(active, true, workers, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// checkGemm panics unless matrices of the given lengths and leading dimensions hold a product.
func checkGemm(transA, transB bool, m, n, k, a, lda, b, ldb, c, ldc int) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("simd: Gemm: negative dimension in m = %d, n = %d, k = %d", m, n, k))
	}
	if transA {
		checkMatrix("A", k, m, lda, a)
	} else {
		checkMatrix("A", m, k, lda, a)
	}
	if transB {
		checkMatrix("B", n, k, ldb, b)
	} else {
		checkMatrix("B", k, n, ldb, b)
	}
	checkMatrix("C", m, n, ldc, c)
}

// gemm is Gemm or GemmApart at a level, without empty or misshapen matrices.
func gemm[T Float](
	lv level, apart bool, workers int, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T,
	c []T, ldc int,
) {
	p := product[T]{
		level: lv, m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: matrix(a, lda, transA), b: matrix(b, ldb, transB), c: matrix(c, ldc, false), apart: apart,
	}
	if apart {
		p.solveApart(workers, transA)
	} else {
		p.solve(workers)
	}
}

// checkMatrix panics unless a matrix of the given shape fits its leading dimension and its storage.
func checkMatrix(name string, rows, cols, ld, length int) {
	if ld < cols {
		panic(fmt.Sprintf("simd: Gemm: leading dimension %d of %s is less than its %d columns", ld, name, cols))
	}
	if rows > 0 && cols > 0 && length < (rows-1)*ld+cols {
		panic(fmt.Sprintf("simd: Gemm: %s has %d elements, %d x %d with leading dimension %d needs %d",
			name, length, rows, cols, ld, (rows-1)*ld+cols))
	}
}

// solve chooses the way to compute a product. The choice depends on the shapes and on the level, not
// on the number of workers.
func (p *product[T]) solve(workers int) {
	switch {
	case p.alpha == 0 || p.k == 0:
		p.scaleOnly()
	case p.a.col == 1 && thin[T](p.level, p.n, p.k):
		p.byRows(workers)
	case p.b.row == 1 && thin[T](p.level, p.m, p.k):
		t := p.transpose()
		t.byRows(workers)
	case p.a.row == 1 && p.m >= 4*p.n && thin[T](p.level, p.n, p.k):
		t := p.transpose()
		t.byColumns(workers)
	default:
		p.byBlocks(workers)
	}
}

// thin reports whether a matrix of n columns, multiplied along an inner dimension k, leaves so many
// lanes of a vector empty that it is better to put the vectors along another dimension. The cost of
// that is about ten steps for every element of C.
func thin[T Float](lv level, n, k int) bool {
	lanes := vectorLanes[T](lv)
	return n < lanes && k*(lanes-n) > 10*n*lanes
}
