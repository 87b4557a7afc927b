package svm

import (
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// newton writes Newton's step. With the gradient g and the free rows F it is -g - X_F' v in w and tau (-g_b - sum v) in
// b, where (X_F X_F' + tau 1 1' + I/sigma) v = -X_F g - tau g_b.
func (h *hinge) newton(gradient []float64, gradientBias float64) {
	v := make([]float64, len(h.free))
	rows := make([]int, len(h.free))
	for k, i := range h.free {
		rows[k] = h.rows[i]
		v[k] = -h.x.dot(rows[k], gradient) - h.x.alone(rows[k])*h.excess[i] - h.tau*gradientBias
	}
	decrement := simd.Dot(gradient, gradient) + h.tau*gradientBias*gradientBias
	for i, e := range h.excess {
		decrement += e * e * h.x.alone(h.rows[i])
	}
	v = h.solveFree(h.x.some(rows, h.places), h.heavy.nearly(h.x, rows, 1/h.sigma, h.tau, h.workers), v, decrement)
	for i, e := range h.excess {
		h.step[i] = -e
	}
	simd.Scale(-1, gradient) // h.direction
	h.stepBias = -gradientBias
	for k, i := range h.free {
		h.step[i] -= v[k]
		h.stepBias -= v[k]
		h.x.addRow(-v[k], rows[k], h.direction)
	}
	h.stepBias *= h.tau
}

// solveFree solves the equation of the free rows by conjugate gradients. In terms of the decrement of Newton's step,
// which is the given one where v is 0 less <v, right>, the residual r stands for an error of sigma |r|^2.
func (h *hinge) solveFree(x *Sparse, near *nearly, right []float64, decrement float64) []float64 {
	n, columns := len(right), x.transpose()
	v, residual := make([]float64, n), slices.Clone(right)
	scaled, direction, image := make([]float64, n), make([]float64, n), make([]float64, n)
	weights, weighed := make([]float64, x.Columns), make([]float64, n)
	precondition := func() float64 {
		near.solve(residual, scaled)
		return simd.Dot(residual, scaled)
	}
	size := precondition()
	copy(direction, scaled)
	for range maxFreeSteps {
		if !(h.sigma*simd.Dot(residual, residual) > freeForced*max(decrement-simd.Dot(v, right), 0)) {
			break
		}
		total := 0.0
		for i, d := range direction {
			weighed[i] = d * x.scale(i)
			total += d
		}
		parallel.Chunks(h.workers, x.Columns, columnChunk, func(from, to int) {
			for c := from; c < to; c++ {
				weights[c] = columns.dot(c, weighed)
			}
		})
		parallel.Chunks(h.workers, n, sparseChunk, func(from, to int) {
			for i := from; i < to; i++ {
				image[i] = x.dot(i, weights) + (x.alone(i)+1/h.sigma)*direction[i] + h.tau*total
			}
		})
		curvature := simd.Dot(direction, image)
		if !(curvature > 0) {
			break
		}
		length := size / curvature
		simd.Axpy(length, direction, v)
		simd.Axpy(-length, image, residual)
		next := precondition()
		simd.Scale(next/size, direction)
		simd.Add(direction, direction, scaled)
		size = next
	}
	return v
}
