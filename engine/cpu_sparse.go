package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// SparseMatMul implements [Engine].
func (e *CPU) SparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	if err := CheckSparseMatMul(y, a, x); err != nil {
		return err
	}
	typed(y, sparseMatMul[float32], sparseMatMul[float64])(e.workers, y, a, x)
	return nil
}

func sparseMatMul[T simd.Float](workers int, y *tensor.Dense, a *Sparse, x *tensor.Dense) {
	q, out, rows := x.Shape()[1], data[T](y), data[T](x)
	parallel.Chunks(workers, a.Rows(), rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			dst, first, end := out[r*q:(r+1)*q], a.RowPtr[r], a.RowPtr[r+1]
			switch {
			case a.KeepRows != nil && !a.KeepRows[r]:
				clear(dst)
			case a.Values != nil && a.KeepCols == nil:
				simd.Combine(dst, a.Col[first:end], a.Values[first:end], rows)
			default:
				clear(dst)
				addSparseRow(dst, a, first, end, rows)
			}
		}
	})
}

// SparseMatMulAdd implements [Engine].
func (e *CPU) SparseMatMulAdd(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	if err := CheckSparseMatMulAdd(y, a, x); err != nil {
		return err
	}
	typed(y, sparseMatMulAdd[float32], sparseMatMulAdd[float64])(e.workers, y, a, x)
	return nil
}

func sparseMatMulAdd[T simd.Float](workers int, y *tensor.Dense, a *Sparse, x *tensor.Dense) {
	q, out, rows := x.Shape()[1], data[T](y), data[T](x)
	parallel.Chunks(workers, a.Rows(), rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			if a.KeepRows == nil || a.KeepRows[r] {
				addSparseRow(out[r*q:(r+1)*q], a, a.RowPtr[r], a.RowPtr[r+1], rows)
			}
		}
	})
}

// addSparseRow adds the rows of x that the entries from first to end-1 name.
func addSparseRow[T simd.Float](dst []T, a *Sparse, first, end int32, x []T) {
	q := len(dst)
	for e := first; e < end; e++ {
		c := int(a.Col[e])
		if a.KeepCols != nil && !a.KeepCols[c] {
			continue
		}
		if a.Values == nil {
			simd.Add(dst, dst, x[c*q:(c+1)*q])
		} else {
			simd.Axpy(T(a.Values[e]), x[c*q:(c+1)*q], dst)
		}
	}
}

// Posterior implements [Engine]. The evidence is summed in float64.
func (e *CPU) Posterior(posterior, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	if err := CheckPosterior(posterior, evidence, prior, likelihood, index); err != nil {
		return err
	}
	typed(prior, bayes[float32], bayes[float64])(e.workers, posterior, evidence, prior, likelihood, index)
	return nil
}

func bayes[T simd.Float](workers int, posterior, evidence, prior, likelihood *tensor.Dense, index []int32) {
	c, p, l := prior.Shape()[1], data[T](prior), data[T](likelihood)
	out, sums := data[T](posterior), data[T](evidence)
	parallel.Chunks(workers, len(index), rowChunk, func(from, to int) {
		for u := from; u < to; u++ {
			dst, row := out[u*c:(u+1)*c], int(index[u])
			simd.Mul(dst, p[u*c:(u+1)*c], l[row*c:(row+1)*c])
			sum := 0.0
			for _, joint := range dst {
				sum += float64(joint)
			}
			sums[u] = T(sum)
			if sum == 0 {
				clear(dst)
				continue
			}
			for i, joint := range dst {
				dst[i] = T(float64(joint) / sum)
			}
		}
	})
}
