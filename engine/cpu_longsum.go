package engine

import "github.com/grove-graph/grove/engine/simd"

// longSum adds many vectors in runs, so that a sum of a thousand float32 numbers keeps the digits of a
// short one: the rounding of n additions grows with n/run + run in place of n.
type longSum[T simd.Float] struct {
	total, own []T // own: of the run that is not added yet
	count      int
}

// longSumRun is the number of vectors that are added before they go to the total.
const longSumRun = 32

// next returns the vector that the next summand must be added to.
func (s *longSum[T]) next() []T {
	if s.count < longSumRun {
		s.count++
		return s.total
	}
	if s.own == nil {
		s.own = make([]T, len(s.total))
	}
	if s.count%longSumRun == 0 {
		if s.count > longSumRun {
			simd.Add(s.total, s.total, s.own)
		}
		clear(s.own)
	}
	s.count++
	return s.own
}

// end completes the total and makes the sum ready for the next one.
func (s *longSum[T]) end() {
	if s.count > longSumRun {
		simd.Add(s.total, s.total, s.own)
	}
	s.count = 0
}
