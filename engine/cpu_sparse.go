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
	if y.Dtype() == tensor.Float32 {
		sparseMatMul(e.workers, data[float32](y), a, data[float32](x), x.Shape()[1])
	} else {
		sparseMatMul(e.workers, data[float64](y), a, data[float64](x), x.Shape()[1])
	}
	return nil
}

func sparseMatMul[T simd.Float](workers int, y []T, a *Sparse, x []T, q int) {
	parallel.Chunks(workers, a.Rows(), rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			dst, first, end := y[r*q:(r+1)*q], a.RowPtr[r], a.RowPtr[r+1]
			switch {
			case a.KeepRows != nil && !a.KeepRows[r]:
				clear(dst)
			case a.Values != nil && a.KeepCols == nil:
				simd.Combine(dst, a.Col[first:end], a.Values[first:end], x)
			default:
				sparseRow(dst, a, first, end, x)
			}
		}
	})
}

// sparseRow adds up the rows of x that the entries from first to end-1 name.
func sparseRow[T simd.Float](dst []T, a *Sparse, first, end int32, x []T) {
	clear(dst)
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
	c := prior.Shape()[1]
	if prior.Dtype() == tensor.Float32 {
		bayes(e.workers, data[float32](posterior), data[float32](evidence), data[float32](prior), data[float32](likelihood),
			index, c)
	} else {
		bayes(e.workers, data[float64](posterior), data[float64](evidence), data[float64](prior), data[float64](likelihood),
			index, c)
	}
	return nil
}

func bayes[T simd.Float](workers int, posterior, evidence, prior, likelihood []T, index []int32, c int) {
	parallel.Chunks(workers, len(index), rowChunk, func(from, to int) {
		for u := from; u < to; u++ {
			dst, row := posterior[u*c:(u+1)*c], int(index[u])
			simd.Mul(dst, prior[u*c:(u+1)*c], likelihood[row*c:(row+1)*c])
			sum := 0.0
			for _, joint := range dst {
				sum += float64(joint)
			}
			evidence[u] = T(sum)
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
