package nystrom

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// plusPlus is the k-means++ start of [KMeans] (Arthur and Vassilvitskii, SODA 2007), with several
// candidates for every centre. It returns the points to start from.
func (c *cloud[T]) plusPlus(ctx context.Context, k int, draw func() float64) ([]int, error) {
	s := newSeeding(c)
	candidates := []int{s.findByWeight(draw() * c.totalWeight)}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.try(candidates); err != nil {
			return nil, err
		}
		s.choose(candidates)
		if len(s.chosen) == k {
			return s.chosen, nil
		}
		candidates = make([]int, 2+int(math.Log(float64(k))))
		potential := s.potential()
		for t := range candidates {
			candidates[t] = s.find(draw() * potential)
		}
	}
}

// seeding is the state of k-means++. Most of its speed comes from the triangle inequality: a candidate
// that is twice as far from the centre of a point as the point itself cannot be nearer to the point.
type seeding[T simd.Float] struct {
	*cloud[T]
	chosen  []int
	nearest []int32 // which of the chosen centres is nearest to each point
	dist    []T     // squared distance to it

	reach   [][]float64 // see candidateReach
	pieces  []seedPiece[T]
	scratch []T
}

// seedPiece is the state of one chunk of points.
type seedPiece[T simd.Float] struct {
	open  []int32 // points that some candidate may be nearer to
	found []improvement[T]
	gain  []float64 // by how much each candidate reduces the potential
	sum   float64   // potential of the chunk
}

// improvement says that a candidate is nearer to a point than the chosen centres are.
type improvement[T simd.Float] struct {
	point     int32
	candidate int32
	dist      T
}

func newSeeding[T simd.Float](c *cloud[T]) *seeding[T] {
	s := &seeding[T]{
		cloud:   c,
		nearest: make([]int32, c.n),
		dist:    make([]T, c.n),
		pieces:  make([]seedPiece[T], (c.n+chunk-1)/chunk),
	}
	for x := range s.dist {
		s.dist[x] = T(math.Inf(1))
	}
	return s
}

// try finds all points that are nearer to one of the candidates than to the chosen centres.
func (s *seeding[T]) try(candidates []int) error {
	s.reach = s.candidateReach(candidates)
	open := s.openPoints()

	// With many open points, multiply the whole table with all candidates at once.
	var products []T
	if 2*open >= s.table.Shape()[0] {
		var err error
		if products, err = s.products(candidates); err != nil {
			return err
		}
	}
	parallel.For(s.workers, len(s.pieces), func(i int) {
		piece := &s.pieces[i]
		piece.found, piece.gain = piece.found[:0], make([]float64, len(candidates))
		sims := make([]T, len(candidates))
		for _, x := range piece.open {
			if products != nil {
				s.gather(sims, products, int(x))
			} else {
				s.multiply(sims, candidates, int(x))
			}
			nearest := T(s.p) - s.dist[x]/2 // similarity
			for t, sim := range sims {
				if sim <= nearest {
					continue
				}
				if dist := s.distance(sim); dist < s.dist[x] {
					piece.found = append(piece.found, improvement[T]{x, int32(t), dist})
					piece.gain[t] += s.weight(int(x)) * float64(s.dist[x]-dist)
				}
			}
		}
	})
	return nil
}

// multiply computes the similarities of point x with the candidates that are in reach; those of the others
// are set to -Inf.
func (s *seeding[T]) multiply(sims []T, candidates []int, x int) {
	for t, y := range candidates {
		sims[t] = T(math.Inf(-1))
		if float64(s.dist[x]) > s.reach[t][s.nearest[x]] {
			sims[t] = s.similarity(x, y)
		}
	}
}

// gather adds up the similarities of point x with the candidates from the products of its rows.
func (s *seeding[T]) gather(sims, products []T, x int) {
	width := s.p * len(sims)
	copy(sims, products[int(s.rowOf(x, 0))*width:])
	for j := 1; j < s.p; j++ {
		for t, product := range products[int(s.rowOf(x, j))*width+j*len(sims):][:len(sims)] {
			sims[t] += product
		}
	}
}

// products multiplies every row of the table with the rows of the candidates: entry j*len(candidates)+t of
// a row of the result belongs to position j of candidate t.
func (s *seeding[T]) products(candidates []int) ([]T, error) {
	rows := make([]T, 0, s.p*len(candidates)*s.d)
	for j := range s.p {
		for _, y := range candidates {
			rows = append(rows, s.at(y, j)...)
		}
	}
	width := s.p * len(candidates)
	s.scratch = slices.Grow(s.scratch[:0], s.table.Shape()[0]*width)
	out := s.scratch[:s.table.Shape()[0]*width]
	err := s.eng.MatMul(matrix(s.eng, out, s.table.Shape()[0], width), s.table, matrix(s.eng, rows, width, s.d),
		engine.MatMul{TransB: true, Alpha: 1})
	return out, err
}

// candidateReach returns, for each candidate and chosen centre, the squared distance up to which the points
// of the centre are out of reach of the candidate: a quarter of the squared distance of the two. Before the
// first choice all points belong to a centre that everything is in reach of.
func (s *seeding[T]) candidateReach(candidates []int) [][]float64 {
	reach := make([][]float64, len(candidates))
	parallel.For(s.workers, len(candidates), func(t int) {
		if len(s.chosen) == 0 {
			reach[t] = []float64{math.Inf(-1)}
		}
		for _, y := range s.chosen {
			reach[t] = append(reach[t], float64(s.distance(s.similarity(candidates[t], y)))/4-s.slack)
		}
	})
	return reach
}

// openPoints lists the points of each piece that are in reach of a candidate, and returns their number.
func (s *seeding[T]) openPoints() (open int) {
	lowest := slices.Clone(s.reach[0])
	for _, reach := range s.reach[1:] {
		for f, r := range reach {
			lowest[f] = min(lowest[f], r)
		}
	}
	parallel.For(s.workers, len(s.pieces), func(i int) {
		list := s.pieces[i].open[:0]
		for x := i * chunk; x < min((i+1)*chunk, s.n); x++ {
			if float64(s.dist[x]) > lowest[s.nearest[x]] {
				list = append(list, int32(x))
			}
		}
		s.pieces[i].open = list
	})
	for i := range s.pieces {
		open += len(s.pieces[i].open)
	}
	return open
}

// choose makes the candidate with the largest gain, the first of equals, the next centre.
func (s *seeding[T]) choose(candidates []int) {
	best, bestGain := 0, math.Inf(-1)
	for t := range candidates {
		gain := 0.0
		for i := range s.pieces {
			gain += s.pieces[i].gain[t]
		}
		if gain > bestGain {
			best, bestGain = t, gain
		}
	}
	centre := int32(len(s.chosen))
	s.chosen = append(s.chosen, candidates[best])
	parallel.For(s.workers, len(s.pieces), func(i int) {
		piece := &s.pieces[i]
		for _, f := range piece.found {
			if f.candidate == int32(best) {
				s.dist[f.point], s.nearest[f.point] = f.dist, centre
			}
		}
		if len(piece.found) > 0 {
			piece.sum = 0
			for x := i * chunk; x < min((i+1)*chunk, s.n); x++ {
				piece.sum += s.weight(x) * float64(s.dist[x])
			}
		}
	})
}

// potential returns the weighted sum of all squared distances.
func (s *seeding[T]) potential() float64 {
	sum := 0.0
	for i := range s.pieces {
		sum += s.pieces[i].sum
	}
	return sum
}

// find returns the first point at which the cumulative weighted distance is not below target.
func (s *seeding[T]) find(target float64) int {
	for i := range s.pieces {
		if s.pieces[i].sum < target {
			target -= s.pieces[i].sum
			continue
		}
		sum := 0.0
		for x := i * chunk; x < min((i+1)*chunk, s.n); x++ {
			if sum += s.weight(x) * float64(s.dist[x]); sum >= target {
				return x
			}
		}
	}
	// Rounding put the target beyond the sum: the last point that counts.
	x := s.n - 1
	for x > 0 && s.dist[x] == 0 {
		x--
	}
	return x
}

// findByWeight is find with the weights alone.
func (s *seeding[T]) findByWeight(target float64) int {
	for x := range s.n {
		if target -= s.weight(x); target <= 0 {
			return x
		}
	}
	return s.n - 1
}
