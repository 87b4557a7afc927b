package svm

import "math"

// solution copies the variables, in the order of the problem.
func (s *smo) solution() []float64 {
	out := make([]float64, len(s.b))
	for t, id := range s.id {
		out[id] = s.b[t]
	}
	return out
}

// objective returns 1/2 b'K b + p'b.
func (s *smo) objective() float64 {
	sum := 0.0
	for t, b := range s.b {
		sum += b * (s.f[t] + s.p[t])
	}
	return sum / 2
}

// threshold returns rho, with which the decision is sum_t b_t k(x, x_t) - rho: the mean f of the variables
// between their bounds, or the middle of what the others leave open.
func (s *smo) threshold() float64 {
	sum, free := 0.0, 0
	lower, upper := math.Inf(-1), math.Inf(1)
	for t, f := range s.f {
		switch {
		case s.up[t] && s.down[t] != 0:
			sum += f
			free++
		case s.up[t]:
			upper = min(upper, f)
		default:
			lower = max(lower, f)
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	return (lower + upper) / 2
}
