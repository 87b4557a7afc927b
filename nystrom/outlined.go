package nystrom

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/grove-graph/grove/engine/outline"
	"github.com/grove-graph/grove/engine/simd"
)

const (
	// outlinedAnchors is the number of anchors from which on outlines of the points are worth making.
	outlinedAnchors = 128
	// mostTries is how many anchors a point is compared with because its outline does not rule them out; one that would
	// need more is compared with all.
	mostTries = 48
	// judged is the number of points from which on it shows whether outlines tell: the last that move lie between anchors.
	judged = 1024
	// alone is how many times as long a similarity takes by itself as among those of many points and anchors.
	alone = 16
)

// outlines are those of the rows of the table, see package outline.
type outlines[T simd.Float] struct {
	basis *outline.Basis[T]
	rows  []T
}

// newOutlines returns nil where outlines are not worth it.
func newOutlines[T simd.Float](c *cloud[T], k int) *outlines[T] {
	rows := c.table.Shape()[0]
	if k < outlinedAnchors || c.n*c.p < rows {
		return nil
	}
	basis := outline.New(c.workers, c.values, rows, c.d)
	if basis == nil {
		return nil
	}
	return &outlines[T]{basis, basis.Of(c.workers, c.values, rows)}
}

// outlined is [lloyd.nearestTwo] by outlines: a point is compared with the anchors that they do not rule out. Where
// that does not tell the nearest one for sure, unclear is set in place of a call. Outlines that take longer than all
// products are given up.
func (l *lloyd[T]) outlined(ctx context.Context, points []int32, unclear []bool, visit visitor[T]) (err error) {
	rows, anchors := l.outlines.rows, l.outlines.basis.Of(l.workers, l.z, l.p*l.k)
	fill := l.multiplied(rows, anchors, outline.Width)
	if l.sharing(points) {
		if fill, err = l.shared(rows, anchors, outline.Width); err != nil {
			return err
		}
	}
	allowance := float64(l.p) * l.outlines.basis.Allowance()
	var tries atomic.Int64
	err = l.eachRow(ctx, fill, points, func(o int, bounds []T) {
		near := l.nearestWithin(points[o], bounds, allowance)
		tries.Add(int64(near.tries))
		if unclear[o] = !near.sure; near.sure {
			visit(o, near.anchor, T(near.first), T(near.second))
		}
	})
	if len(points) >= judged {
		var left []int32
		for o, i := range points {
			if unclear[o] {
				left = append(left, i)
			}
		}
		all := l.multiplications(points)
		if alone*int(tries.Load())*l.p*l.d+all*outline.Width+l.multiplications(left)*l.d > all*l.d {
			l.outlines = nil
		}
	}
	return err
}

// within is what outlines leave of a search for the nearest anchor: the two largest similarities, and how many anchors
// were compared.
type within struct {
	anchor        int32
	first, second float64
	tries         int
	sure          bool // rounding does not decide which anchor is the nearest, and no other is within bounds
}

// nearestWithin finds the anchor nearest to a point, given bounds of the similarities with all, which it spoils.
func (l *lloyd[T]) nearestWithin(i int32, bounds []T, allowance float64) within {
	near := within{first: math.Inf(-1), second: math.Inf(-1)}
	for near.tries < mostTries {
		g, bound := simd.ArgMax(bounds)
		if float64(bound)+allowance <= near.second || math.IsInf(float64(bound), -1) {
			near.sure = near.first-near.second > l.sure
			return near
		}
		bounds[g] = T(math.Inf(-1))
		near.tries++
		switch similarity := l.exactWith(i, g); {
		case similarity > near.first:
			near.anchor, near.first, near.second = int32(g), similarity, near.first
		case similarity > near.second:
			near.second = similarity
		}
	}
	return near
}

// exactWith returns the similarity of a point and an anchor, summed in float64.
func (l *lloyd[T]) exactWith(i int32, f int) (sum float64) {
	for j := range l.p {
		switch x, z := any(l.at(int(i), j)), any(l.anchor(j, f)); x := x.(type) {
		case []float32:
			sum += simd.DotWide(x, z.([]float32))
		case []float64:
			sum += simd.Dot(x, z.([]float64))
		}
	}
	return sum
}
