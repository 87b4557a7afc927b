package eigen

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// panelWidth is the number of columns that are reduced before the rest of the matrix is updated. A column costs
// two vector operations for every one before it in its panel, an update a pass over the matrix: small matrices
// stay in the cache and are updated often (32 is LAPACK ilaenv's choice for dsytrd).
func panelWidth(n int) int { return min(max(4, n/16), 32) }

// tridiagonalise reduces a full symmetric matrix A, n x n row-major with both triangles given, to
// the tridiagonal T = Q^T A Q with the given diagonal and off-diagonal (n-1 numbers) by Householder
// reflections Q = H_0 H_1 ... H_(n-2), H_j = I - tau_j v_j v_j^T.
//
// On return row j of a holds v_j in columns j+1 to n-1, with its leading 1; the rest of a is
// undefined. The reduction is LAPACK's dsytrd with both triangles stored: a column of A is then the
// contiguous row of the same index, the product with A is an inner product a row, and the update of
// the matrix after a panel, A -= V W^T + W V^T, is a single matrix product.
func tridiagonalise(workers, n int, a, diagonal, offDiagonal, tau []float64) {
	// The rows of stack are V^T, W^T and V^T again, so that [V W] [W V]^T needs no further copy.
	panel := min(panelWidth(n), n)
	space := borrow(3 * panel * n)
	defer space.release()
	stack := space.take(3 * panel * n)
	for from := 0; from < n; from += panel {
		to := min(from+panel, n)
		width := to - from
		w := stack[width*n : 2*width*n]
		for j := from; j < to; j++ {
			reduceColumn(workers, n, from, j, a, w, diagonal, offDiagonal, tau)
		}
		rest := n - to
		if rest == 0 {
			return
		}
		for p := range width {
			v := a[(from+p)*n+to : (from+p+1)*n]
			copy(stack[p*n+to:], v)
			copy(stack[(2*width+p)*n+to:], v)
		}
		simd.Gemm(workers, true, false, rest, rest, 2*width,
			-1, stack[to:], n, stack[width*n+to:], n, 1, a[to*n+to:], n)
	}
}

// reduceColumn brings column j of the panel that starts at column from into tridiagonal form
// (LAPACK dlatrd). Rows from..j-1 of a hold the reflectors of the panel, rows 0..j-from-1 of w
// (leading dimension n) hold w_p = tau_p (A v_p - correction), and the rows of a from j on are still
// those from before the panel.
func reduceColumn(workers, n, from, j int, a, w, diagonal, offDiagonal, tau []float64) {
	row := a[j*n+j : (j+1)*n]
	for p := range j - from {
		vp := a[(from+p)*n+j : (from+p+1)*n]
		wp := w[p*n+j : (p+1)*n]
		simd.Axpy(-vp[0], wp, row)
		simd.Axpy(-wp[0], vp, row)
	}
	diagonal[j] = row[0]
	if j == n-1 {
		return
	}
	v := row[1:]
	offDiagonal[j], tau[j] = reflector(v)

	wj := w[(j-from)*n+j+1 : (j-from+1)*n]
	if tau[j] == 0 {
		clear(wj)
		return
	}
	rows := n - j - 1
	simd.Gemm(workers, false, false, rows, 1, rows, 1, a[(j+1)*n+j+1:], n, v, 1, 0, wj, 1)
	for p := range j - from {
		vp := a[(from+p)*n+j+1 : (from+p+1)*n]
		wp := w[p*n+j+1 : (p+1)*n]
		onV, onW := simd.Dot(wp, v), simd.Dot(vp, v)
		simd.Axpy(-onV, vp, wj)
		simd.Axpy(-onW, wp, wj)
	}
	simd.Scale(tau[j], wj)
	simd.Axpy(-0.5*tau[j]*simd.Dot(wj, v), v, wj)
}

// reflector overwrites x with the vector v, v_0 = 1, of the reflection H = I - tau v v^T with H x =
// (beta, 0, ..., 0) (Golub and Van Loan, algorithm 5.1.1; LAPACK dlarfg).
func reflector(x []float64) (beta, tau float64) {
	head, tail := x[0], x[1:]
	x[0] = 1
	squares := simd.Dot(tail, tail)
	// The matrix has entries up to 1. A tail whose squares come near the subnormal numbers would
	// give a reflection that is not orthogonal, and dropping it changes nothing at 2^-53.
	const negligible = 1e-280
	if squares < negligible {
		clear(tail)
		return head, 0
	}
	beta = -math.Copysign(math.Sqrt(head*head+squares), head)
	simd.Scale(1/(head-beta), tail)
	return beta, (beta - head) / beta
}
