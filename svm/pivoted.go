package svm

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

const (
	pivotPanel = 64 // columns between two updates of the whole matrix
	pivotUnits = 8  // a pivot below this many units in the last place of the first one is rounding
)

// pivotedCholesky factorises a symmetric positive semidefinite matrix, K = R R', with the largest
// remaining diagonal entry as pivot (the first of equal ones), until what remains is rounding. R has
// rank r and as many columns; row pivots[j] of R ends at column j. The result is n x n, row-major,
// with columns from r on without meaning. k is overwritten.
func pivotedCholesky(workers int, k []float64, n int) (r []float64, pivots []int) {
	r = make([]float64, n*n)
	diagonal := make([]float64, n)
	chosen := make([]bool, n)
	pivots = []int{} // of rank 0 too: nil would mean that there is no rotation
	for i := range n {
		diagonal[i] = k[i*n+i]
	}
	tolerance := 0.0
	for start := 0; start < n; start += pivotPanel {
		for j := start; j < min(start+pivotPanel, n); j++ {
			pivot := largest(diagonal, chosen)
			if j == 0 {
				tolerance = pivotUnits * 0x1p-52 * diagonal[pivot]
			}
			if !(diagonal[pivot] > tolerance) {
				return r, pivots
			}
			chosen[pivot] = true
			pivots = append(pivots, pivot)
			root := math.Sqrt(diagonal[pivot])
			lead := r[pivot*n+start : pivot*n+j]
			for i := range n {
				if chosen[i] {
					continue
				}
				row := r[i*n+start : i*n+j+1]
				v := (k[pivot*n+i] - simd.Dot(row[:j-start], lead)) / root
				row[j-start] = v
				diagonal[i] -= v * v
			}
			r[pivot*n+j] = root
		}
		if end := start + pivotPanel; end < n {
			simd.Gemm(workers, false, true, n, n, pivotPanel, -1.0, r[start:], n, r[start:], n, 1, k, n)
		}
	}
	return r, pivots
}

// largest returns the first largest entry that is not chosen yet.
func largest(diagonal []float64, chosen []bool) int {
	best := -1
	for i, v := range diagonal {
		if !chosen[i] && (best < 0 || v > diagonal[best]) {
			best = i
		}
	}
	return best
}
