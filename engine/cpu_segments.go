package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// segmentChunk is the number of segments that one piece of parallel work covers.
const segmentChunk = 64

// SegmentReduce implements [Engine].
func (e *CPU) SegmentReduce(out, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduce(out, x, s, pool); err != nil {
		return err
	}
	q := x.Shape()[1]
	switch {
	case out.Dtype() == tensor.Float32:
		segmentReduce(e.workers, data[float32](out), q, s, pool, accumulate(data[float32](x), q, s, pool))
	case x.Dtype() == tensor.Float64:
		segmentReduce(e.workers, data[float64](out), q, s, pool, accumulate(data[float64](x), q, s, pool))
	default:
		segmentReduce(e.workers, data[float64](out), q, s, pool, accumulateWide(data[float32](x), q, s, pool))
	}
	return nil
}

// segmentReduce pools all segments; into sums up the items of one, or finds their maximum.
func segmentReduce[T simd.Float](
	workers int, out []T, q int, s Segments, pool Pooling, into func(dst []T, from, to int32),
) {
	parallel.Chunks(workers, len(s.Offsets)-1, segmentChunk, func(first, end int) {
		for g := first; g < end; g++ {
			dst, from, to := out[g*q:(g+1)*q], s.Offsets[g], s.Offsets[g+1]
			clear(dst)
			into(dst, from, to)
			if pool != Mean {
				continue
			}
			if total := s.total(from, to); total != 0 {
				simd.Scale(T(1/total), dst)
			} else {
				clear(dst)
			}
		}
	})
}

// accumulate pools rows into a result of their own type.
func accumulate[T simd.Float](x []T, q int, s Segments, pool Pooling) func(dst []T, from, to int32) {
	return func(dst []T, from, to int32) {
		sum := longSum[T]{total: dst}
		for i := from; i < to; i++ {
			r := s.row(i)
			src := x[r*q : (r+1)*q]
			switch {
			case s.Weights != nil:
				simd.Axpy(T(s.Weights[i]), src, sum.next())
			case pool == Max && i == from:
				copy(dst, src)
			case pool == Max:
				simd.Max(dst, src)
			default:
				to := sum.next()
				simd.Add(to, to, src)
			}
		}
		sum.end()
	}
}

// accumulateWide pools rows of float32 into a result of float64.
func accumulateWide(x []float32, q int, s Segments, pool Pooling) func(dst []float64, from, to int32) {
	return func(dst []float64, from, to int32) {
		for i := from; i < to; i++ {
			r := s.row(i)
			src := x[r*q : (r+1)*q]
			switch {
			case s.Weights != nil:
				simd.AxpyWide(s.Weights[i], src, dst)
			case pool != Max:
				simd.AxpyWide(1, src, dst)
			default:
				for f, v := range src {
					if i == from || float64(v) > dst[f] {
						dst[f] = float64(v)
					}
				}
			}
		}
	}
}

// AddRows implements [Engine].
func (e *CPU) AddRows(sums, x *tensor.Dense, s Segments) error {
	if err := CheckAddRows(sums, x, s); err != nil {
		return err
	}
	typed(x, addRows[float32], addRows[float64])(e.workers, sums.Float64s(), x, s)
	return nil
}

func addRows[T simd.Float](workers int, sums []float64, x *tensor.Dense, s Segments) {
	q, rows := x.Shape()[1], data[T](x)
	parallel.For(workers, len(s.Offsets)-1, func(g int) {
		sum := sums[g*q : (g+1)*q]
		for i := s.Offsets[g]; i < s.Offsets[g+1]; i++ {
			r, weight := s.row(i), 1.0
			if s.Weights != nil {
				weight = s.Weights[i]
			}
			for f, v := range rows[r*q : (r+1)*q] {
				sum[f] += float64(weight * float64(v)) // the conversion keeps the product from being fused with the sum
			}
		}
	})
}
