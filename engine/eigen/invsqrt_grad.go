package eigen

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// InvSqrtGrad computes the gradient of a scalar L through [InvSqrt]: from dst's gradient G = dL/dR for
// R = InvSqrt(K) and from the eigendecomposition that InvSqrt returned, K = V diag(e) V^T, the symmetric
// matrix S with dL = sum_ij S_ij dK_ij for every symmetric change dK,
//
//	S = V (F o (V^T G V)) V^T,  F_ij = (f(e_i) - f(e_j)) / (e_i - e_j),  F_ii = f'(e_i)
//
// for the rule f and the elementwise product o (Daleckii and Krein; Higham, Functions of Matrices, 2008,
// theorem 3.11); only the symmetric part of G matters. Both rules have f = 1/(r + eps) or 1/r for a root r,
// sqrt(e) or sqrt(e + eps), so that F_ij = -f_i f_j / (r_i + r_j): no difference of eigenvalues is divided
// by, and repeated ones are as good as others.
//
// An eigenvalue is known up to delta = (30 + 2n) 2^-53 |K|. One within delta of zero counts as delta, so that the
// gradient is that of matrices without negative eigenvalues, and its size for AfterRoot, whose slope has no
// bound at zero, is at most 1/(2 eps^2 sqrt(delta)) of G's. One below -delta counts as zero in f and keeps
// its value in the difference e_i - e_j, which then cannot be small.
//
// Published has F_ij = -f_i f_j / (s_i + s_j) with s = 1/f = sqrt(max(e, 0)) + eps for every eigenvalue, at most
// 1/(2 eps^3): the true slope of 1/sqrt at (sqrt(K) + eps)^2.
//
// dst, g and vectors are n x n row-major; dst may be g. dst is exactly symmetric, and has the same bits for any
// number of workers. Errors for eps, and panics, are those of InvSqrt.
func InvSqrtGrad(workers, n int, dst, g, values, vectors []float64, eps float64, rule Rule) error {
	if n < 0 || len(dst) < n*n || len(g) < n*n || len(vectors) < n*n || len(values) < n {
		panic(fmt.Sprintf("eigen: %d, %d, %d and %d numbers do not hold three matrices of order %d and its eigenvalues",
			len(dst), len(g), len(vectors), len(values), n))
	}
	if err := rule.check(values[:n], eps); err != nil || n == 0 {
		return err
	}
	workers = max(workers, 1)
	space := borrow(2*n*n + 3*n)
	defer space.release()
	symmetric, product := space.take(n*n), space.take(n*n)
	for i := range n {
		for j := range i + 1 {
			half := (g[i*n+j] + g[j*n+i]) / 2
			symmetric[i*n+j], symmetric[j*n+i] = half, half
		}
	}
	simd.Gemm(workers, false, false, n, n, n, 1, vectors, n, symmetric, n, 0, product, n)
	simd.Gemm(workers, false, true, n, n, n, 1, product, n, vectors, n, 0, symmetric, n)
	slopes := slopes{space.take(n), space.take(n), space.take(n)}
	slopes.set(rule, values[:n], eps)
	for i := range n {
		for j := range i {
			between := slopes.between(i, j)
			symmetric[i*n+j] *= between
			symmetric[j*n+i] *= between
		}
		symmetric[i*n+i] *= slopes.between(i, i)
	}
	simd.Gemm(workers, true, false, n, n, n, 1, vectors, n, symmetric, n, 0, product, n)
	simd.Gemm(workers, false, false, n, n, n, 1, product, n, vectors, n, 0, dst, n)
	mirror(n, dst)
	return nil
}

// slopes holds what the divided differences of a rule are made of, for every eigenvalue.
type slopes struct {
	f     []float64 // the rule's value
	root  []float64 // r
	value []float64 // the eigenvalue, at least delta unless it is below -delta; 0 for Published
}

// set fills in the slopes of a rule.
func (s slopes) set(r Rule, values []float64, eps float64) {
	n := len(values)
	largest := 0.0
	for _, e := range values {
		largest = max(largest, math.Abs(e))
	}
	delta := max(float64(30+2*n)*unitRoundoff*largest, 0x1p-1022)
	for i, e := range values {
		s.f[i] = r.apply(e, eps)
		if r == Published {
			s.value[i], s.root[i] = 0, 1/s.f[i]
			continue
		}
		if e >= -delta {
			e = max(e, delta)
		}
		s.value[i] = e
		s.root[i] = math.Sqrt(max(e, 0))
		if r == InsideRoot {
			s.root[i] = math.Sqrt(max(e, 0) + eps)
		}
	}
}

// between returns F_ij.
func (s slopes) between(i, j int) float64 {
	e, d := s.value[i], s.value[j]
	if e < 0 && d < 0 {
		return 0
	}
	slope := -s.f[i] * s.f[j] / (s.root[i] + s.root[j])
	if e < 0 || d < 0 { // f_i - f_j belongs to the difference from zero
		slope *= max(e, d) / math.Abs(e-d)
	}
	return slope
}
