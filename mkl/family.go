package mkl

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"
)

// Family is a set of kernels K_1, ..., K_M on the same n objects, given by what EasyMKL asks of them. The
// matrices need not exist.
type Family interface {
	Objects() int // n
	Kernels() int // M

	// Sum returns the function that computes dst = sum_m weights_m K_m z; nil weights are ones. dst and z have n
	// entries. The function may keep scratch space: one call at a time.
	Sum(weights []float64) func(dst, z []float64)

	// QuadraticForms computes dst_m = z' K_m z for all m.
	QuadraticForms(dst, z []float64)

	// MeanDiagonals computes dst_m = trace(K_m) / n for all m.
	MeanDiagonals(dst []float64)
}

// Matrices is the family of the given kernel matrices, each n x n by rows.
type Matrices struct {
	n       int
	kernels [][]float64
}

// NewMatrices returns the family of kernel matrices, Float64 and n x n all. It returns an error for a
// matrix of another shape or dtype, one that is not symmetric (to 1e-9 of its largest entry) and one with an
// entry that is not finite. The matrices are not copied.
func NewMatrices(kernels []*tensor.Dense) (*Matrices, error) {
	if len(kernels) == 0 {
		return nil, fmt.Errorf("no kernel matrices")
	}
	f := &Matrices{}
	for m, k := range kernels {
		if k.Dtype() != tensor.Float64 || k.Dims() != 2 || k.Shape()[0] != k.Shape()[1] {
			return nil, fmt.Errorf("kernel matrix %d is %v %v, want a square matrix of float64", m+1, k.Dtype(), k.Shape())
		}
		if m == 0 {
			f.n = k.Shape()[0]
		}
		if k.Shape()[0] != f.n {
			return nil, fmt.Errorf("kernel matrix %d is of %d objects, the first one of %d", m+1, k.Shape()[0], f.n)
		}
		x := k.Float64s()
		if err := checkSymmetric(x, f.n); err != nil {
			return nil, fmt.Errorf("kernel matrix %d: %w", m+1, err)
		}
		f.kernels = append(f.kernels, x)
	}
	return f, nil
}

func checkSymmetric(x []float64, n int) error {
	largest := 0.0
	for at, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("row %d, column %d is %g, want finite numbers", at/n, at%n, v)
		}
		largest = max(largest, math.Abs(v))
	}
	for i := range n {
		for j := range i {
			if math.Abs(x[i*n+j]-x[j*n+i]) > 1e-9*largest {
				return fmt.Errorf("not symmetric: row %d, column %d is %g, the other way round %g", i, j, x[i*n+j], x[j*n+i])
			}
		}
	}
	return nil
}

// Objects implements [Family].
func (f *Matrices) Objects() int { return f.n }

// Kernels implements [Family].
func (f *Matrices) Kernels() int { return len(f.kernels) }

// Sum implements [Family].
func (f *Matrices) Sum(weights []float64) func(dst, z []float64) {
	return func(dst, z []float64) {
		clear(dst)
		for m, k := range f.kernels {
			w := 1.0
			if weights != nil {
				w = weights[m]
			}
			if w == 0 {
				continue
			}
			for i := range dst {
				dst[i] += w * dot(k[i*f.n:(i+1)*f.n], z)
			}
		}
	}
}

// QuadraticForms implements [Family].
func (f *Matrices) QuadraticForms(dst, z []float64) {
	for m, k := range f.kernels {
		dst[m] = 0
		for i, v := range z {
			if v != 0 {
				dst[m] += v * dot(k[i*f.n:(i+1)*f.n], z)
			}
		}
	}
}

// MeanDiagonals implements [Family].
func (f *Matrices) MeanDiagonals(dst []float64) {
	for m, k := range f.kernels {
		trace := 0.0
		for i := range f.n {
			trace += k[i*f.n+i]
		}
		dst[m] = trace / float64(f.n)
	}
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
