package nystrom

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
)

// Partition is a set of points in clusters, as [Lloyd] moves them.
type Partition interface {
	Vectors() *Vectors
	Means() *Means // of the clusters at the last Update

	Empty()                                      // takes all points out of their clusters
	Put(point int, cluster int32, times float64) // puts a point into a cluster, or takes it out: times is 1 or -1
	Update()                                     // computes the means
}

// LloydOptions are the options of [Lloyd].
type LloydOptions struct {
	Iterations int  // at most; at least 1
	Refill     bool // whether clusters that have lost all points take others
}

// pointChunk is the number of points of a piece of parallel work.
const pointChunk = 512

// Lloyd runs k-means (Lloyd, 1982) from given clusters of all points: all points at once move to the nearest mean, the
// first of equally near ones, until nothing changes or for a number of iterations. A cluster that has lost all points
// stays empty or, with Refill, takes the point that is farthest from its mean, the first of equals, out of a
// cluster of several, one cluster after another. Lloyd returns the clusters and those whose means decided them;
// they are the same unless the iterations were cut off.
//
// A point is left alone where it cannot have another nearest mean (Hamerly, SDM 2010): a mean moves by at most the
// sum of its distances to the points that it wins or loses, times their weights, over its weight. Where e is a
// device it computes the scores of many points at a time. What decides is [Means.Score] in every case: a point whose
// bounds or whose scores of a device differ by no more than rounding explains is scored by it. So the result does not
// depend on the device, nor on the number of workers.
func Lloyd(
	ctx context.Context, e engine.Engine, p Partition, start []int32, opt LloydOptions,
) (final, means []int32, err error) {
	l := newMoves(e, p, start, opt.Refill)
	defer l.device.close()
	settled, err := l.settle(ctx, opt.Iterations-1)
	if err != nil {
		return nil, nil, err
	}
	means = slices.Clone(l.cluster)
	if settled && l.Width == 0 {
		return l.cluster, means, nil
	}
	l.fill()
	scores, err := l.device.scores(len(l.Sparse.Col) + len(l.Dense))
	if err != nil {
		return nil, nil, err
	}
	l.eachChunk(func(from, to int, score []float64) {
		for i := from; i < to; i++ {
			l.at[i].to, _, _ = l.nearest(score, i, scores)
		}
	})
	for i := range l.at {
		if to := l.at[i].to; to != l.cluster[i] {
			l.take(i, to)
		}
	}
	l.refill()
	return l.cluster, means, nil
}

// moves is the state of [Lloyd].
type moves struct {
	Partition
	*Vectors
	means   *Means
	engine  engine.Engine
	device  *wideScores // nil: all scores come from the host
	refills bool
	cluster []int32
	at      []reach
	weight  []float64 // of the clusters
	members []int     // points of each
	shift   []float64 // at least how far each mean has moved at the last Update

	unit, longest float64 // see rounding
}

// reach is what is known of the distances of a point to the means.
type reach struct {
	own   float64 // at least that to the mean of its cluster
	other float64 // at most that to any other mean
	left  float64 // to the mean of the cluster that it has left
	to    int32   // the cluster with the nearest mean
}

// open reports whether another mean may be the nearest.
func (r *reach) open() bool { return !(r.own < r.other) }

func newMoves(e engine.Engine, p Partition, cluster []int32, refills bool) *moves {
	l := &moves{Partition: p, Vectors: p.Vectors(), means: p.Means(), engine: e, refills: refills}
	l.cluster = slices.Clone(cluster)
	k := len(p.Means().Offset)
	l.at, l.shift = make([]reach, len(cluster)), make([]float64, k)
	l.weight, l.members = make([]float64, k), make([]int, k)
	for i := range l.at {
		l.at[i] = reach{own: math.Inf(1), other: math.Inf(-1), to: cluster[i]}
	}
	l.unit, l.longest = l.rounding()
	l.device = newWideScores(e, l.Vectors, p.Means())
	return l
}

// fill puts all points into their clusters and computes the means.
func (l *moves) fill() {
	l.Empty()
	clear(l.weight)
	clear(l.members)
	for i, k := range l.cluster {
		l.Put(i, k, 1)
		l.weight[k] += l.Weights[i]
		l.members[k]++
	}
	l.Update()
}

// settle is Lloyd but for its last iteration, which shows what rounding has done to sums of dense features that points
// have joined and left. It reports whether nothing changes any more.
func (l *moves) settle(ctx context.Context, iterations int) (settled bool, err error) {
	if iterations < 1 {
		return false, nil
	}
	l.fill()
	for range iterations {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := l.measure(); err != nil {
			return false, err
		}
		if !l.move() {
			return true, nil
		}
		l.Update()
	}
	return false, nil
}

// measure finds the nearest mean of every point.
func (l *moves) measure() error {
	first, second, widest := twoLargest(l.shift)
	l.eachChunk(func(from, to int, score []float64) {
		for i := from; i < to; i++ {
			r, k := &l.at[i], l.cluster[i]
			r.own += l.shift[k]
			if int(k) == widest {
				r.other -= second
			} else {
				r.other -= first
			}
			if l.device == nil && r.open() {
				l.compare(score, i, nil)
			}
		}
	})
	if l.device == nil {
		return nil
	}
	work := 0
	for i := range l.at {
		if l.at[i].open() {
			work += l.Width + int(l.Sparse.RowPtr[i+1]-l.Sparse.RowPtr[i])
		}
	}
	scores, err := l.device.scores(work)
	if err != nil {
		return err
	}
	l.eachChunk(func(from, to int, score []float64) {
		for i := from; i < to; i++ {
			if l.at[i].open() {
				l.compare(score, i, scores)
			}
		}
	})
	return nil
}

// eachChunk calls visit for pieces of all points, with space for scores.
func (l *moves) eachChunk(visit func(from, to int, score []float64)) {
	parallel.Chunks(l.engine.Workers(), l.Len(), pointChunk, func(from, to int) {
		visit(from, to, make([]float64, len(l.shift)))
	})
}

// compare finds the nearest mean of point i, which is to be scored, and its bounds.
func (l *moves) compare(score []float64, i int, scores *wideScores) {
	r := &l.at[i]
	to, first, second := l.nearest(score, i, scores)
	slack := l.slack(i)
	r.to, r.own, r.other = to, l.distance(i, first, 2*slack), l.distance(i, second, -slack)
	if k := l.cluster[i]; to != k {
		r.left = l.distance(i, score[k], slack)
	}
}

// distance returns the distance that a score stands for, with an error of its square.
func (l *moves) distance(i int, score, err float64) float64 {
	return math.Sqrt(max(l.Squares[i]-2*score+err, 0))
}

// slack bounds what rounding does to the scores of point i.
func (l *moves) slack(i int) float64 { return l.unit * (l.Squares[i] + l.longest) }

// nearest returns the nearest mean of point i and its two largest scores, by the scores of a device where there are
// some and they suffice. The scores are left in score.
func (l *moves) nearest(score []float64, i int, scores *wideScores) (to int32, first, second float64) {
	if scores != nil {
		scores.of(score, i)
		if to, first, second = twoNearest(score); first-second > l.slack(i) {
			return to, first, second
		}
	}
	dense, columns, values := l.Row(i)
	l.means.Score(score, dense, columns, values)
	return twoNearest(score)
}

// move moves every point to its nearest mean and reports whether any moved.
func (l *moves) move() (moved bool) {
	clear(l.shift)
	for i := range l.at {
		r, k := &l.at[i], l.cluster[i]
		if r.to == k {
			continue
		}
		moved = true
		l.take(i, r.to)
		l.shift[k] += l.Weights[i] * r.left
		l.shift[r.to] += l.Weights[i] * r.own
	}
	for k, w := range l.weight {
		if w > 0 {
			l.shift[k] *= (1 + 1e-9) / w // more than rounding takes from the sum
		} else {
			l.shift[k] = 0
		}
	}
	return l.refill() || moved
}

// take moves point i to cluster k.
func (l *moves) take(i int, k int32) {
	old := l.cluster[i]
	l.cluster[i] = k
	l.Put(i, old, -1)
	l.Put(i, k, 1)
	l.weight[old] -= l.Weights[i]
	l.weight[k] += l.Weights[i]
	l.members[old]--
	l.members[k]++
}

// refill gives every empty cluster a point, and reports whether there was any.
func (l *moves) refill() (refilled bool) {
	if !l.refills || !slices.Contains(l.members[:l.means.K], 0) {
		return false
	}
	distance := make([]float64, l.Len())
	l.eachChunk(func(from, to int, score []float64) {
		for i := from; i < to; i++ {
			dense, columns, values := l.Row(i)
			l.means.Score(score, dense, columns, values)
			distance[i] = max(l.Squares[i]-2*score[l.cluster[i]], 0)
		}
	})
	for k := range l.members[:l.means.K] {
		if l.members[k] > 0 {
			continue
		}
		far := -1
		for i, c := range l.cluster {
			if l.members[c] > 1 && (far < 0 || distance[i] > distance[far]) {
				far = i
			}
		}
		if far < 0 {
			break
		}
		l.shift[l.cluster[far]], l.shift[k] = math.Inf(1), math.Inf(1)
		l.take(far, int32(k))
		distance[far] = 0
		refilled = true
	}
	return refilled
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
