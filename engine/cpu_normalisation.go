package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// BatchNorm implements [Engine] on the vector units.
func (e *CPU) BatchNorm(y, x *tensor.Dense, b *BatchNorm) error {
	if err := CheckBatchNorm(y, x, b); err != nil {
		return err
	}
	typed(x, batchNorm[float32], batchNorm[float64])(e.workers, y, x, b)
	return nil
}

func batchNorm[T simd.Float](workers int, y, x *tensor.Dense, b *BatchNorm) {
	n, d, in, out := x.Shape()[0], x.Shape()[1], data[T](x), data[T](y)
	mean, shift, factor := data[T](b.Mean), data[T](b.Shift), make([]T, d)
	if b.Training {
		mean = data[T](b.BatchMean)
		trainBatchNorm(workers, factor, in, n, b)
	} else {
		for j, v := range data[T](b.Variance) {
			factor[j] = T(1 / math.Sqrt(float64(v)+b.Epsilon))
		}
	}
	simd.Mul(factor, factor, data[T](b.Scale))
	parallel.Chunks(workers, n, rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			simd.Normalize(out[r*d:(r+1)*d], in[r*d:(r+1)*d], mean, factor, shift, T(b.least()))
		}
	})
}

// trainBatchNorm moves the averages by the moments of a batch, writes what the gradient wants, and returns the
// deviations too.
func trainBatchNorm[T simd.Float](workers int, deviations, x []T, n int, b *BatchNorm) {
	means, variances := data[T](b.Mean), data[T](b.Variance)
	batch := momentsOf(workers, x, n, len(deviations))
	for j := range deviations {
		variance := batch.spread[j] / float64(n)
		deviations[j] = T(1 / math.Sqrt(variance+b.Epsilon))
		means[j] = T((1-b.Momentum)*float64(means[j]) + b.Momentum*batch.mean[j])
		variances[j] = T((1-b.Momentum)*float64(variances[j]) + b.Momentum*variance*unbiased(n))
		data[T](b.BatchMean)[j] = T(batch.mean[j])
	}
	copy(data[T](b.BatchDeviation), deviations)
}

// moments are the means of the columns of some rows, and the sums of the squared differences from them.
type moments struct {
	mean, spread []float64
	rows         int
}

func newMoments(space []float64) moments {
	d := len(space) / 2
	return moments{mean: space[:d], spread: space[d:]}
}

// add counts so many other rows and returns what adds their moments, column by column (Chan, Golub and LeVeque, 1979).
func (m *moments) add(rows int) func(j int, mean, spread float64) {
	share := float64(rows) / float64(m.rows+rows)
	weight := float64(m.rows) * share
	m.rows += rows
	return func(j int, mean, spread float64) {
		distance := mean - m.mean[j]
		m.mean[j] += share * distance
		m.spread[j] += spread + weight*distance*distance
	}
}

// blockRows is the number of rows that are added up in their own precision.
const blockRows = 32

// momentsOf returns the moments of a matrix of at least one row. Those of a block are sums of differences from its
// first row, so that they have all digits wherever the mean lies, and are exact where all rows are equal.
func momentsOf[T simd.Float](workers int, x []T, n, d int) moments {
	chunks := (n + rowChunk - 1) / rowChunk
	space := make([]float64, chunks*2*d)
	each := func(chunk int) []float64 { return space[chunk*2*d : (chunk+1)*2*d] }
	rows := func(chunk int) (from, to int) { return chunk * rowChunk, min((chunk+1)*rowChunk, n) }
	parallel.Each(workers, chunks, func() func(int) {
		sums, squares := make([]T, d), make([]T, d)
		return func(chunk int) {
			m := newMoments(each(chunk))
			first, end := rows(chunk)
			for from := first; from < end; from += blockRows {
				to := min(from+blockRows, end)
				clear(sums)
				clear(squares)
				pivot := x[from*d : (from+1)*d]
				for r := from + 1; r < to; r++ {
					simd.AddMoments(sums, squares, x[r*d:(r+1)*d], pivot)
				}
				add := m.add(to - from)
				for j, s := range sums {
					mean := float64(s) / float64(to-from)
					add(j, float64(pivot[j])+mean, max(0, float64(squares[j])-mean*float64(s)))
				}
			}
		}
	})
	total := newMoments(each(0))
	_, end := rows(0)
	total.rows = end
	for chunk := 1; chunk < chunks; chunk++ {
		from, to := rows(chunk)
		m, add := newMoments(each(chunk)), total.add(to-from)
		for j := range d {
			add(j, m.mean[j], m.spread[j])
		}
	}
	return total
}

// BatchNormGrad implements [Engine] on the vector units.
func (e *CPU) BatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *BatchNorm) error {
	if err := CheckBatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y, b); err != nil {
		return err
	}
	typed(x, batchNormGrad[float32], batchNormGrad[float64])(e.workers, xGrad, scaleGrad, shiftGrad, yGrad, x, y, b)
	return nil
}

func batchNormGrad[T simd.Float](workers int, xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *BatchNorm) {
	n, d, in, out, slopes := x.Shape()[0], x.Shape()[1], data[T](x), data[T](xGrad), data[T](yGrad)
	mean, deviation := data[T](b.BatchMean), data[T](b.BatchDeviation)
	rectified := data[T](y)
	from := slopes
	if b.Rectify {
		slopes = out
	}
	totals := columnTotals(workers, n, 2*d, func(r int, sums []T) {
		at, end := r*d, (r+1)*d
		if b.Rectify {
			simd.RectifyGrad(out[at:end], from[at:end], rectified[at:end])
		}
		simd.AddSlopes(sums[:d], sums[d:], slopes[at:end], in[at:end], mean)
	})
	average, factor, slope := make([]T, d), make([]T, d), make([]T, d)
	for j, s := range data[T](b.Scale) {
		deviation := float64(deviation[j])
		ofShift, ofScale := totals[j], totals[d+j]*deviation
		data[T](shiftGrad)[j], data[T](scaleGrad)[j] = T(ofShift), T(ofScale)
		average[j], factor[j] = T(ofShift/float64(n)), T(float64(s)*deviation)
		slope[j] = T(-float64(s) * deviation * deviation * ofScale / float64(n))
	}
	parallel.Chunks(workers, n, rowChunk, func(first, last int) {
		for r := first; r < last; r++ {
			at, end := r*d, (r+1)*d
			simd.NormalizeGrad(out[at:end], slopes[at:end], in[at:end], mean, average, factor, slope)
		}
	})
}

// columnTotals returns sums over n rows: add adds what a row has to so many sums. Sums over a block of rows are in
// their own precision, those of blocks in float64.
func columnTotals[T simd.Float](workers, n, sums int, add func(row int, sums []T)) []float64 {
	chunks := (n + rowChunk - 1) / rowChunk
	each := make([]float64, max(chunks, 1)*sums)
	parallel.Each(workers, chunks, func() func(int) {
		own := make([]T, sums)
		return func(chunk int) {
			total, end := each[chunk*sums:(chunk+1)*sums], min((chunk+1)*rowChunk, n)
			for from := chunk * rowChunk; from < end; from += blockRows {
				clear(own)
				for r := from; r < min(from+blockRows, end); r++ {
					add(r, own)
				}
				for j, s := range own {
					total[j] += float64(s)
				}
			}
		}
	})
	total := each[:sums]
	for at := sums; at < len(each); at += sums {
		simd.Add(total, total, each[at:at+sums])
	}
	return total
}
