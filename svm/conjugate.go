package svm

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

const (
	maxConjugate = 200  // steps in one solve
	forcing      = 0.01 // reduction of the residual in one solve
	safety       = 0.1  // share of the goal at which to stop
)

// conjugate solves H step = -gradient by conjugate gradients from 0, preconditioned by the factor,
// until the residual is small enough in the norm of the preconditioner.
func (s *system) conjugate(at *point, step []float64, goal float64) {
	order := len(step)
	s.residual, s.direction = atLeast(s.residual, order), atLeast(s.direction, order)
	s.image, s.scaled = atLeast(s.image, order), atLeast(s.scaled, order)
	clear(step)
	copy(s.residual, at.gradient)
	simd.Scale(-1, s.residual)
	copy(s.scaled, s.residual)
	s.factor.solve(s.scaled)
	copy(s.direction, s.scaled)
	size := simd.Dot(s.residual, s.scaled)
	stop := max(forcing*math.Sqrt(max(size, 0)), safety*goal)
	for range maxConjugate {
		if !(size > stop*stop) {
			return
		}
		s.passes.hessian(s.active, s.c, s.direction, s.image)
		curvature := simd.Dot(s.direction, s.image)
		if !(curvature > 0) {
			return // rounding: the direction has nothing left
		}
		length := size / curvature
		simd.Axpy(length, s.direction, step)
		simd.Axpy(-length, s.image, s.residual)
		copy(s.scaled, s.residual)
		s.factor.solve(s.scaled)
		next := simd.Dot(s.residual, s.scaled)
		simd.Scale(next/size, s.direction)
		simd.Add(s.direction, s.direction, s.scaled)
		size = next
	}
}
