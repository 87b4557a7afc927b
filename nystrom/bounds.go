package nystrom

import (
	"cmp"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// remembered is the number of iterations that a bound may live.
const remembered = 128

// bounds tells which points keep their anchor without looking at the others (after Elkan, ICML 2003, and
// Hamerly, SDM 2010). sqrt(2(p - similarity)) is a distance in Euclidean space. When a point was last
// compared with all anchors, its own was at distance near, and the others at far or more. Its own is now
// at near' (at most near + its movement), and another anchor g that has moved by m since then is not nearer
//
//   - if near' < far - m, or
//   - if the two anchors are more than 2 near' apart.
//
// Movements are measured from the anchors at that time to the present ones, not step by step.
//
// Vectors shorter than 1 are thought to have one more element each, in a direction of its own, that makes
// them unit; that changes no similarity between different vectors.
type bounds[T simd.Float] struct {
	*cloud[T]
	k         int
	now       int // iteration
	near, far []float64
	compared  []int32 // iteration in which the point was compared with all anchors; -1 before

	anchors [][]T       // anchors[t]: of iteration t; nil once forgotten
	rest    [][]float64 // rest[t][j*k+f]: the element that makes position j of anchor f unit
	moved   [][]float64 // moved[t][f]: how far anchor f has moved from iteration t to now
	order   [][]int32   // order[t]: the anchors by falling moved[t]
	apart   []float64   // apart[f*k+g]: distance of the anchors f and g now
	sims    []T         // apart[f*k+g] is made of sims[f*k+g]
}

func newBounds[T simd.Float](c *cloud[T], k int) *bounds[T] {
	return &bounds[T]{cloud: c, k: k, now: -1, near: make([]float64, c.n), far: make([]float64, c.n),
		compared: slices.Repeat([]int32{-1}, c.n), apart: make([]float64, k*k), sims: make([]T, k*k)}
}

// advance begins an iteration with the anchors z.
func (b *bounds[T]) advance(z []T) error {
	b.now++
	b.anchors = append(b.anchors, slices.Clone(z))
	b.rest = append(b.rest, b.restOf(z))
	b.moved, b.order = append(b.moved, nil), append(b.order, nil)
	if b.now >= remembered {
		b.anchors[b.now-remembered] = nil
	}
	parallel.For(b.workers, min(b.now+1, remembered), func(age int) {
		b.moved[b.now-age], b.order[b.now-age] = b.movements(b.now - age)
	})
	return b.measureGaps(z)
}

// measureGaps computes the distances of the anchors from each other.
func (b *bounds[T]) measureGaps(z []T) error {
	sims := matrix(b.eng, b.sims, b.k, b.k)
	for j := range b.p {
		at := matrix(b.eng, z[j*b.k*b.d:(j+1)*b.k*b.d], b.k, b.d)
		opt := engine.Gemm{TransB: true, Alpha: 1}
		if j > 0 {
			opt.Beta = 1
		}
		if err := b.eng.Gemm(sims, at, at, opt); err != nil {
			return err
		}
	}
	for i, sim := range b.sims {
		b.apart[i] = math.Sqrt(max(0, float64(b.distance(sim))-b.slack))
	}
	return nil
}

// restOf returns the element that makes each position of the anchors unit; zero for those that are unit up
// to rounding.
func (b *bounds[T]) restOf(z []T) []float64 {
	rest := make([]float64, b.p*b.k)
	for i := range rest {
		square := 0.0
		for _, v := range z[i*b.d : (i+1)*b.d] {
			square += float64(v) * float64(v)
		}
		if short := 1 - square; short > b.slack/float64(4*b.p) {
			rest[i] = math.Sqrt(short)
		}
	}
	return rest
}

// movements returns how far each anchor is from where it was in iteration t, and the anchors ordered by it.
func (b *bounds[T]) movements(t int) (moved []float64, order []int32) {
	moved, order = make([]float64, b.k), make([]int32, b.k)
	then, now := b.anchors[t], b.anchors[b.now]
	step := make([]T, b.d)
	for f := range moved {
		square := 0.0
		for j := range b.p {
			at := j*b.k + f
			copy(step, now[at*b.d:(at+1)*b.d])
			simd.Axpy(-1, then[at*b.d:(at+1)*b.d], step)
			square += (1 + b.slack) * float64(simd.Dot(step, step)) // no shorter by rounding
			grown := b.rest[b.now][at] - b.rest[t][at]
			square += grown * grown
		}
		moved[f], order[f] = math.Sqrt(square), int32(f)
	}
	slices.SortFunc(order, func(f, g int32) int {
		return cmp.Or(cmp.Compare(moved[g], moved[f]), cmp.Compare(f, g))
	})
	return moved, order
}

// set records the two largest similarities of point i with the present anchors.
func (b *bounds[T]) set(i int, first, second T) {
	b.near[i] = b.length(first)
	b.far[i] = math.Sqrt(max(0, float64(b.distance(second))-b.slack))
	b.compared[i] = int32(b.now)
}

// hold reports whether f is certain to be still the nearest anchor of point i, which is at a distance of
// near or less from f now.
func (b *bounds[T]) hold(i int, f int32, near float64) bool {
	t := b.compared[i]
	for _, g := range b.order[t] {
		if near < b.far[i]-b.moved[t][g] {
			return true
		}
		if g != f && b.apart[int(f)*b.k+int(g)] <= 2*near {
			return false
		}
	}
	return true
}

// forgotten reports whether the anchors that point i was compared with are out of memory.
func (b *bounds[T]) forgotten(i int) bool { return int(b.compared[i]) <= b.now-remembered }

// longest returns the largest distance at which point i may be from its anchor f by now.
func (b *bounds[T]) longest(i int, f int32) float64 { return b.near[i] + b.moved[b.compared[i]][f] }

// length turns a similarity into an upper bound of the distance.
func (b *bounds[T]) length(similarity T) float64 {
	return math.Sqrt(float64(b.distance(similarity)) + b.slack)
}
