//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// SegmentReduce implements [engine.Engine].
func (e *Engine) SegmentReduce(out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	if err := engine.CheckSegmentReduce(out, x, s, pool); err != nil {
		return err
	}
	switch {
	case out.Dtype() == tensor.Float32:
		return segmentReduceOn[float32, float32](e, out, x, s, pool)
	case x.Dtype() == tensor.Float32:
		return segmentReduceOn[float64, float32](e, out, x, s, pool)
	}
	return segmentReduceOn[float64, float64](e, out, x, s, pool)
}

// segmentPiece is the number of items that one group of lanes pools; longer segments are cut into pieces of so
// many.
const segmentPiece = 256

// cutSegments cuts segments into pieces of at most segmentPiece items: pieces are the offsets of the pieces in
// the items, segments those of the segments in the pieces. Without a segment that is too long there is
// nothing to cut, and both are nil.
func cutSegments(offsets []int32) (pieces, segments []int32) {
	long := false
	for g := range len(offsets) - 1 {
		long = long || offsets[g+1]-offsets[g] > segmentPiece
	}
	if !long {
		return nil, nil
	}
	pieces, segments = []int32{offsets[0]}, []int32{0}
	for g := range len(offsets) - 1 {
		for at := offsets[g]; at < offsets[g+1]; {
			at += min(segmentPiece, offsets[g+1]-at)
			pieces = append(pieces, at)
		}
		segments = append(segments, int32(len(pieces)-1))
	}
	return pieces, segments
}

// segmentWork is a pooling of segments of rows in T with a result in S.
type segmentWork[S, T real] struct {
	out           pointer[S]
	x             pointer[T]
	offsets, span pointer[int32] // span: the offsets that a mean counts by
	index         pointer[int32]
	weights       pointer[S]
	divisor       pointer[S]
	segments, q   int
	pool          engine.Pooling
}

func segmentReduceOn[S, T real](e *Engine, out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	if out.Shape()[0]*out.Shape()[1] == 0 {
		return nil
	}
	k := e.begin("SegmentReduce")
	return k.run(newSegmentWork[S, T](k, out, x, s, pool).plan(k, s.Offsets))
}

func newSegmentWork[S, T real](k *op, out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) segmentWork[S, T] {
	w := segmentWork[S, T]{
		out: of[S](k, out), x: of[T](k, x), offsets: upload(k, s.Offsets), index: upload(k, s.Index),
		weights: uploadAs[S](k, s.Weights), divisor: upload(k, divisors[S](s, pool)),
		segments: out.Shape()[0], q: out.Shape()[1], pool: pool,
	}
	w.span = w.offsets
	return w
}

// plan returns what enqueues the pooling. Where a segment is too long the pieces of segments are pooled first, and
// then their results.
func (w segmentWork[S, T]) plan(k *op, offsets []int32) func(*stream) error {
	pieces, rest := cutSegments(offsets)
	if pieces == nil {
		return w.launch
	}
	first := w
	first.out, first.offsets, first.segments = scratch[S](k, (len(pieces)-1)*w.q), upload(k, pieces), len(pieces)-1
	if w.pool == engine.Mean {
		first.pool = engine.Sum
	}
	then := segmentWork[S, S]{
		out: w.out, x: first.out, offsets: upload(k, rest), span: w.span, divisor: w.divisor, segments: w.segments, q: w.q,
		pool: w.pool,
	}.plan(k, rest)
	return func(s *stream) error {
		if err := first.launch(s); err != nil {
			return err
		}
		return then(s)
	}
}

type segmentKernel[S, T real] func(s *stream, g grid, out pointer[S], x pointer[T], offsets, index pointer[int32],
	weights, divisor pointer[S],
	span pointer[int32], segments, q, pool, group int32) error

// launch enqueues one pass.
func (w segmentWork[S, T]) launch(s *stream) error {
	wide := 16 / size[T]()
	vector := w.q%wide == 0 && w.x.address%16 == 0 && w.out.address%16 == 0
	var kernel any = segmentKernel[S, S](segmentReduce[S])
	switch mixed := size[S]() != size[T](); {
	case mixed && vector:
		kernel = segmentKernel[float64, float32]((*stream).segmentReduceWideF32F64)
	case mixed:
		kernel = segmentKernel[float64, float32]((*stream).segmentReduceF32F64)
	case vector:
		kernel = segmentKernel[S, S](segmentReduceWide[S])
	}
	if !vector {
		wide = 1
	}
	group := lanes(blocksOf(w.q, wide))
	units := w.segments * blocksOf(w.q, group*wide)
	return kernel.(segmentKernel[S, T])(s, linear(units*group, 256), w.out, w.x, w.offsets, w.index, w.weights, w.divisor,
		w.span,
		int32(w.segments), int32(w.q), int32(w.pool), int32(group))
}

// divisors returns the sum of the weights of each segment of a weighted mean, else nil.
func divisors[T real](s engine.Segments, pool engine.Pooling) []T {
	if s.Weights == nil || pool != engine.Mean {
		return nil
	}
	sums := make([]T, len(s.Offsets)-1)
	for g := range sums {
		sum := 0.0
		for _, w := range s.Weights[s.Offsets[g]:s.Offsets[g+1]] {
			sum += w
		}
		sums[g] = T(sum)
	}
	return sums
}

// lanes is the least power of two that is at least n, or the size of a warp.
func lanes(n int) int {
	group := 1
	for group < n && group < 32 {
		group *= 2
	}
	return group
}
