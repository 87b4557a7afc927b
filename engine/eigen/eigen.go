// Package eigen computes the eigenvalues and eigenvectors of dense symmetric matrices in float64,
// and from them the regularised inverse square root of a kernel Gram matrix.
//
//	values, vectors, err := eigen.Symmetric(workers, n, a, n)
//	values, vectors, err := eigen.InvSqrt(workers, n, root, k, 1e-3, eigen.AfterRoot)
//
// The method is that of LAPACK's dsyevd, written over rows because a row-major row is contiguous:
//
//  1. scaling by a power of two, so that the largest entry lies in [1/2, 1);
//  2. blocked Householder reduction A = Q T Q^T to tridiagonal form (Golub and Van Loan, Matrix
//     Computations, 4th edition, section 8.3.1; LAPACK dsytrd and dlatrd);
//  3. Cuppen's divide and conquer T = Z diag(e) Z^T with deflation and the stable eigenvectors of Gu
//     and Eisenstat (Golub and Van Loan, section 8.4.3; LAPACK dstedc and dlaed1 to dlaed4), down to
//     small blocks that implicit QL solves (Golub and Van Loan, section 8.3.3; LAPACK dsteqr);
//  4. back-transformation V = Q Z by blocks of reflectors in the WY form (Golub and Van Loan, section
//     5.1.7; LAPACK dormtr and dlarft).
//
// Nearly all the arithmetic of steps 2 to 4 is matrix products. Every sum is taken in an order that
// depends on n alone, so the result has the same bits for any number of workers.
package eigen

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// unitRoundoff is the largest relative error of one rounding, 2^-53 (LAPACK dlamch('Epsilon')).
const unitRoundoff = 0x1p-53

var (
	// ErrNotFinite reports a matrix with a NaN or an infinity, or one so large that an eigenvalue
	// lies outside the range of float64.
	ErrNotFinite = errors.New("not finite")
	// ErrNoConvergence reports an iteration that did not converge; no finite matrix is known to
	// cause it.
	ErrNoConvergence = errors.New("no convergence")
)

// Symmetric returns the eigendecomposition A = V diag(values) V^T of a symmetric matrix.
//
// The n x n matrix A is row-major in a with leading dimension lda >= n. Only its lower triangle,
// columns j <= i of row i, is read, and a is not changed. The n values are in ascending order. The
// vectors are n x n row-major, and eigenvector j is ROW j, vectors[j*n:(j+1)*n], of unit length: the
// slice is V^T, and f(A) = V diag(f) V^T is the product simd.Gemm(workers, true, false, ...) of it
// with a copy whose row j is scaled by f_j. The sign of an eigenvector is arbitrary.
//
// Computed values and vectors satisfy |A V - V diag(values)| and |V^T V - I| of the order of n
// 2^-53, relative to |A| and 1.
//
// The work is split over at most workers goroutines (at least one); the result has the same bits
// for any number of them. The error wraps [ErrNotFinite] or [ErrNoConvergence]. Symmetric panics if
// n < 0, lda < n or a is too short.
func Symmetric(workers int, n int, a []float64, lda int) (values []float64, vectors []float64, err error) {
	if n < 0 {
		panic(fmt.Sprintf("eigen: negative order %d", n))
	}
	if lda < max(n, 1) {
		panic(fmt.Sprintf("eigen: leading dimension %d is less than the order %d", lda, n))
	}
	if n == 0 {
		return []float64{}, []float64{}, nil
	}
	if len(a) < (n-1)*lda+n {
		panic(fmt.Sprintf("eigen: %d numbers are too few for order %d and leading dimension %d", len(a), n, lda))
	}
	workers = max(workers, 1)

	largest, err := largestEntry(n, a, lda)
	if err != nil {
		return nil, nil, err
	}
	if largest == 0 {
		return make([]float64, n), identity(n), nil
	}
	_, exponent := math.Frexp(largest)
	space := borrow(n*n + 2*n)
	defer space.release()
	full := space.take(n * n)
	scaledCopy(n, a, lda, -exponent, full)

	values = make([]float64, n)
	offDiagonal, tau := space.take(n), space.take(n)
	clear(offDiagonal)
	clear(tau)
	tridiagonalise(workers, n, full, values, offDiagonal, tau)
	vectors, err = solveTridiagonal(workers, values, offDiagonal)
	if err != nil {
		return nil, nil, fmt.Errorf("eigen: matrix of order %d: %w", n, err)
	}
	transformBack(workers, n, full, tau, vectors)

	multiplyByPowerOfTwo(values, exponent)
	for _, value := range []float64{values[0], values[n-1]} {
		if math.IsInf(value, 0) {
			return nil, nil, fmt.Errorf("eigen: an eigenvalue exceeds the range of float64, scale the matrix down: %w",
				ErrNotFinite)
		}
	}
	return values, vectors, nil
}

// largestEntry returns the largest absolute value in the lower triangle.
func largestEntry(n int, a []float64, lda int) (float64, error) {
	largest := 0.0
	for i := range n {
		for j, x := range a[i*lda : i*lda+i+1] {
			x = math.Abs(x)
			if !(x <= math.MaxFloat64) {
				return 0, fmt.Errorf("eigen: entry (%d, %d) of the matrix is %v, remove it before: %w",
					i, j, a[i*lda+j], ErrNotFinite)
			}
			largest = max(largest, x)
		}
	}
	return largest, nil
}

func identity(n int) []float64 {
	q := make([]float64, n*n)
	for i := range n {
		q[i*n+i] = 1
	}
	return q
}

// scaledCopy sets full to the n x n matrix 2^exponent A, its upper triangle copied from the lower one.
func scaledCopy(n int, a []float64, lda, exponent int, full []float64) {
	for i := range n {
		row := full[i*n : i*n+i+1]
		copy(row, a[i*lda:])
		multiplyByPowerOfTwo(row, exponent)
	}
	mirror(n, full)
}

// mirror copies the lower triangle of an n x n matrix to the upper one.
func mirror(n int, a []float64) {
	// Square tiles keep both the rows that are read and those that are written in the cache.
	const tile = 32
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					a[j*n+i] = a[i*n+j]
				}
			}
		}
	}
}

// multiplyByPowerOfTwo does x *= 2^exponent. It takes two steps, because 2^exponent itself can be
// outside the range of float64, as for the smallest subnormal numbers.
func multiplyByPowerOfTwo(x []float64, exponent int) {
	half := exponent / 2
	simd.Scale(math.Ldexp(1, half), x)
	simd.Scale(math.Ldexp(1, exponent-half), x)
}
