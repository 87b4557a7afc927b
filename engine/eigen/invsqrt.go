package eigen

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// Rule says where the regularisation of an inverse square root goes. K = V diag(e) V^T.
type Rule int

const (
	// AfterRoot is V diag(1/(sqrt(max(e, 0)) + eps)) V^T, the rule of the published GCKN code
	// (docs/conventions.md, 9).
	AfterRoot Rule = iota
	// InsideRoot is V diag((max(e, 0) + eps)^(-1/2)) V^T = (K + eps I)^(-1/2), the rule of the GCKN paper
	// (section 3.2).
	InsideRoot
	// Published is AfterRoot with the gradient of the published GCKN code, which stays finite where anchors
	// coincide; see [InvSqrtGrad].
	Published
)

// apply returns the eigenvalue of the result for the eigenvalue e of K.
func (r Rule) apply(e, eps float64) float64 {
	if r == InsideRoot {
		return 1 / math.Sqrt(max(e, 0)+eps)
	}
	return 1 / (math.Sqrt(max(e, 0)) + eps)
}

// InvSqrt computes the regularised inverse square root of a symmetric matrix K, such as the Gram
// matrix of anchors, and returns the eigendecomposition of K as [Symmetric] does. K and dst are n x n
// row-major and may be the same slice; only the lower triangle of K is read, and dst is exactly symmetric.
// Eigenvalues below zero, which rounding gives a singular Gram matrix, count as zero.
//
// An eigenvalue e of K is known up to delta, of the order of n 2^-53 |K|, and the root magnifies this
// near zero: the relative error of the result is of the order of delta/(sqrt(e) (sqrt(e) + eps)) with the
// smallest e, and at most sqrt(delta)/eps, for AfterRoot, and delta/(e + eps) for InsideRoot.
//
// The error wraps [ErrNotFinite], also where eps is 0 and K is singular, or [ErrNoConvergence]; dst
// is then unchanged. A negative or NaN eps is an error. InvSqrt panics if a slice is shorter than n*n
// or the rule is unknown.
func InvSqrt(workers, n int, dst, k []float64, eps float64, rule Rule) (values, vectors []float64, err error) {
	if n < 0 || len(dst) < n*n || len(k) < n*n {
		panic(fmt.Sprintf("eigen: %d and %d numbers do not hold two matrices of order %d", len(dst), len(k), n))
	}
	if values, vectors, err = Symmetric(workers, n, k, max(n, 1)); err != nil {
		return nil, nil, err
	}
	if err := rule.check(values, eps); err != nil || n == 0 {
		return values, vectors, err
	}
	// With the roots of the new eigenvalues on both sides the result is a product B^T B.
	space := borrow(n * n)
	defer space.release()
	scaled := space.take(n * n)
	for j, e := range values {
		row := scaled[j*n : (j+1)*n]
		copy(row, vectors[j*n:])
		simd.Scale(math.Sqrt(rule.apply(e, eps)), row)
	}
	simd.Gemm(max(workers, 1), true, false, n, n, n, 1, scaled, n, scaled, n, 0, dst, n)
	mirror(n, dst)
	return values, vectors, nil
}

// check wants a regularisation of at least 0 that gives every eigenvalue an inverse square root. It panics for an
// unknown rule.
func (r Rule) check(values []float64, eps float64) error {
	if r < AfterRoot || r > Published {
		panic(fmt.Sprintf("eigen: unknown inverse square root rule %d", r))
	}
	if !(eps >= 0) || math.IsInf(eps, 0) {
		return fmt.Errorf("eigen: the regularisation of an inverse square root is %v, it must be a number >= 0", eps)
	}
	for _, e := range values {
		if math.IsInf(r.apply(e, eps), 0) {
			return fmt.Errorf("eigen: eigenvalue %v with the regularisation %v has no inverse square root, use a larger one: %w",
				e, eps, ErrNotFinite)
		}
	}
	return nil
}
