package svm

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/parallel"
)

// VectorKernel is a kernel between vectors:
//
//	linear   <x, y>
//	rbf      exp(-Gamma |x - y|^2)
//	jaccard  sum_j min(x_j, y_j) / sum_j max(x_j, y_j), of vectors without negative entries; 1 of zeros
type VectorKernel struct {
	Kind  string  `json:"kind"`
	Gamma float64 `json:"gamma,omitempty"` // of rbf
}

// The kinds of kernels between vectors.
const (
	LinearKernel  = "linear"
	RBFKernel     = "rbf"
	JaccardKernel = "jaccard"
)

// String names the kernel in a few words.
func (k VectorKernel) String() string {
	if k.Kind == RBFKernel {
		return fmt.Sprintf("rbf kernel, gamma %g", k.Gamma)
	}
	return k.Kind + " kernel"
}

// Check reports a kernel that does not exist.
func (k VectorKernel) Check() error {
	switch k.Kind {
	case LinearKernel, JaccardKernel:
		return nil
	case RBFKernel:
		if !(k.Gamma > 0) || math.IsInf(k.Gamma, 0) {
			return fmt.Errorf("gamma %g of the rbf kernel: give a positive number", k.Gamma)
		}
		return nil
	}
	return fmt.Errorf("kernel %q between vectors: want %s, %s or %s", k.Kind, LinearKernel, RBFKernel, JaccardKernel)
}

// Gram returns the kernel matrix of the rows of x (N x D, Float32 or Float64), N x N, Float64. It has the
// same bits for any number of workers and is exactly symmetric.
func (k VectorKernel) Gram(x *tensor.Dense, workers int) (*tensor.Dense, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	v, err := k.vectors(x)
	if err != nil {
		return nil, err
	}
	n := v.rows
	if err := memory.ForMatrices("kernel matrix", 1, n, n); err != nil {
		return nil, err
	}
	if k.Kind == JaccardKernel {
		return jaccard(workers, v, v)
	}
	out := make([]float64, n*n)
	for from := 0; from < n; from += gramBlock { // of the upper triangle
		to := min(from+gramBlock, n)
		k.fill(workers, v.part(from, to), v.part(from, n), out[from*n+from:], n)
	}
	if k.Kind == RBFKernel {
		for i := range n {
			out[i*n+i] = 1
		}
	}
	engine.MirrorUpper(workers, n, out)
	return tensor.New(tensor.WithShape(n, n), tensor.WithBacking(out)), nil
}

// gramBlock is how many rows of a kernel matrix are computed at a time, each from its block of the diagonal on.
const gramBlock = 256

// Cross returns the kernel between the rows of x (M x D) and those of y (N x D), Float32 or Float64 each:
// M x N, Float64. It has the same bits for any number of workers. A number that is not finite, different
// widths and negative entries under the jaccard kernel are errors.
func (k VectorKernel) Cross(x, y *tensor.Dense, workers int) (*tensor.Dense, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	left, err := k.vectors(x)
	if err != nil {
		return nil, err
	}
	right := left
	if y != x {
		if right, err = k.vectors(y); err != nil {
			return nil, err
		}
	}
	if left.columns != right.columns {
		return nil, fmt.Errorf("kernel between vectors of %d and of %d entries", left.columns, right.columns)
	}
	if err := memory.ForMatrices("kernel matrix", 1, left.rows, right.rows); err != nil {
		return nil, err
	}
	if k.Kind == JaccardKernel {
		return jaccard(workers, left, right)
	}
	out := make([]float64, left.rows*right.rows)
	k.fill(workers, left, right, out, right.rows)
	return tensor.New(tensor.WithShape(left.rows, right.rows), tensor.WithBacking(out)), nil
}

// vectors are rows in float64.
type vectors struct {
	rows, columns int
	data          []float64
}

func (v *vectors) row(i int) []float64 { return v.data[i*v.columns : (i+1)*v.columns] }

// part returns the rows from to to-1.
func (v *vectors) part(from, to int) *vectors {
	return &vectors{to - from, v.columns, v.data[from*v.columns : to*v.columns]}
}

// fill writes the linear or the rbf kernel between the rows of left and right to out, whose rows are ld apart.
func (k VectorKernel) fill(workers int, left, right *vectors, out []float64, ld int) {
	d := left.columns
	simd.Gemm(workers, false, true, left.rows, right.rows, d, 1, left.data, d, right.data, d, 0, out, ld)
	if k.Kind == RBFKernel {
		gaussian(workers, k.Gamma, left, right, out, ld)
	}
}

func (k VectorKernel) vectors(x *tensor.Dense) (*vectors, error) {
	d, err := newDesign(x, nil)
	if err != nil {
		return nil, err
	}
	v := &vectors{d.numRows(), d.columns, d.double}
	if d.double == nil {
		v.data = make([]float64, v.rows*v.columns)
		d.fill(v.data, v.columns, 0, v.rows, 0, v.columns)
	}
	if k.Kind == JaccardKernel {
		for at, value := range v.data {
			if value < 0 {
				return nil, fmt.Errorf("feature %d of row %d is %g: the jaccard kernel wants no negative numbers",
					at%v.columns, at/v.columns, value)
			}
		}
	}
	return v, nil
}

// gaussian turns inner products in out into the values of the rbf kernel.
func gaussian(workers int, gamma float64, left, right *vectors, out []float64, ld int) {
	squares := make([]float64, right.rows)
	for j := range squares {
		squares[j] = simd.Dot(right.row(j), right.row(j))
	}
	parallel.For(workers, left.rows, func(i int) {
		row := out[i*ld:][:right.rows]
		gaussianRow(gamma, row, simd.Dot(left.row(i), left.row(i)), squares)
	})
}

// gaussianRow turns the inner products of a row and others, given their squares, into the values of the rbf kernel.
func gaussianRow(gamma float64, products []float64, own float64, squares []float64) {
	for j, product := range products {
		products[j] = max(own+squares[j]-2*product, 0)
	}
	simd.Exp(products, products, -gamma, 0)
}

// jaccard returns the values of the jaccard kernel. The minima of two rows add up to their histogram intersection, the
// maxima to what their sums exceed it by.
func jaccard(workers int, left, right *vectors) (*tensor.Dense, error) {
	rows, err := left.sparse()
	if err != nil {
		return nil, err
	}
	columns := rows
	if right != left {
		if columns, err = right.sparse(); err != nil {
			return nil, err
		}
	}
	out := tensor.New(tensor.WithShape(left.rows, right.rows), tensor.Of(tensor.Float64))
	if err := engine.NewCPU(workers).HistogramIntersection(out, rows, columns); err != nil {
		return nil, err
	}
	values, own, others := out.Float64s(), rowSums(rows), rowSums(columns)
	parallel.For(workers, left.rows, func(i int) {
		overMaxima(values[i*right.rows:][:right.rows], own[i], others)
	})
	return out, nil
}

// overMaxima divides the sums of the minima of a row and others by those of the maxima, given what their entries add up
// to.
func overMaxima(minima []float64, own float64, others []float64) {
	for j, least := range minima {
		minima[j] = 1
		if most := own + others[j] - least; most > 0 {
			minima[j] = least / most
		}
	}
}

// sparse returns the entries that are not zero.
func (v *vectors) sparse() (*engine.Sparse, error) {
	entries := 0
	for _, x := range v.data {
		if x != 0 {
			entries++
		}
	}
	if entries > math.MaxInt32 {
		return nil, fmt.Errorf("jaccard kernel of %d numbers that are not zero: at most %d", entries, math.MaxInt32)
	}
	s := &engine.Sparse{
		Cols: v.columns, RowPtr: make([]int32, 1, v.rows+1), Col: make([]int32, 0, entries),
		Values: make([]float64, 0, entries),
	}
	for i := range v.rows {
		for j, x := range v.row(i) {
			if x != 0 {
				s.Col, s.Values = append(s.Col, int32(j)), append(s.Values, x)
			}
		}
		s.RowPtr = append(s.RowPtr, int32(len(s.Col)))
	}
	return s, nil
}

// rowSums adds up every row, in the order in which an intersection is added up.
func rowSums(a *engine.Sparse) []float64 {
	out := make([]float64, a.Rows())
	for i := range out {
		for _, x := range a.Values[a.RowPtr[i]:a.RowPtr[i+1]] {
			out[i] += x
		}
	}
	return out
}
