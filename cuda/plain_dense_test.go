//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func (e plainEngine) Gemm(c, a, b *tensor.Dense, opt engine.Gemm) error {
	m, n, k, err := engine.CheckGemm(c, a, b, opt)
	if err != nil {
		return err
	}
	if !of32(c) {
		return newProduct[float64](e.Engine, c, a, b, opt, m, n, k).multiplyShort()
	}
	p := newProduct[float32](e.Engine, c, a, b, opt, m, n, k)
	if opt.Precision == engine.Full {
		return p.multiplyShort()
	}
	return p.op.run(func(s *stream) error {
		if m*n == 0 {
			return nil
		}
		launch := s.matmulTf32PlainF32
		if opt.Precision == engine.BFloat16 {
			launch = s.matmulBfloat16PlainF32
		}
		return launch(linear(m*n, 256), p.c, p.a, p.b, int32(m), int32(n), int32(k), p.transA, p.transB, p.alpha, p.beta)
	})
}

func (e plainEngine) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	if err := engine.CheckNormalizeRows(dst, norms, x); err != nil {
		return err
	}
	if of32(x) {
		return plainNormalizeRows(e, dst, norms, x, float32(eps))
	}
	return plainNormalizeRows(e, dst, norms, x, eps)
}

func plainNormalizeRows[T real](e plainEngine, dst, norms, x *tensor.Dense, eps T) error {
	n, d := x.Shape()[0], x.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("NormalizeRows")
	to, lengths, from := of[T](k, dst), of[T](k, norms), of[T](k, x)
	return k.run(func(s *stream) error {
		return normalizeRowsPlain(s, linear(n, 128), to, lengths, from, int32(n), int32(d), eps)
	})
}

func (e plainEngine) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	if err := engine.CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps); err != nil {
		return err
	}
	if of32(unit) {
		return plainNormalizeRowsGrad(e, xGrad, unitGrad, normGrad, unit, norms, float32(eps))
	}
	return plainNormalizeRowsGrad(e, xGrad, unitGrad, normGrad, unit, norms, eps)
}

func plainNormalizeRowsGrad[T real](e plainEngine, xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps T) error {
	n, d := unit.Shape()[0], unit.Shape()[1]
	if n*d == 0 {
		return nil
	}
	k := e.begin("NormalizeRowsGrad")
	to, ofUnit, ofNorms, rows, lengths := of[T](k, xGrad), of[T](k, unitGrad), of[T](k, normGrad), of[T](k, unit), of[T](k,
		norms)
	return k.run(func(s *stream) error {
		return normalizeRowsGradPlain(s, linear(n, 128), to, ofUnit, ofNorms, rows, lengths, int32(n), int32(d), eps)
	})
}

func (e plainEngine) Gram(out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	if err := engine.CheckGram(out, z, allLengths); err != nil {
		return err
	}
	if of32(z) {
		return plainGram[float32](e, out, z, kernel, allLengths)
	}
	return plainGram[float64](e, out, z, kernel, allLengths)
}

func plainGram[T real](e plainEngine, out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	if q == 0 {
		return nil
	}
	k := e.begin("Gram")
	to, from := of[float64](k, out), of[T](k, z)
	return k.run(func(s *stream) error {
		return gramPlain(s, linear(q*q, 128), to, from, int32(p), int32(q), int32(d), kernel.Alpha,
			number(kernel.SumExponent),
			number(allLengths))
	})
}

func (e plainEngine) Assign(index []int32, best *tensor.Dense, points engine.Points, z *tensor.Dense) error {
	if err := engine.CheckAssign(index, best, points, z); err != nil {
		return err
	}
	if of32(z) {
		return plainAssign[float32](e, index, best, points, z)
	}
	return plainAssign[float64](e, index, best, points, z)
}

func plainAssign[T real](e plainEngine, index []int32, best *tensor.Dense, points engine.Points,
	z *tensor.Dense) error {
	n, p, q, d := points.Len(), z.Shape()[0], z.Shape()[1], z.Shape()[2]
	if n == 0 {
		return nil
	}
	k := e.begin("Assign")
	nearest, similarity := scratch[int32](k, n), of[T](k, best)
	table, rows, anchors := of[T](k, points.Table), upload(k, points.Rows), of[T](k, z)
	fetch(k, index, nearest)
	return k.run(func(s *stream) error {
		return assignPlain(s, linear(n, 128), nearest, similarity, table, rows, anchors, int32(n), int32(p), int32(q),
			int32(d), bestColumns(best))
	})
}

func (e plainEngine) SegmentReduce(out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	if err := engine.CheckSegmentReduce(out, x, s, pool); err != nil {
		return err
	}
	n := out.Shape()[0] * out.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("SegmentReduce")
	switch {
	case of32(out):
		return k.run(plainSegments(newSegmentWork[float32, float32](k, out, x, s, pool), n))
	case !of32(x):
		return k.run(plainSegments(newSegmentWork[float64, float64](k, out, x, s, pool), n))
	}
	w := newSegmentWork[float64, float32](k, out, x, s, pool)
	return k.run(func(s *stream) error {
		return s.segmentReducePlainF32F64(linear(n, 256), w.out, w.x, w.offsets, w.index, w.weights, w.divisor,
			int32(w.segments), int32(w.q), int32(w.pool))
	})
}

func plainSegments[T real](w segmentWork[T, T], n int) func(*stream) error {
	return func(s *stream) error {
		return segmentReducePlain(s, linear(n, 256), w.out, w.x, w.offsets, w.index, w.weights, w.divisor,
			int32(w.segments), int32(w.q), int32(w.pool))
	}
}

func (e plainEngine) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	if err := engine.CheckSegmentReduceGrad(xGrad, outGrad, x, s, pool); err != nil {
		return err
	}
	if of32(x) {
		return plainSegmentGrad[float32](e, xGrad, outGrad, x, s, pool)
	}
	return plainSegmentGrad[float64](e, xGrad, outGrad, x, s, pool)
}

func plainSegmentGrad[T real](e plainEngine, xGrad, outGrad, x *tensor.Dense, s engine.Segments,
	pool engine.Pooling) error {
	rows, q := x.Shape()[0], x.Shape()[1]
	if rows*q == 0 {
		return nil
	}
	items := itemsByRow(s, rows)
	k := e.begin("SegmentReduceGrad")
	to, gradient, from := of[T](k, xGrad), of[T](k, outGrad), of[T](k, x)
	offsets, index, share := upload(k, s.Offsets), upload(k, s.Index), uploadAs[T](k, s.Shares(pool))
	rowOffsets, order, segment := upload(k, items.offsets), upload(k, items.order), upload(k, items.segment)
	return k.run(func(st *stream) error {
		return segmentReduceGradPlain(st, linear(rows*q, 256), to, gradient, from, offsets, index, share, rowOffsets, order,
			segment, int32(rows), int32(q), int32(pool))
	})
}

func (e plainEngine) Place(dst, src *tensor.Dense, index []int32, at engine.Placement) error {
	rows, err := engine.CheckPlace(dst, src, index, at)
	if err != nil {
		return err
	}
	if of32(dst) {
		return plainPlace[float32](e, dst, src, index, at, rows)
	}
	return plainPlace[float64](e, dst, src, index, at, rows)
}

func plainPlace[T real](e plainEngine, dst, src *tensor.Dense, index []int32, at engine.Placement, rows int) error {
	q, columns := src.Shape()[1], dst.Shape()[1]
	if rows*q == 0 {
		return nil
	}
	k := e.begin("Place")
	to, from, order := of[T](k, dst).at(at.Row*columns+at.Column), of[T](k, src), upload(k, index)
	return k.run(func(s *stream) error {
		return placePlain(s, linear(rows*q, 256), to, from, order, int32(rows), int32(q), int32(columns), int32(at.Stride))
	})
}
