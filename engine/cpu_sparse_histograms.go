package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// HistogramIntersection implements [Engine] by an inverted index: for every column the rows of b that
// have an entry there. Time goes to pairs of entries of one column alone, sum_k |a_k| |b_k| of them, half
// as many where a and b are the same. Beside the index, as large as b, every worker holds a row of sums in
// float64.
func (e *CPU) HistogramIntersection(out *tensor.Dense, a, b *Sparse) error {
	if err := CheckHistogramIntersection(out, a, b); err != nil {
		return err
	}
	typed(out, intersect[float32], intersect[float64])(e.workers, out, a, b)
	return nil
}

// histogramChunk is the number of rows that one piece of parallel work covers.
const histogramChunk = 16

func intersect[T simd.Float](workers int, out *tensor.Dense, a, b *Sparse) {
	same := a == b
	a = a.Unmasked()
	if same {
		b = a
	} else {
		b = b.Unmasked()
	}
	index := b.Transpose()
	rows, n, values := a.Rows(), b.Rows(), data[T](out)
	parallel.Each(workers, (rows+histogramChunk-1)/histogramChunk, func() func(int) {
		sums := make([]float64, n)
		return func(chunk int) {
			for i := chunk * histogramChunk; i < min((chunk+1)*histogramChunk, rows); i++ {
				first := 0
				if same {
					first = i
				}
				intersectRow(sums, a, index, i, int32(first))
				for j := first; j < n; j++ {
					values[i*n+j] = T(sums[j])
				}
			}
		}
	})
	if same {
		MirrorUpper(workers, n, values)
	}
}

// intersectRow sets sums[j] for all rows j >= first of the index to sum_k min(a_ik, b_jk), added up in the
// order of the columns.
func intersectRow(sums []float64, a, index *Sparse, i int, first int32) {
	clear(sums)
	for e := a.RowPtr[i]; e < a.RowPtr[i+1]; e++ {
		x, c := a.value(e), a.Col[e]
		from, to := index.RowPtr[c], index.RowPtr[c+1]
		columns := index.Col[from:to]
		if index.Values == nil {
			x = min(x, 1)
			for f := len(columns) - 1; f >= 0 && columns[f] >= first; f-- {
				sums[columns[f]] += x
			}
			continue
		}
		values := index.Values[from:to]
		for f := len(columns) - 1; f >= 0 && columns[f] >= first; f-- {
			sums[columns[f]] += min(x, values[f])
		}
	}
}

// MirrorUpper copies the upper triangle of an n x n matrix to the lower one, by square tiles, which keep
// both the rows that are read and those that are written in the cache.
func MirrorUpper[T simd.Float](workers, n int, x []T) {
	const tile = 32
	parallel.Chunks(workers, n, tile, func(from, to int) {
		for j0 := 0; j0 < to; j0 += tile {
			for i := from; i < to; i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					x[i*n+j] = x[j*n+i]
				}
			}
		}
	})
}
