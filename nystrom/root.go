package nystrom

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"gorgonia.org/tensor"
)

// rankTolerance is the share of the largest eigenvalue of a kernel matrix of landmarks below which eigenvalues are
// rounding and are left out.
const rankTolerance = 1e-10

// InverseRoot returns R = V diag(e^(-1/2)) for the eigenvalues e of the n x n kernel matrix w of landmarks that count,
// and their eigenvectors V, both n x rank on the host engine e: W^+ = R R', so that k(x, Z) R are the features of x,
// and R V' is the symmetric root. A zero matrix has the rank 1 and R = 0.
func InverseRoot(e engine.Engine, n int, w []float64) (root, vectors *tensor.Dense, err error) {
	values, rows, err := eigen.Symmetric(e.Workers(), n, w, n)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel matrix of the landmarks: %w", err)
	}
	least := rankTolerance * values[n-1]
	from := n - 1
	for from > 0 && values[from-1] > least {
		from--
	}
	rank := n - from
	v, r := make([]float64, n*rank), make([]float64, n*rank)
	for j := range rank {
		factor := 0.0
		if e := values[from+j]; e > 0 {
			factor = 1 / math.Sqrt(e)
		}
		for i := range n {
			v[i*rank+j] = rows[(from+j)*n+i]
			r[i*rank+j] = v[i*rank+j] * factor
		}
	}
	return matrix(e, r, n, rank), matrix(e, v, n, rank), nil
}

// fewRows is the number of rows and columns below which the engine's matrix product may add up a row in an order
// that depends on where it stands.
const fewRows = 16

// Product returns A B for A of n rows and B of d x m, each row of which has the bits that it would have alone: equal
// points must stay equal, whatever other points there are.
func Product(e engine.Engine, a []float64, n int, b []float64, d, m int) ([]float64, error) {
	rows, cols := max(n, fewRows), max(m, fewRows)
	if rows > n {
		a = append(slices.Clone(a), make([]float64, (rows-n)*d)...)
	}
	b = widened(b, m, cols)
	c := make([]float64, rows*cols)
	err := e.Gemm(matrix(e, c, rows, cols), matrix(e, a, rows, d), matrix(e, b, d, cols), engine.Gemm{Alpha: 1})
	return widened(c[:n*cols], cols, m), err
}

// widened copies rows of from columns to rows of to columns, with zeros in new columns.
func widened(x []float64, from, to int) []float64 {
	if from == to {
		return x
	}
	rows := len(x) / from
	out := make([]float64, rows*to)
	for i := range rows {
		copy(out[i*to:(i+1)*to], x[i*from:(i+1)*from])
	}
	return out
}
