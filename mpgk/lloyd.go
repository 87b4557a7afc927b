package mpgk

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// lloyd moves all members to the nearest mean at once, the first of equally near ones, until nothing changes or for
// a number of iterations. A cluster that has lost all members stays empty. It returns the clusters and those
// whose means decided them.
func (s *split) lloyd(cluster []int32, iterations, workers int) (final, means []int32) {
	means = slices.Clone(cluster)
	s.settle(means, iterations-1, workers)
	s.fill(means)
	s.finish()
	final = make([]int32, len(means))
	s.assign(final, workers)
	return final, means
}

// fill puts the members into clusters.
func (s *split) fill(cluster []int32) {
	s.empty()
	for n, k := range cluster {
		s.put(n, int(k), 1)
		s.sum(n, int(k), 1)
	}
}

// assign finds the nearest mean of every member.
func (s *split) assign(cluster []int32, workers int) {
	parallel.Chunks(workers, len(s.members), memberChunk, func(from, to int) {
		score := make([]float64, len(s.weight))
		for n := from; n < to; n++ {
			s.score(score, s.row(n), s.entries[s.start[n]:s.start[n+1]])
			cluster[n] = nearest(score)
		}
	})
}

// settle is lloyd but for its last iteration. It leaves the members alone that cannot have another nearest mean (Hamerly,
// SDM 2010): a mean moves by at most the sum of its distances to the members that it wins or loses over their
// number. What rounding does to these bounds shows at worst in lloyd's last iteration.
func (s *split) settle(cluster []int32, iterations, workers int) {
	if iterations < 1 {
		return
	}
	s.fill(cluster)
	norm := s.norms()
	at := make([]bounds, len(cluster))
	for n := range at {
		at[n] = bounds{own: math.Inf(1), other: math.Inf(-1), to: cluster[n]}
	}
	shift := make([]float64, len(s.weight))
	for range iterations {
		s.finish()
		first, second, widest := twoLargest(shift)
		parallel.Chunks(workers, len(s.members), memberChunk, func(from, to int) {
			score := make([]float64, len(s.weight))
			for n := from; n < to; n++ {
				r := &at[n]
				k := cluster[n]
				r.own += shift[k]
				if int(k) == widest {
					r.other -= second
				} else {
					r.other -= first
				}
				if r.own < r.other {
					continue
				}
				s.score(score, s.row(n), s.entries[s.start[n]:s.start[n+1]])
				r.measure(score, k, norm[n])
			}
		})
		clear(shift)
		moved := false
		for n := range at {
			r, k := &at[n], cluster[n]
			if r.to == k {
				continue
			}
			moved = true
			cluster[n] = r.to
			s.put(n, int(k), -1) // copies are whole numbers, so that no rounding adds up
			s.put(n, int(r.to), 1)
			s.sum(n, int(k), -1)
			s.sum(n, int(r.to), 1)
			copies := s.points.copies[s.members[n]]
			shift[k] += copies * r.left
			shift[r.to] += copies * r.own
		}
		if !moved {
			return
		}
		for k, w := range s.weight {
			if w > 0 {
				shift[k] /= w
			} else {
				shift[k] = 0
			}
		}
	}
}

// bounds is what is known of the distances of a member to the means.
type bounds struct {
	own   float64 // at least that to the mean of its cluster
	other float64 // at most that to any other mean
	left  float64 // to the mean of the cluster that it has left
	to    int32   // the cluster with the nearest mean
}

// measure takes the distances from the scores of a member of cluster k.
func (r *bounds) measure(score []float64, k int32, norm float64) {
	r.to = nearest(score)
	second := math.Inf(-1)
	for j, v := range score {
		if int32(j) != r.to {
			second = max(second, v)
		}
	}
	distance := func(score float64) float64 { return math.Sqrt(max(norm-2*score, 0)) }
	r.own, r.other, r.left = distance(score[r.to]), distance(second), distance(score[k])
}

// twoLargest returns the largest number, the second largest and the position of the largest.
func twoLargest(x []float64) (first, second float64, at int) {
	for i, v := range x {
		switch {
		case v > first:
			first, second, at = v, first, i
		case v > second:
			second = v
		}
	}
	return first, second, at
}
