// Package outline bounds inner products of long vectors by those of short ones, for whoever looks for the largest of
// many.
//
// Let Q (r x d) have orthonormal rows up to delta: no eigenvalue of Q Q^T is above 1 + delta. Then S = (1 + delta) I -
// Q^T Q is positive semidefinite, and by Cauchy and Schwarz
//
//	<x, y> = <Qx, Qy> + x^T S y - delta <x, y> <= <Qx, Qy> + sqrt(x^T S x) sqrt(y^T S y) + delta |x| |y|
//
// for any Q, and closely for vectors near the span of its rows. The outline of x is Qx with sqrt(x^T S x) behind it, so
// that the inner product of two outlines is the bound but for an allowance.
package outline

import (
	"math"

	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

const (
	// Width is the number of elements of an outline.
	Width = 128
	// sampled is the number of vectors that the span is taken from.
	sampled = 256
	// shorter is how many times outlines are shorter than vectors, at least, to be worth it.
	shorter = 4
	// block is the number of vectors that are outlined at a time.
	block = 256
)

// Basis makes outlines of vectors of d elements.
type Basis[T simd.Float] struct {
	d     int
	q     []float64 // rank x d
	rank  int       // Width - 1, or less
	delta float64
}

// New returns a basis of the span that vectors (the rows of x, n x d, of norm 1 or less up to rounding) lie near, or
// nil where outlines are not worth it: of short vectors, or of few. The result has the same bits for any number of
// workers.
func New[T simd.Float](workers int, x []T, n, d int) *Basis[T] {
	if d < shorter*Width || n < 2*sampled {
		return nil
	}
	some := make([]float64, sampled*d)
	for i := range sampled {
		widen(some[i*d:(i+1)*d], x[i*n/sampled*d:][:d])
	}
	gram := make([]float64, sampled*sampled)
	simd.Gemm(workers, false, true, sampled, sampled, d, 1, some, d, some, d, 0, gram, sampled)
	values, vectors, err := eigen.Symmetric(workers, sampled, gram, sampled)
	if err != nil {
		return nil // vectors that are not finite
	}
	b := &Basis[T]{d: d}
	var u []float64
	for i := sampled - 1; i >= 0 && b.rank < Width-1 && values[i] > 1e-9*values[sampled-1]; i-- {
		for _, v := range vectors[i*sampled : (i+1)*sampled] {
			u = append(u, v/math.Sqrt(values[i]))
		}
		b.rank++
	}
	if b.rank == 0 {
		return nil
	}
	b.q = make([]float64, b.rank*d)
	simd.Gemm(workers, false, false, b.rank, d, sampled, 1, u, sampled, some, d, 0, b.q, d)
	products := make([]float64, b.rank*b.rank)
	simd.Gemm(workers, false, true, b.rank, b.rank, d, 1, b.q, d, b.q, d, 0, products, b.rank)
	for i := range b.rank {
		sum := rounding64(d)
		for j, v := range products[i*b.rank : (i+1)*b.rank] {
			if i == j {
				v--
			}
			sum += math.Abs(v)
		}
		b.delta = max(b.delta, sum) // no eigenvalue is farther from 1 (Gershgorin)
	}
	return b
}

// rounding64 bounds what rounding does to sums of d products in float64, of vectors that are hardly longer than 1.
func rounding64(d int) float64 { return 0x1p-51 * float64(d+Width) }

// Of returns the outlines of vectors, the rows of x (n x d), as a matrix (n x Width). What is left of a row is zero.
func (b *Basis[T]) Of(workers int, x []T, n int) []T {
	outlines := make([]T, n*Width)
	parallel.Each(workers, (n+block-1)/block, func() func(int) {
		wide, low := make([]float64, block*b.d), make([]float64, block*b.rank)
		return func(piece int) {
			from, to := piece*block, min(piece*block+block, n)
			widen(wide[:(to-from)*b.d], x[from*b.d:to*b.d])
			simd.Gemm(1, false, true, to-from, b.rank, b.d, 1, wide, b.d, b.q, b.d, 0, low, b.rank)
			for i := range to - from {
				b.write(outlines[(from+i)*Width:][:Width], low[i*b.rank:(i+1)*b.rank], wide[i*b.d:(i+1)*b.d])
			}
		}
	})
	return outlines
}

// write writes the outline of x, of which inside is Qx.
func (b *Basis[T]) write(out []T, inside, x []float64) {
	for c, v := range inside {
		out[c] = T(v)
	}
	outside := max(0, (1+b.delta)*simd.Dot(x, x)-simd.Dot(inside, inside)) + rounding64(b.d)
	out[b.rank] = T(math.Sqrt(outside) * (1 + 0x1p-23))
}

// Allowance is by how much the inner product of two outlines, computed in T in any order, may be below that of the
// vectors.
func (b *Basis[T]) Allowance() float64 {
	unit := 0x1p-53
	if _, single := any(T(0)).(float32); single {
		unit = 0x1p-24
	}
	return 1.1 * (b.delta + float64(Width+4)*unit)
}

// widen converts numbers to float64.
func widen[T simd.Float](out []float64, x []T) {
	for i, v := range x {
		out[i] = float64(v)
	}
}
