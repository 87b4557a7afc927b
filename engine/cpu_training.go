package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// NormalizeRowsGrad implements [Engine] on the vector units.
func (e *CPU) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	if err := CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps); err != nil {
		return err
	}
	d := unit.Shape()[1]
	if unit.Dtype() == tensor.Float32 {
		normalizeRowsGrad(e.workers, data[float32](xGrad), data[float32](unitGrad), data[float32](normGrad),
			data[float32](unit), data[float32](norms), d, float32(eps))
	} else {
		normalizeRowsGrad(e.workers, data[float64](xGrad), data[float64](unitGrad), data[float64](normGrad),
			data[float64](unit), data[float64](norms), d, eps)
	}
	return nil
}

func normalizeRowsGrad[T simd.Float](workers int, xGrad, unitGrad, normGrad, unit, norms []T, d int, eps T) {
	parallel.Chunks(workers, len(norms), rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			u, out := unit[r*d:(r+1)*d], xGrad[r*d:(r+1)*d]
			inner := simd.Dot(u, unitGrad[r*d:(r+1)*d])
			norm, along := norms[r], T(0) // along: the multiple of the unit row in the result
			if normGrad != nil {
				along = normGrad[r]
			}
			switch {
			case norm >= eps:
				along -= inner / norm
			case norm > 0:
				along *= eps / norm
			default:
				along = 0
			}
			copy(out, unitGrad[r*d:(r+1)*d])
			simd.Scale(1/max(norm, eps), out)
			simd.Axpy(along, u, out)
		}
	})
}

// SegmentReduceGrad implements [Engine] on the vector units. Where items share rows the
// segments follow one another on one goroutine, so that each sum has a fixed order.
func (e *CPU) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduceGrad(xGrad, outGrad, x, s, pool); err != nil {
		return err
	}
	workers := e.workers
	if s.Index != nil {
		workers = 1
	}
	if x.Dtype() == tensor.Float32 {
		segmentReduceGrad(workers, data[float32](xGrad), data[float32](outGrad), data[float32](x), s, x.Shape()[1], pool)
	} else {
		segmentReduceGrad(workers, data[float64](xGrad), data[float64](outGrad), data[float64](x), s, x.Shape()[1], pool)
	}
	return nil
}

func segmentReduceGrad[T simd.Float](workers int, xGrad, outGrad, x []T, s Segments, q int, pool Pooling) {
	clear(xGrad)
	shares := s.Shares(pool)
	parallel.Each(workers, (len(s.Offsets)-1+segmentChunk-1)/segmentChunk, func() func(int) {
		best, winner := make([]T, q), make([]int, q)
		return func(chunk int) {
			for g := chunk * segmentChunk; g < min((chunk+1)*segmentChunk, len(s.Offsets)-1); g++ {
				gradient, from, to := outGrad[g*q:(g+1)*q], s.Offsets[g], s.Offsets[g+1]
				if from == to {
					continue
				}
				if pool != Max {
					for i := from; i < to; i++ {
						share := T(1)
						if shares != nil {
							share = T(shares[i])
						}
						r := s.row(i)
						simd.Axpy(share, gradient, xGrad[r*q:(r+1)*q])
					}
					continue
				}
				for i := from; i < to; i++ {
					r := s.row(i)
					for f, v := range x[r*q : (r+1)*q] {
						if i == from || v > best[f] {
							best[f], winner[f] = v, r
						}
					}
				}
				for f, r := range winner {
					xGrad[r*q+f] += gradient[f]
				}
			}
		}
	})
}

// OutputLoss implements [Engine]; it computes each loss in float64.
func (e *CPU) OutputLoss(loss, grad, x, y *tensor.Dense, kind Loss) error {
	if err := CheckOutputLoss(loss, grad, x, y, kind); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		outputLoss(e.workers, data[float32](loss), data[float32](grad), data[float32](x), data[float32](y), x.Shape()[1],
			kind)
	} else {
		outputLoss(e.workers, data[float64](loss), data[float64](grad), data[float64](x), data[float64](y), x.Shape()[1],
			kind)
	}
	return nil
}

func outputLoss[T simd.Float](workers int, loss, grad, x, y []T, c int, kind Loss) {
	parallel.Chunks(workers, len(loss), rowChunk, func(from, to int) {
		for i := from; i < to; i++ {
			sum := 0.0
			for j := i * c; j < (i+1)*c; j++ {
				l, slope := kind.of(float64(x[j]), float64(y[j]))
				sum += l
				if grad != nil {
					grad[j] = T(slope)
				}
			}
			loss[i] = T(sum)
		}
	})
}
