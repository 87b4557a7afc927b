package mpgk

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/parallel"
)

// Settings of k-means. What differs by less than rounding counts as equal: distances of a set to its centres that add
// up to less than equalDistance times the squared norms of its points, and sets in which those are less than
// equalSet times the squared norm of their mean.
const (
	maxLloyd      = 100 // iterations
	equalDistance = 1e-12
	equalSet      = 1e-20
	memberChunk   = 512 // members that one piece of parallel work covers
)

// divide runs k-means from a k-means++ start. It returns the cluster of every member, and the clusters whose
// means decided that; they are the same unless the iterations were cut off. All members are in one cluster
// where they are equal.
func (s *split) divide(
	ctx context.Context, e engine.Engine, rng *rand.Rand, iterations int,
) (cluster, means []int32, err error) {
	return nystrom.Lloyd(ctx, e, s, s.seed(rng, e.Workers()), nystrom.LloydOptions{Iterations: iterations})
}

// seed returns the clusters of a k-means++ start (Arthur and Vassilvitskii, SODA 2007), in which every later
// centre is the best of 2 + floor(ln k) candidates.
func (s *split) seed(rng *rand.Rand, workers int) []int32 {
	clear(s.means.Table)
	norm := s.vectors.Squares
	total, inertia, centre := 0.0, 0.0, 0.0
	distance := make([]float64, len(s.members)) // squared, times the copies
	for n, i := range s.members {
		distance[n] = s.points.copies[i]
		total += s.points.copies[i]
		inertia += s.points.copies[i] * norm[n]
	}
	for j, m := range s.mean {
		centre += s.points.scale[j] * m * m
	}
	cluster := make([]int32, len(s.members))
	if inertia <= equalSet*centre*total {
		return cluster
	}
	candidates := []int32{draw(rng, distance, total)}
	for n := range distance {
		distance[n] = math.Inf(1)
	}
	for k := int32(0); ; k++ {
		potential := s.choose(k, candidates, norm, distance, cluster, workers)
		if int(k) == s.k-1 || potential <= equalDistance*inertia {
			return cluster
		}
		candidates = candidates[:0]
		for range min(2+int(math.Log(float64(s.k))), s.k) {
			if c := draw(rng, distance, potential); !slices.Contains(candidates, c) {
				candidates = append(candidates, c)
			}
		}
	}
}

// choose takes the candidate that leaves the smallest sum of distances, the first of equals, for the centre of
// cluster k. It brings distances and clusters up to date and returns the sum.
func (s *split) choose(k int32, candidates []int32, norm, distance []float64, cluster []int32, workers int) float64 {
	width := len(candidates)
	for j, n := range candidates {
		s.single(j, int(n))
		s.means.Offset[j] = norm[n] / 2
	}
	fresh := make([]float64, len(s.members)*width)
	parallel.Chunks(workers, len(s.members), memberChunk, func(from, to int) {
		score := make([]float64, len(s.weight))
		for n := from; n < to; n++ {
			s.score(score, n)
			for j := range width {
				fresh[n*width+j] = s.points.copies[s.members[n]] * max(norm[n]-2*score[j], 0)
			}
		}
	})
	for j, n := range candidates {
		s.unset(j, int(n))
	}
	best, bestSum := 0, math.Inf(1)
	for j := range width {
		sum := 0.0
		for n, old := range distance {
			sum += min(old, fresh[n*width+j])
		}
		if sum < bestSum {
			best, bestSum = j, sum
		}
	}
	for n, old := range distance {
		if d := fresh[n*width+best]; d < old {
			distance[n], cluster[n] = d, k
		}
	}
	return bestSum
}

// score writes the scores of member n to dst.
func (s *split) score(dst []float64, n int) {
	dense, entries, values := s.vectors.Row(n)
	s.means.Score(dst, dense, entries, values)
}

// single makes member n the mean of cluster j, in an empty table.
func (s *split) single(j, n int) {
	row, _, _ := s.vectors.Row(n)
	for i, x := range row {
		s.means.Slope[j*len(row)+i] = s.points.scale[i] * x
	}
	s.eachStep(j, n, func(t *float64, norm float64) { *t = norm })
}

// unset empties the table after single.
func (s *split) unset(j, n int) { s.eachStep(j, n, func(t *float64, _ float64) { *t = 0 }) }

// eachStep calls visit with the entries of the table for cluster j in the columns of member n, and the inner product
// of the member with one that reaches the step.
func (s *split) eachStep(j, n int, visit func(t *float64, norm float64)) {
	table := s.means.Table[j/lanes*len(s.steps):]
	_, entries, _ := s.vectors.Row(n)
	for _, top := range entries {
		for e := top; ; e-- {
			visit(&table[e][j%lanes], s.steps[e].norm)
			if s.steps[e].first {
				break
			}
		}
		for e := top; !s.steps[e].last; e++ {
			visit(&table[e+1][j%lanes], s.steps[top].norm)
		}
	}
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
