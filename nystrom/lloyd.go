package nystrom

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// lloyd is the state of the Lloyd iterations of [KMeans]. An iteration costs what has changed: points
// whose assignment provably stays are left alone (see bounds), and the sums of the clusters follow the
// points that move (see sums).
type lloyd[T simd.Float] struct {
	*cloud[T]
	k          int
	start      []int
	anchors    *tensor.Dense // p x k x d
	z          []T           // the data of anchors
	assignment []int32       // -1 before the first
	bounds     *bounds[T]
	outlines   *outlines[T]   // nil: of none
	wide       *widePoints[T] // nil: the host does it all
	sums       *sums[T]
	products   []T // of the rows that points share
	sims       []T // of some points
	gathered   []T // rows of some points
}

// run runs the iterations of [KMeans].
func (l *lloyd[T]) run(ctx context.Context, opt KMeansOptions) (*Clusters, error) {
	out := &Clusters{Anchors: l.anchors, Assignment: l.assignment, Init: l.start}
	previous := math.Inf(1)
	for out.Iterations < opt.MaxIterations {
		if err := l.assign(ctx); err != nil {
			return nil, err
		}
		objective := l.objective()
		out.Objective = append(out.Objective, objective)
		out.Iterations++
		l.update()
		if math.Abs(previous-objective)/(math.Abs(objective)+1e-20) < opt.Tolerance {
			break
		}
		previous = objective
	}
	if err := l.assign(ctx); err != nil {
		return nil, err
	}
	out.FinalObjective = l.objective()
	return out, nil
}

// newLloyd begins iterations from the given points.
func newLloyd[T simd.Float](c *cloud[T], wide *widePoints[T], start []int) *lloyd[T] {
	k := len(start)
	l := &lloyd[T]{cloud: c, k: k, wide: wide, start: start, z: make([]T, c.p*k*c.d),
		assignment: slices.Repeat([]int32{-1}, c.n)}
	l.anchors = matrix(c.eng, l.z, c.p, k, c.d)
	l.bounds = newBounds(c, k)
	if wide == nil {
		l.outlines = newOutlines(c, k)
	}
	l.sums = newSums(c, wide, k)
	for f, i := range start {
		l.copyPoint(f, i)
	}
	return l
}

// anchor returns position j of anchor f.
func (l *lloyd[T]) anchor(j, f int) []T { return l.z[(j*l.k+f)*l.d : (j*l.k+f+1)*l.d] }

// copyPoint makes point i the anchor f.
func (l *lloyd[T]) copyPoint(f, i int) {
	for j := range l.p {
		copy(l.anchor(j, f), l.at(i, j))
	}
}

// assign gives every point its nearest anchor.
func (l *lloyd[T]) assign(ctx context.Context) error {
	if l.wide != nil {
		return l.assignWide(ctx)
	}
	if err := l.bounds.advance(l.z); err != nil {
		return err
	}
	open := l.openPoints()
	assigned := make([]int32, len(open))
	err := l.nearestTwo(ctx, open, func(o int, f int32, first, second T) {
		assigned[o] = f
		l.bounds.set(int(open[o]), first, second)
	})
	if err != nil {
		return err
	}
	var moves []move
	for o, i := range open {
		moves = l.move(moves, i, assigned[o])
	}
	return l.sums.apply(moves)
}

// move gives a point an anchor, and adds that to the moves where it had another one.
func (l *lloyd[T]) move(moves []move, i, to int32) []move {
	from := l.assignment[i]
	if from == to {
		return moves
	}
	l.assignment[i] = to
	return append(moves, move{i, from, to})
}

// openPoints lists the points whose nearest anchor may have changed, ascending.
func (l *lloyd[T]) openPoints() []int32 {
	pieces := make([][]int32, (l.n+chunk-1)/chunk)
	parallel.Chunks(l.workers, l.n, chunk, func(from, to int) {
		var open []int32
		for i := from; i < to; i++ {
			if !l.stays(i) {
				open = append(open, int32(i))
			}
		}
		pieces[from/chunk] = open
	})
	var open []int32
	for _, piece := range pieces {
		open = append(open, piece...)
	}
	return open
}

// stays reports whether the anchor of point i is certain to be the nearest still.
func (l *lloyd[T]) stays(i int) bool {
	f := l.assignment[i]
	if f < 0 || l.bounds.forgotten(i) {
		return false
	}
	return l.bounds.hold(i, f, l.bounds.longest(i, f)) || l.bounds.hold(i, f, l.bounds.length(l.similarityWith(i, f)))
}

// similarityWith returns the similarity of point i and anchor f.
func (l *lloyd[T]) similarityWith(i int, f int32) T {
	var sum T
	for j := range l.p {
		sum += simd.Dot(l.at(i, j), l.anchor(j, int(f)))
	}
	return sum
}

// objective returns the weighted mean of the similarities of the points with their anchors, which is
// sum_f <S_f, z_f> / W with the sums S_f of the clusters.
func (l *lloyd[T]) objective() float64 {
	total := 0.0
	for f := range l.k {
		for j := range l.p {
			for e, z := range l.anchor(j, f) {
				total += l.sums.of(f, j)[e] * float64(z)
			}
		}
	}
	return total / l.totalWeight
}

// update moves every anchor to the mean of its points, every position normalised by itself. Empty clusters
// take the points with the lowest similarity.
func (l *lloyd[T]) update() {
	var similarity []T // of every point with its anchor, before the update
	for f := range l.k {
		if l.sums.members[f] > 0 {
			continue
		}
		if similarity == nil {
			similarity = make([]T, l.n)
			parallel.Chunks(l.workers, l.n, chunk, func(from, to int) {
				for i := from; i < to; i++ {
					similarity[i] = l.similarityWith(i, l.assignment[i])
				}
			})
		}
		lowest := 0
		for i, s := range similarity {
			if s < similarity[lowest] {
				lowest = i
			}
		}
		similarity[lowest] = 1
		l.copyPoint(f, lowest)
	}
	for f := range l.k {
		if l.sums.members[f] == 0 {
			continue
		}
		for j := range l.p {
			sum := l.sums.of(f, j)
			square := 0.0
			for _, v := range sum {
				square += v * v
			}
			length := max(math.Sqrt(square), 1e-4*l.sums.mass[f])
			for e, z := 0, l.anchor(j, f); e < len(z); e++ {
				z[e] = T(sum[e] / length)
			}
		}
	}
}
