package engine

import (
	"gorgonia.org/tensor"
)

// SparseMatMul implements [Engine].
func (Reference) SparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	if err := CheckSparseMatMul(y, a, x); err != nil {
		return err
	}
	store(y, sparseProduct(make([]float64, y.DataSize()), a, x))
	return nil
}

// SparseMatMulAdd implements [Engine].
func (Reference) SparseMatMulAdd(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	if err := CheckSparseMatMulAdd(y, a, x); err != nil {
		return err
	}
	store(y, sparseProduct(values(y), a, x))
	return nil
}

// sparseProduct adds the product A X to out, and returns it.
func sparseProduct(out []float64, a *Sparse, x *tensor.Dense) []float64 {
	q, xv := x.Shape()[1], values(x)
	for r := range a.Rows() {
		for e := a.RowPtr[r]; e < a.RowPtr[r+1]; e++ {
			if !a.keeps(r, a.Col[e]) {
				continue
			}
			for f := range q {
				out[r*q+f] += a.value(e) * xv[int(a.Col[e])*q+f]
			}
		}
	}
	return out
}

// HistogramIntersection implements [Engine] by merging every two rows.
func (Reference) HistogramIntersection(out *tensor.Dense, a, b *Sparse) error {
	if err := CheckHistogramIntersection(out, a, b); err != nil {
		return err
	}
	sums := make([]float64, out.DataSize())
	for i := range a.Rows() {
		for j := range b.Rows() {
			e, f := a.RowPtr[i], b.RowPtr[j]
			for e < a.RowPtr[i+1] && f < b.RowPtr[j+1] {
				switch c, d := a.Col[e], b.Col[f]; {
				case c < d:
					e++
				case c > d:
					f++
				default:
					if a.keeps(i, c) && b.keeps(j, d) {
						sums[i*b.Rows()+j] += min(a.value(e), b.value(f))
					}
					e, f = e+1, f+1
				}
			}
		}
	}
	store(out, sums)
	return nil
}

// Posterior implements [Engine].
func (Reference) Posterior(posterior, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	if err := CheckPosterior(posterior, evidence, prior, likelihood, index); err != nil {
		return err
	}
	n, c := prior.Shape()[0], prior.Shape()[1]
	p, l := values(prior), values(likelihood)
	out, sums := make([]float64, n*c), make([]float64, n)
	for u := range n {
		for i := range c {
			out[u*c+i] = p[u*c+i] * l[int(index[u])*c+i]
			sums[u] += out[u*c+i]
		}
		for i := range c {
			if sums[u] != 0 {
				out[u*c+i] /= sums[u]
			} else {
				out[u*c+i] = 0
			}
		}
	}
	store(posterior, out)
	store(evidence, sums)
	return nil
}
