package svm

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

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
	out, err := k.Cross(x, x, workers)
	if err != nil {
		return nil, err
	}
	values, n := out.Float64s(), x.Shape()[0]
	for i := range n {
		for j := range i {
			values[j*n+i] = values[i*n+j]
		}
		if k.Kind == RBFKernel {
			values[i*n+i] = 1
		}
	}
	return out, nil
}

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
	out := make([]float64, left.rows*right.rows)
	if k.Kind == JaccardKernel {
		jaccard(workers, left, right, out)
	} else {
		d := left.columns
		simd.Gemm(workers, false, true, left.rows, right.rows, d, 1, left.data, d, right.data, d, 0, out, right.rows)
		if k.Kind == RBFKernel {
			gaussian(workers, k.Gamma, left, right, out)
		}
	}
	return tensor.New(tensor.WithShape(left.rows, right.rows), tensor.WithBacking(out)), nil
}

// vectors are rows in float64.
type vectors struct {
	rows, columns int
	data          []float64
}

func (v vectors) row(i int) []float64 { return v.data[i*v.columns : (i+1)*v.columns] }

func (k VectorKernel) vectors(x *tensor.Dense) (vectors, error) {
	d, err := newDesign(x, nil)
	if err != nil {
		return vectors{}, err
	}
	v := vectors{d.numRows(), d.columns, d.double}
	if d.double == nil {
		v.data = make([]float64, v.rows*v.columns)
		d.fill(v.data, v.columns, 0, v.rows, 0, v.columns)
	}
	if k.Kind == JaccardKernel {
		for at, value := range v.data {
			if value < 0 {
				return vectors{}, fmt.Errorf("feature %d of row %d is %g: the jaccard kernel wants no negative numbers",
					at%v.columns, at/v.columns, value)
			}
		}
	}
	return v, nil
}

// gaussian turns inner products in out into the values of the rbf kernel.
func gaussian(workers int, gamma float64, left, right vectors, out []float64) {
	squares := make([]float64, right.rows)
	for j := range squares {
		squares[j] = simd.Dot(right.row(j), right.row(j))
	}
	parallel.For(workers, left.rows, func(i int) {
		row := out[i*right.rows : (i+1)*right.rows]
		own := simd.Dot(left.row(i), left.row(i))
		for j, product := range row {
			row[j] = math.Exp(-gamma * max(own+squares[j]-2*product, 0))
		}
	})
}

// jaccard fills out with the values of the jaccard kernel.
func jaccard(workers int, left, right vectors, out []float64) {
	own, sums := left.sums(), right.sums()
	parallel.For(workers, left.rows, func(i int) {
		jaccardRow(left.row(i), own[i], right, sums, out[i*right.rows:(i+1)*right.rows])
	})
}

// jaccardRow writes the kernel of x with the rows of right, given the sums of all. The minima add up to half
// of what the sums exceed the distance by, the maxima to half of sums and distance.
func jaccardRow(x []float64, own float64, right vectors, sums, out []float64) {
	for j := range out {
		d := distance(x, right.row(j))
		out[j] = 1
		if both := own + sums[j]; both+d > 0 {
			out[j] = (both - d) / (both + d)
		}
	}
}

// sums returns the sum of every row.
func (v vectors) sums() []float64 {
	zero := make([]float64, v.columns)
	out := make([]float64, v.rows)
	for i := range out {
		out[i] = distance(v.row(i), zero)
	}
	return out
}

// distance returns sum_j |x_j - y_j|.
func distance(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	j := 0
	for ; j+4 <= len(x); j += 4 {
		a += math.Abs(x[j] - y[j])
		b += math.Abs(x[j+1] - y[j+1])
		c += math.Abs(x[j+2] - y[j+2])
		d += math.Abs(x[j+3] - y[j+3])
	}
	for ; j < len(x); j++ {
		a += math.Abs(x[j] - y[j])
	}
	return (a + b) + (c + d)
}
