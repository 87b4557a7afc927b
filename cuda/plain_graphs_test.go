//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// PathPool and its gradient have no plain kernels of their own: those for long paths are plain.
func (e plainEngine) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	q, err := engine.CheckPathPool(out, scores, norms, p)
	if err != nil {
		return err
	}
	if of32(scores) {
		return newPathWork[float32](e.Engine, "PathPool", out, scores, norms, p, q, nil).pool(longWay)
	}
	return newPathWork[float64](e.Engine, "PathPool", out, scores, norms, p, q, nil).pool(longWay)
}

func (e plainEngine) PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores,
	norms *tensor.Dense,
	p *engine.PathPooling) error {
	q, err := engine.CheckPathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p)
	if err != nil {
		return err
	}
	return e.pathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p, q, longWay)
}

func (e plainEngine) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if err := engine.CheckSparseMatMul(y, a, x); err != nil {
		return err
	}
	if of32(y) {
		return plainSparseMatMul[float32](e, y, a, x)
	}
	return plainSparseMatMul[float64](e, y, a, x)
}

func plainSparseMatMul[T real](e plainEngine, y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	k := e.begin("SparseMatMul")
	to, from, m := of[T](k, y), of[T](k, x), sparse[T](k, a)
	rows, q := a.Rows(), x.Shape()[1]
	return k.run(func(s *stream) error {
		if rows*q == 0 {
			return nil
		}
		return sparseMatmulPlain(s, linear(rows*q, 256), to, m.rowPtr, m.col, m.values, m.keepRows, m.keepCols, from,
			int32(rows), int32(q))
	})
}

func (e plainEngine) HistogramIntersection(out *tensor.Dense, a, b *engine.Sparse) error {
	if err := engine.CheckHistogramIntersection(out, a, b); err != nil {
		return err
	}
	if of32(out) {
		return plainIntersection[float32](e, out, a.Unmasked(), b.Unmasked())
	}
	return plainIntersection[float64](e, out, a.Unmasked(), b.Unmasked())
}

func plainIntersection[T real](e plainEngine, out *tensor.Dense, a, b *engine.Sparse) error {
	rows, others := a.Rows(), b.Rows()
	k := e.begin("HistogramIntersection")
	to := of[T](k, out)
	rowPtr, col, values := upload(k, a.RowPtr), upload(k, a.Col), uploadAs[T](k, a.Values)
	otherRowPtr, otherCol, otherValues := upload(k, b.RowPtr), upload(k, b.Col), uploadAs[T](k, b.Values)
	return k.run(func(s *stream) error {
		if rows*others == 0 {
			return nil
		}
		return histogramIntersectionPlain(s, linear(rows*others, 256), to, rowPtr, col, values, otherRowPtr, otherCol,
			otherValues,
			int32(rows), int32(others))
	})
}

func (e plainEngine) Posterior(to, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	if err := engine.CheckPosterior(to, evidence, prior, likelihood, index); err != nil {
		return err
	}
	if of32(prior) {
		return plainPosterior[float32](e, to, evidence, prior, likelihood, index)
	}
	return plainPosterior[float64](e, to, evidence, prior, likelihood, index)
}

func plainPosterior[T real](e plainEngine, to, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	k := e.begin("Posterior")
	toAt, evidenceAt, priorAt, likelihoodAt := of[T](k, to), of[T](k, evidence), of[T](k, prior), of[T](k, likelihood)
	rows, n, c := upload(k, index), len(index), prior.Shape()[1]
	return k.run(func(s *stream) error {
		if n == 0 {
			return nil
		}
		return posteriorPlain(s, linear(n, 256), toAt, evidenceAt, priorAt, likelihoodAt, rows, int32(n), int32(c))
	})
}
