package svm

import "github.com/grove-graph/grove/engine/simd"

const (
	maxLineSteps = 100
	lineFlat     = 1e-14 // share of the first slope at which the minimum is found
)

// lineMinimum returns the t that minimises the objective along v + t step, given the decisions at t =
// 0 (from) and at t = 1 (to).
func (s *solver) lineMinimum(from, to *point) float64 {
	penal := s.passes.space.penal
	w, dw := from.v[:penal], s.step[:penal]
	along, squared := simd.Dot(w, dw), simd.Dot(dw, dw)
	slopeAt := func(t float64) (slope, curvature float64) {
		slope, curvature = along+t*squared, squared
		for i, y := range s.passes.y {
			d := y * (to.decision[i] - from.decision[i])
			if margin := 1 - y*from.decision[i] - t*d; margin > 0 {
				slope -= 2 * s.c * margin * d
				curvature += 2 * s.c * d * d
			}
		}
		return slope, curvature
	}
	return minimumOf(slopeAt)
}

// minimumOf returns the t at which a convex function is smallest, given its slope, which is piecewise linear, and that
// of its slope. The slope is continuous and never falls; its zero is found by Newton steps inside a shrinking bracket,
// which end on the right piece. It is 0 where the slope there is not negative.
func minimumOf(slopeAt func(t float64) (slope, curvature float64)) float64 {
	first, _ := slopeAt(0)
	if !(first < 0) {
		return 0
	}
	low, high := 0.0, 0.0 // high 0: no upper end yet
	t := 1.0
	for range maxLineSteps {
		slope, curvature := slopeAt(t)
		if slope <= -first*lineFlat && slope >= first*lineFlat {
			break
		}
		if slope < 0 {
			low = t
		} else {
			high = t
		}
		next := t
		if curvature > 0 {
			next = t - slope/curvature
		}
		if next <= low || (high > 0 && next >= high) {
			if high == 0 {
				next = 2 * t
			} else {
				next = low + (high-low)/2
			}
		}
		if next == t {
			break
		}
		t = next
	}
	return t
}
