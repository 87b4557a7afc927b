package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// Rectify implements [Engine] on the vector units.
func (e *CPU) Rectify(y, x, bias *tensor.Dense) error {
	if err := CheckRectify(y, x, bias); err != nil {
		return err
	}
	typed(x, rectify[float32], rectify[float64])(e.workers, y, x, bias)
	return nil
}

func rectify[T simd.Float](workers int, y, x, bias *tensor.Dense) {
	n, d, in, out, shift := x.Shape()[0], x.Shape()[1], data[T](x), data[T](y), data[T](bias)
	if bias == nil {
		shift = make([]T, d)
	}
	parallel.Chunks(workers, n, rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			simd.Rectify(out[r*d:(r+1)*d], in[r*d:(r+1)*d], shift)
		}
	})
}

// RectifyGrad implements [Engine] on the vector units.
func (e *CPU) RectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	if err := CheckRectifyGrad(xGrad, biasGrad, yGrad, y); err != nil {
		return err
	}
	typed(y, rectifyGrad[float32], rectifyGrad[float64])(e.workers, xGrad, biasGrad, yGrad, y)
	return nil
}

func rectifyGrad[T simd.Float](workers int, xGrad, biasGrad, yGrad, y *tensor.Dense) {
	n, d, out, from, results := y.Shape()[0], y.Shape()[1], data[T](xGrad), data[T](yGrad), data[T](y)
	row := func(r int) []T {
		at, end := r*d, (r+1)*d
		simd.RectifyGrad(out[at:end], from[at:end], results[at:end])
		return out[at:end]
	}
	if biasGrad != nil {
		sumColumns(workers, data[T](biasGrad), n, row)
		return
	}
	parallel.Chunks(workers, n, rowChunk, func(first, end int) {
		for r := first; r < end; r++ {
			row(r)
		}
	})
}

// sumColumns writes the sums of the columns of n rows.
func sumColumns[T simd.Float](workers int, to []T, n int, row func(r int) []T) {
	totals := columnTotals(workers, n, len(to), func(r int, sums []T) { simd.Add(sums, sums, row(r)) })
	for j, s := range totals {
		to[j] = T(s)
	}
}

// LinearGrad implements [Engine] by products.
func (e *CPU) LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	if err := CheckLinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight); err != nil {
		return err
	}
	back := typed(x, linearGrad[float32], linearGrad[float64])
	back(e.workers, xGrad, weightGrad, biasGrad, yGrad, x, weight)
	return nil
}

func linearGrad[T simd.Float](workers int, xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) {
	n, d, outputs := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	if xGrad != nil {
		gemm[T](workers, xGrad, yGrad, weight, n, d, outputs, Gemm{Alpha: 1})
	}
	if weightGrad != nil {
		gemm[T](workers, weightGrad, yGrad, x, outputs, d, n, Gemm{TransA: true, Alpha: 1})
	}
	if biasGrad != nil {
		slopes := data[T](yGrad)
		sumColumns(workers, data[T](biasGrad), n, func(r int) []T { return slopes[r*outputs : (r+1)*outputs] })
	}
}

// Dropout implements [Engine] on the vector units.
func (e *CPU) Dropout(y, x *tensor.Dense, d Dropout) error {
	if err := CheckDropout(y, x, d); err != nil {
		return err
	}
	typed(x, dropout[float32], dropout[float64])(e.workers, y, x, d)
	return nil
}

func dropout[T simd.Float](workers int, y, x *tensor.Dense, d Dropout) {
	in, out := data[T](x), data[T](y)
	least, factor := d.Kept()
	parallel.Chunks(workers, len(in), elementChunk, func(from, to int) {
		var words [elementChunk / 8]uint32
		for at := from; at < to; at += len(words) {
			end := min(at+len(words), to)
			random := words[:end-at]
			simd.PhiloxWords(random, d.counter(uint32(at/4)), d.key())
			simd.Keep(out[at:end], in[at:end], random, least, T(factor))
		}
	})
}
