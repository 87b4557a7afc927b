package mpgk

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// Settings of k-means. What differs by less than rounding counts as equal: squared distances below equalDistance
// times the mean square radius of a set, and sets of a mean square radius below equalSet times the squared norm of
// their mean.
const (
	maxLloyd      = 100 // iterations
	equalDistance = 1e-12
	equalSet      = 1e-20
	memberChunk   = 512 // members that one piece of parallel work covers
)

// divide runs k-means from a k-means++ start. It returns the cluster of every member, and the clusters whose
// means decided that; they are the same unless the iterations were cut off. All members are in one cluster
// where they are equal.
func (s *split) divide(rng *rand.Rand, iterations, workers int) (cluster, means []int32) {
	return s.lloyd(s.seed(rng, workers), iterations, workers)
}

// lloyd moves all members to the nearest mean at once, the first of equally near ones, until nothing changes or for
// a number of iterations. A cluster that has lost all members stays empty. It returns the clusters and those
// before, whose means decided.
func (s *split) lloyd(cluster []int32, iterations, workers int) (final, means []int32) {
	s.fill(cluster)
	cluster, next := slices.Clone(cluster), make([]int32, len(cluster))
	for i := 1; ; i++ {
		s.finish()
		s.assign(next, workers)
		if i >= iterations || slices.Equal(cluster, next) {
			return next, cluster
		}
		for n, k := range next {
			if k != cluster[n] {
				s.put(n, int(cluster[n]), -1) // copies are whole numbers, so that no rounding adds up
				s.put(n, int(k), 1)
			}
		}
		s.sum(next)
		cluster, next = next, cluster
	}
}

// fill puts the members into clusters.
func (s *split) fill(cluster []int32) {
	s.empty()
	for n, k := range cluster {
		s.put(n, int(k), 1)
	}
	s.sum(cluster)
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

// seed returns the clusters of a k-means++ start (Arthur and Vassilvitskii, SODA 2007), in which every later
// centre is the best of 2 + floor(ln k) candidates.
func (s *split) seed(rng *rand.Rand, workers int) []int32 {
	radii := s.radii()
	inertia, norm := 0.0, 0.0
	for n, i := range s.members {
		inertia += s.points.copies[i] * radii[n]
	}
	for j, m := range s.mean {
		norm += s.points.scale[j] * m * m
	}
	cluster := make([]int32, len(s.members))
	if inertia <= equalSet*norm*s.total {
		return cluster
	}
	distance := make([]float64, len(s.members)) // squared, times the copies
	for n, i := range s.members {
		distance[n] = s.points.copies[i]
	}
	candidates := []int32{draw(rng, distance, s.total)}
	for n := range distance {
		distance[n] = math.Inf(1)
	}
	for k := 0; ; k++ {
		potential := s.choose(int32(k), candidates, radii, distance, cluster, workers)
		if k == s.k-1 || potential <= equalDistance*inertia {
			return cluster
		}
		candidates = candidates[:0]
		for range min(2+int(math.Log(float64(s.k))), s.k) {
			candidates = append(candidates, draw(rng, distance, potential))
		}
	}
}

// choose takes the candidate that leaves the smallest sum of distances, the first of equals, for the centre of
// cluster k. It brings distances and clusters up to date and returns the sum.
func (s *split) choose(k int32, candidates []int32, radii, distance []float64, cluster []int32, workers int) float64 {
	s.empty()
	centre := make([]int32, len(s.members))
	for n := range centre {
		centre[n] = -1
	}
	width := 0
	for _, n := range candidates {
		if centre[n] < 0 { // a candidate that is drawn twice counts once
			centre[n] = int32(width)
			s.put(int(n), width, 1)
			width++
		}
	}
	s.sum(centre)
	s.finish()
	scores := make([]float64, len(s.members)*width)
	parallel.Chunks(workers, len(s.members), memberChunk, func(from, to int) {
		score := make([]float64, len(s.weight))
		for n := from; n < to; n++ {
			s.score(score, s.row(n), s.entries[s.start[n]:s.start[n+1]])
			for j := range width {
				scores[n*width+j] = s.points.copies[s.members[n]] * max(radii[n]-2*score[j], 0)
			}
		}
	})
	best, bestSum := 0, math.Inf(1)
	for j := range width {
		sum := 0.0
		for n, old := range distance {
			sum += min(old, scores[n*width+j])
		}
		if sum < bestSum {
			best, bestSum = j, sum
		}
	}
	for n, old := range distance {
		if d := scores[n*width+best]; d < old {
			distance[n], cluster[n] = d, k
		}
	}
	return bestSum
}

// draw draws a position with probability proportional to its weight.
func draw(rng *rand.Rand, weight []float64, total float64) int32 {
	left := rng.Float64() * total
	last := int32(0)
	for n, w := range weight {
		if w <= 0 {
			continue
		}
		last = int32(n)
		if left -= w; left <= 0 {
			break
		}
	}
	return last
}
