package nystrom

import (
	"context"
	"math"

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
// that does not tell the nearest one for sure, unclear is set in place of a call. Outlines that seldom tell are given
// up.
func (l *lloyd[T]) outlined(
	ctx context.Context, points []int32, unclear []bool, visit func(o int, f int32, first, second T),
) error {
	anchors := l.outlines.basis.Of(l.workers, l.z, l.p*l.k)
	allowance := float64(l.p) * l.outlines.basis.Allowance()
	err := l.eachRow(ctx, l.multiplied(l.outlines.rows, anchors, outline.Width), points, func(o int, bounds []T) {
		f, first, second, ok := l.nearestWithin(points[o], bounds, allowance)
		if unclear[o] = !ok; ok {
			visit(o, f, T(first), T(second))
		}
	})
	left := 0
	for _, u := range unclear {
		if u {
			left++
		}
	}
	if len(points) >= judged && 2*left > len(points) {
		l.outlines = nil
	}
	return err
}

// nearestWithin returns the anchor nearest to a point and the two largest similarities, given bounds of all of them,
// which it spoils. ok is false where rounding may decide which anchor is the nearest, or too many are within bounds.
func (l *lloyd[T]) nearestWithin(i int32, bounds []T, allowance float64) (f int32, first, second float64, ok bool) {
	first, second = math.Inf(-1), math.Inf(-1)
	for range mostTries {
		g, bound := simd.ArgMax(bounds)
		if float64(bound)+allowance <= second || math.IsInf(float64(bound), -1) {
			return f, first, second, first-second > l.sure
		}
		bounds[g] = T(math.Inf(-1))
		switch similarity := l.exactWith(i, g); {
		case similarity > first:
			f, first, second = int32(g), similarity, first
		case similarity > second:
			second = similarity
		}
	}
	return 0, 0, 0, false
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
