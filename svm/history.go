package svm

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

const historyLength = 3

// history keeps the last solutions of a path and extrapolates them in log C. Decisions are linear in
// v, so a candidate costs one pass over n numbers and none over the features.
type history struct {
	logC     []float64
	v        [][]float64
	decision [][]float64
}

// add stores the solution at c, in place of the oldest where the history is full.
func (h *history) add(c float64, at *point) {
	if len(h.v) < historyLength {
		h.v = append(h.v, make([]float64, len(at.v)))
		h.decision = append(h.decision, make([]float64, len(at.decision)))
		h.logC = append(h.logC, 0)
	}
	last := len(h.v) - 1
	v, decision := h.v[0], h.decision[0]
	if len(h.v) == historyLength {
		copy(h.v, h.v[1:])
		copy(h.decision, h.decision[1:])
		copy(h.logC, h.logC[1:])
	} else {
		v, decision = h.v[last], h.decision[last]
	}
	copy(v, at.v)
	copy(decision, at.decision)
	h.v[last], h.decision[last], h.logC[last] = v, decision, math.Log(c)
}

// lastC returns the C of the last solution, or another value before the first.
func (h *history) lastC(otherwise float64) float64 {
	if len(h.logC) == 0 {
		return otherwise
	}
	return math.Exp(h.logC[len(h.logC)-1])
}

// predict sets v of at to the extrapolation to c with the lowest objective, over polynomials through
// the last one, two, three, ... solutions, with penal coordinates in the penalty. Without history v becomes 0.
func (h *history) predict(c float64, y []float64, penal int, at *point) {
	if len(h.v) == 0 {
		clear(at.v)
		return
	}
	v := make([]float64, len(at.v))
	decision := make([]float64, len(at.decision))
	best := math.Inf(1)
	for count := 1; count <= len(h.v); count++ {
		clear(v)
		clear(decision)
		for i, weight := range lagrange(h.logC[len(h.logC)-count:], math.Log(c)) {
			k := len(h.v) - count + i
			simd.Axpy(weight, h.v[k], v)
			simd.Axpy(weight, h.decision[k], decision)
		}
		loss := 0.0
		for i, f := range decision {
			margin := max(1-y[i]*f, 0)
			loss += margin * margin
		}
		w := v[:penal]
		if objective := simd.Dot(w, w)/2 + c*loss; objective < best {
			best = objective
			copy(at.v, v)
		}
	}
}

// lagrange returns the weights of the values at the nodes in the interpolating polynomial at x.
func lagrange(nodes []float64, x float64) []float64 {
	weights := make([]float64, len(nodes))
	for i := range nodes {
		weights[i] = 1
		for j := range nodes {
			if j != i {
				weights[i] *= (x - nodes[j]) / (nodes[i] - nodes[j])
			}
		}
	}
	return weights
}
