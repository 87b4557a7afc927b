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
	if out.Dtype() == tensor.Float32 {
		return segmentReduceOn[float32](e, out, x, s, pool)
	}
	return segmentReduceOn[float64](e, out, x, s, pool)
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

// segmentPass is one launch: it pools items, which are rows of x or results of the pass before it.
type segmentPass[T real] struct {
	out, x   pointer[T]
	offsets  pointer[int32]
	segments int
	pool     engine.Pooling
}

func segmentReduceOn[T real](e *Engine, out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	segments, q := out.Shape()[0], out.Shape()[1]
	if segments*q == 0 {
		return nil
	}
	k := e.begin("SegmentReduce")
	last := segmentPass[T]{of[T](k, out), of[T](k, x), upload(k, s.Offsets), segments, pool}
	index, weights, divisor := upload(k, s.Index), uploadAs[T](k, s.Weights), upload(k, divisors[T](s, pool))
	if e.plain {
		return k.run(func(st *stream) error {
			return segmentReducePlain(st, linear(segments*q, 256), last.out, last.x, last.offsets, index, weights, divisor, int32(segments), int32(q), int32(pool))
		})
	}
	span := last.offsets
	var passes []segmentPass[T]
	for offsets := s.Offsets; ; {
		pieces, rest := cutSegments(offsets)
		if pieces == nil {
			break
		}
		partial := scratch[T](k, (len(pieces)-1)*q)
		inner := pool
		if pool == engine.Mean {
			inner = engine.Sum
		}
		passes = append(passes, segmentPass[T]{partial, last.x, upload(k, pieces), len(pieces) - 1, inner})
		last.x, last.offsets, offsets = partial, upload(k, rest), rest
	}
	passes = append(passes, last)
	return k.run(func(st *stream) error {
		for i, p := range passes {
			if i > 0 {
				index, weights = pointer[int32]{}, pointer[T]{}
			}
			if err := launchSegments(st, p, index, weights, divisor, span, q); err != nil {
				return err
			}
		}
		return nil
	})
}

func launchSegments[T real](s *stream, p segmentPass[T], index pointer[int32], weights, divisor pointer[T], span pointer[int32], q int) error {
	launch, wide := segmentReduceWide[T], 16/size[T]()
	if q%wide != 0 || p.x.address%16 != 0 || p.out.address%16 != 0 {
		launch, wide = segmentReduce[T], 1
	}
	group := lanes(blocksOf(q, wide))
	units := p.segments * blocksOf(q, group*wide)
	return launch(s, linear(units*group, 256), p.out, p.x, p.offsets, index, weights, divisor, span, int32(p.segments), int32(q), int32(p.pool), int32(group))
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
