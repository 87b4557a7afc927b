package svm

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// bordered solves systems with a factorised matrix that has gained a few rows and columns,
//
//	( A   B ) (x)   (r)
//	( B'  D ) (t) = (s),    A = L L',
//
// by way of Y = L^-1 B and the small matrix D - Y' Y. Columns of Y are cached under a key until the
// factor changes.
type bordered struct {
	root   cholesky
	cached map[int][]float64 // key -> column of Y
	border [][]float64       // columns of Y in use
	corner []float64         // D - Y' Y, overwritten by its LU factors
	swaps  []int
}

// borderShare is the largest border, in units of the order of A: beyond it a new factorisation is
// cheaper than the triangular solves.
const borderShare = 1.0 / 48

// reset forgets the border, after A was factorised.
func (b *bordered) reset() {
	b.cached = map[int][]float64{}
	b.border, b.swaps = b.border[:0], b.swaps[:0]
}

// attach sets a border with the given keys. column writes a column of B where it is not cached yet,
// corner returns an entry of D. It reports false, and changes nothing, where there are too many.
func (b *bordered) attach(keys []int, column func(key int, out []float64), corner func(i, j int) float64) bool {
	if float64(len(keys)) > borderShare*float64(b.root.n) {
		return false
	}
	b.border = b.border[:0]
	for _, key := range keys {
		y, ok := b.cached[key]
		if !ok {
			y = make([]float64, b.root.n)
			column(key, y)
			b.root.forward(y)
			b.cached[key] = y
		}
		b.border = append(b.border, y)
	}
	k := len(keys)
	b.corner = atLeast(b.corner, k*k)
	for i := range k {
		for j := range k {
			b.corner[i*k+j] = corner(i, j) - simd.Dot(b.border[i], b.border[j])
		}
	}
	b.swaps = eliminate(b.corner, k, b.swaps)
	return true
}

// solve overwrites r and s, of the lengths of A and of the border, by x and t.
func (b *bordered) solve(r, s []float64) {
	b.root.forward(r)
	for i, y := range b.border {
		s[i] -= simd.Dot(y, r)
	}
	substitute(b.corner, len(b.border), b.swaps, s)
	for i, y := range b.border {
		simd.Axpy(-s[i], y, r)
	}
	b.root.backward(r)
}

// eliminate replaces the k x k matrix a by its LU factors with row exchanges, which it returns.
func eliminate(a []float64, k int, swaps []int) []int {
	swaps = swaps[:0]
	for j := range k {
		pivot := j
		for i := j + 1; i < k; i++ {
			if math.Abs(a[i*k+j]) > math.Abs(a[pivot*k+j]) {
				pivot = i
			}
		}
		swaps = append(swaps, pivot)
		for c := range k {
			a[j*k+c], a[pivot*k+c] = a[pivot*k+c], a[j*k+c]
		}
		for i := j + 1; i < k; i++ {
			a[i*k+j] /= a[j*k+j]
			for c := j + 1; c < k; c++ {
				a[i*k+c] -= a[i*k+j] * a[j*k+c]
			}
		}
	}
	return swaps
}

// substitute overwrites s by the solution for the LU factors of eliminate.
func substitute(a []float64, k int, swaps []int, s []float64) {
	for i, pivot := range swaps {
		s[i], s[pivot] = s[pivot], s[i]
	}
	for i := range k {
		for j := range i {
			s[i] -= a[i*k+j] * s[j]
		}
	}
	for i := k - 1; i >= 0; i-- {
		for j := i + 1; j < k; j++ {
			s[i] -= a[i*k+j] * s[j]
		}
		s[i] /= a[i*k+i]
	}
}
