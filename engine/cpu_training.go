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
	back := typed(unit, normalizeRowsGrad[float32], normalizeRowsGrad[float64])
	back(e.workers, xGrad, unitGrad, normGrad, unit, norms, eps)
	return nil
}

func normalizeRowsGrad[T simd.Float](workers int, xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, e float64) {
	d, eps, units, lengths := unit.Shape()[1], T(e), data[T](unit), data[T](norms)
	to, byUnit, byNorm := data[T](xGrad), data[T](unitGrad), data[T](normGrad)
	parallel.Chunks(workers, len(lengths), rowChunk, func(first, end int) {
		for r := first; r < end; r++ {
			u, g, out := units[r*d:(r+1)*d], byUnit[r*d:(r+1)*d], to[r*d:(r+1)*d]
			inner := simd.Dot(u, g)
			norm, along := lengths[r], T(0) // along: the multiple of the unit row in the result
			if byNorm != nil {
				along = byNorm[r]
			}
			switch {
			case norm >= eps:
				along -= inner / norm
			case norm > 0:
				along *= eps / norm
			default:
				along = 0
			}
			copy(out, g)
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
	typed(x, segmentReduceGrad[float32], segmentReduceGrad[float64])(workers, xGrad, outGrad, x, s, pool)
	return nil
}

func segmentReduceGrad[T simd.Float](workers int, xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) {
	q, rows, gradients, sums := x.Shape()[1], data[T](x), data[T](outGrad), data[T](xGrad)
	clear(sums)
	shares := s.Shares(pool)
	parallel.Each(workers, (len(s.Offsets)-1+segmentChunk-1)/segmentChunk, func() func(int) {
		best, winner := make([]T, q), make([]int, q)
		return func(chunk int) {
			for g := chunk * segmentChunk; g < min((chunk+1)*segmentChunk, len(s.Offsets)-1); g++ {
				gradient, from, to := gradients[g*q:(g+1)*q], s.Offsets[g], s.Offsets[g+1]
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
						simd.Axpy(share, gradient, sums[r*q:(r+1)*q])
					}
					continue
				}
				for i := from; i < to; i++ {
					r := s.row(i)
					for f, v := range rows[r*q : (r+1)*q] {
						if i == from || v > best[f] {
							best[f], winner[f] = v, r
						}
					}
				}
				for f, r := range winner {
					sums[r*q+f] += gradient[f]
				}
			}
		}
	})
}

// OutputLoss implements [Engine]; it computes each loss in float64.
func (e *CPU) OutputLoss(loss, grad, x, y *tensor.Dense, kind Loss, weights []float64) error {
	if err := CheckOutputLoss(loss, grad, x, y, kind, weights); err != nil {
		return err
	}
	compute := typed(x, outputLoss[float32], outputLoss[float64])
	e.weighted(loss, grad, weights, func(each *tensor.Dense) { compute(e.workers, each, grad, x, y, kind) })
	return nil
}

func outputLoss[T simd.Float](workers int, loss, grad, x, y *tensor.Dense, kind Loss) {
	c, outputs, wanted, losses, slopes := x.Shape()[1], data[T](x), data[T](y), data[T](loss), data[T](grad)
	parallel.Chunks(workers, len(losses), rowChunk, func(from, to int) {
		for i := from; i < to; i++ {
			sum := 0.0
			for j := i * c; j < (i+1)*c; j++ {
				l, slope := kind.of(float64(outputs[j]), float64(wanted[j]))
				sum += l
				if slopes != nil {
					slopes[j] = T(slope)
				}
			}
			losses[i] = T(sum)
		}
	})
}

// Linear implements [Engine] by a product that is added to the bias.
func (e *CPU) Linear(y, x, weight, bias *tensor.Dense) error {
	if err := CheckLinear(y, x, weight, bias); err != nil {
		return err
	}
	typed(x, linear[float32], linear[float64])(e.workers, y, x, weight, bias)
	return nil
}

func linear[T simd.Float](workers int, y, x, weight, bias *tensor.Dense) {
	n, d, outputs := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	product := Gemm{TransB: true, Alpha: 1, Apart: true}
	if bias != nil {
		out, b := data[T](y), data[T](bias)
		parallel.Chunks(workers, n, rowChunk, func(from, to int) {
			for i := from; i < to; i++ {
				copy(out[i*outputs:(i+1)*outputs], b)
			}
		})
		product.Beta = 1
	}
	gemm[T](workers, y, x, weight, n, outputs, d, product)
}
