package nystrom

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

const (
	// block is the number of points whose similarities with all anchors exist at a time.
	block = 2048
	// sharedLimit bounds the elements of a table of products that all points share.
	sharedLimit = 1 << 26
)

// visitor is told the position o of a point in a list, its nearest anchor, the first of equals, and the two largest
// similarities (the second is -Inf for a single anchor), from several goroutines.
type visitor[T simd.Float] func(o int, f int32, first, second T)

// nearestTwo tells visit of each of the given points.
//
// The anchor of a point depends on nothing but the point and the anchors: see decide.
func (l *lloyd[T]) nearestTwo(ctx context.Context, points []int32, visit visitor[T]) error {
	if l.outlines == nil {
		return l.multiplyAll(ctx, points, visit)
	}
	return inTwo(ctx, points, visit, l.outlined, l.multiplyAll)
}

// multiplyAll is nearestTwo by products of all points with all anchors.
func (l *lloyd[T]) multiplyAll(ctx context.Context, points []int32, visit visitor[T]) error {
	if !l.sharing(points) {
		return l.decide(ctx, points, visit)
	}
	return inTwo(ctx, points, visit, func(ctx context.Context, points []int32, unclear []bool, visit visitor[T]) error {
		fill, err := l.shared(l.values, l.z, l.d)
		if err != nil {
			return err
		}
		return l.twoLargest(ctx, fill, points, func(o int, f int32, first, second T) {
			if unclear[o] = float64(first-second) <= l.tie; !unclear[o] {
				visit(o, f, first, second)
			}
		})
	}, l.decide)
}

// inTwo tells visit of the points by try where that does not find them unclear, and of the others by then.
func inTwo[T simd.Float](ctx context.Context, points []int32, visit visitor[T],
	try func(ctx context.Context, points []int32, unclear []bool, visit visitor[T]) error,
	then func(ctx context.Context, points []int32, visit visitor[T]) error) error {
	unclear := make([]bool, len(points))
	if err := try(ctx, points, unclear, visit); err != nil {
		return err
	}
	var list, positions []int32
	for o, i := range points {
		if unclear[o] {
			list, positions = append(list, i), append(positions, int32(o))
		}
	}
	return then(ctx, list, func(o int, f int32, first, second T) { visit(int(positions[o]), f, first, second) })
}

// decide is nearestTwo by the products that decide where rounding does, of points together at a time.
func (l *lloyd[T]) decide(ctx context.Context, points []int32, visit visitor[T]) error {
	return l.twoLargest(ctx, l.multiplied(l.values, l.z, l.d), points, visit)
}

// together is a number of points of which a product has the same bits for each of them, whatever the others are: one
// of fewer rows may add its terms in another order.
const together = 16

// twoLargest calls visit with the two largest of the similarities that fill computes.
func (l *lloyd[T]) twoLargest(ctx context.Context, fill func(sims []T, points []int32) error, points []int32,
	visit visitor[T]) error {
	return l.eachRow(ctx, fill, points, func(o int, sim []T) {
		f, first := simd.ArgMax(sim)
		sim[f] = T(math.Inf(-1))
		_, second := simd.ArgMax(sim)
		visit(o, int32(f), first, second)
	})
}

// eachRow calls visit with what fill computes of each point and all anchors, which it may spoil.
func (l *lloyd[T]) eachRow(ctx context.Context, fill func(sims []T, points []int32) error, points []int32,
	visit func(o int, sim []T)) error {
	n := len(points)
	points = slices.Clip(points)
	for len(points)%together > 0 {
		points = append(points, points[0])
	}
	size := min(block, len(points)) * l.k
	l.sims = slices.Grow(l.sims[:0], size)
	sims := l.sims[:size]
	for from := 0; from < n; from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := points[from:min(from+block, len(points))]
		if err := fill(sims[:len(list)*l.k], list); err != nil {
			return err
		}
		parallel.Chunks(l.workers, min(len(list), n-from), 256, func(start, end int) {
			for o := start; o < end; o++ {
				visit(from+o, sims[o*l.k:(o+1)*l.k])
			}
		})
	}
	return nil
}

// sharing says whether points share so many rows of the table that their products are better made once.
func (l *lloyd[T]) sharing(points []int32) bool {
	rows := l.table.Shape()[0]
	return l.rows != nil && len(points)*l.p >= rows && rows*l.p*l.k <= sharedLimit
}

// multiplications is the number of inner products of rows by which multiplyAll finds the nearest two.
func (l *lloyd[T]) multiplications(points []int32) int {
	if l.sharing(points) {
		return l.table.Shape()[0] * l.p * l.k
	}
	return len(points) * l.p * l.k
}

// shared multiplies every row of the table with every position of every anchor once, all of d elements, and returns a
// function that adds up the products of the given points.
func (l *lloyd[T]) shared(table, anchors []T, d int) (func(sims []T, points []int32) error, error) {
	rows, width := l.table.Shape()[0], l.p*l.k
	l.products = slices.Grow(l.products[:0], rows*width)
	products := l.products[:rows*width]
	err := l.eng.Gemm(matrix(l.eng, products, rows, width), matrix(l.eng, table, rows, d),
		matrix(l.eng, anchors, width, d), engine.Gemm{TransB: true, Alpha: 1})
	return func(sims []T, points []int32) error {
		parallel.Chunks(l.workers, len(points), 256, func(from, to int) {
			for o := from; o < to; o++ {
				sim := sims[o*l.k : (o+1)*l.k]
				for j := range l.p {
					at := int(l.rowOf(int(points[o]), j))*width + j*l.k
					if j == 0 {
						copy(sim, products[at:at+l.k])
					} else {
						simd.Add(sim, sim, products[at:at+l.k])
					}
				}
			}
		})
		return nil
	}, err
}

// multiplied returns a function that gathers the rows of the given points in a table and multiplies them with those of
// the anchors, all of d elements, one position after another.
func (l *lloyd[T]) multiplied(table, anchors []T, d int) func(sims []T, points []int32) error {
	return func(sims []T, points []int32) error {
		out := matrix(l.eng, sims, len(points), l.k)
		for j := range l.p {
			var x []T
			if first := int(points[0]); l.rows == nil && int(points[len(points)-1])-first == len(points)-1 {
				x = table[first*d : (first+len(points))*d]
			} else {
				l.gathered = slices.Grow(l.gathered[:0], len(points)*d)
				x = l.gathered[:len(points)*d]
				for o, i := range points {
					r := int(l.rowOf(int(i), j))
					copy(x[o*d:(o+1)*d], table[r*d:(r+1)*d])
				}
			}
			opt := engine.Gemm{TransB: true, Alpha: 1}
			if j > 0 {
				opt.Beta = 1
			}
			at := matrix(l.eng, anchors[j*l.k*d:(j+1)*l.k*d], l.k, d)
			if err := l.eng.Gemm(out, matrix(l.eng, x, len(points), d), at, opt); err != nil {
				return err
			}
		}
		return nil
	}
}
