package engine

import (
	"gorgonia.org/tensor"
)

// masks wants the masks of a to fit its shape.
func (c *checks) masks(name string, a *Sparse) {
	c.that(a.KeepRows == nil || len(a.KeepRows) == a.Rows(), "%s has %d rows, its mask %d",
		name, a.Rows(), len(a.KeepRows))
	c.that(a.KeepCols == nil || len(a.KeepCols) == a.Cols, "%s has %d columns, its mask %d", name, a.Cols, len(a.KeepCols))
	c.that(a.Values == nil || len(a.Values) == len(a.Col), "%s has %d values for %d entries",
		name, len(a.Values), len(a.Col))
}

// CheckSparseMatMul returns what is wrong with the arguments of SparseMatMul.
func CheckSparseMatMul(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	return checkSparseMatMul("SparseMatMul", y, a, x)
}

// CheckSparseMatMulAdd returns what is wrong with the arguments of SparseMatMulAdd.
func CheckSparseMatMulAdd(y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	return checkSparseMatMul("SparseMatMulAdd", y, a, x)
}

func checkSparseMatMul(op string, y *tensor.Dense, a *Sparse, x *tensor.Dense) error {
	ck := checks{op: op}
	if !ck.dims("X", x, 2) {
		return ck.err
	}
	ck.that(x.Shape()[0] == a.Cols, "A has %d columns, X has %d rows", a.Cols, x.Shape()[0])
	ck.shape("Y", y, a.Rows(), x.Shape()[1])
	ck.masks("A", a)
	ck.float(x, y)
	return ck.err
}

// CheckHistogramIntersection returns what is wrong with the arguments of HistogramIntersection.
func CheckHistogramIntersection(out *tensor.Dense, a, b *Sparse) error {
	ck := checks{op: "HistogramIntersection"}
	ck.that(a.Cols == b.Cols, "histograms of %d and %d columns", a.Cols, b.Cols)
	ck.masks("a", a)
	ck.masks("b", b)
	ck.shape("out", out, a.Rows(), b.Rows())
	if out != nil {
		ck.float(out)
	}
	return ck.err
}

// CheckPosterior returns what is wrong with the arguments of Posterior.
func CheckPosterior(posterior, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	ck := checks{op: "Posterior"}
	if !ck.dims("prior", prior, 2) || !ck.dims("likelihood", likelihood, 2) {
		return ck.err
	}
	n, c, m := prior.Shape()[0], prior.Shape()[1], likelihood.Shape()[0]
	ck.that(likelihood.Shape()[1] == c, "a prior of %d columns, a likelihood of %d", c, likelihood.Shape()[1])
	ck.that(len(index) == n, "index of length %d for %d rows", len(index), n)
	ck.shape("posterior", posterior, n, c)
	ck.shape("evidence", evidence, n)
	ck.float(prior, posterior, evidence, likelihood)
	ck.within(index, m, "index %[2]d of row %[1]d, the likelihood has %[3]d rows")
	return ck.err
}
