package mkl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/mkl"
)

// products are kernels k_m(i, j) = f_m(i) f_m(j), each given by one feature of the objects.
type products [][]float64

func (p products) Objects() int { return len(p[0]) }
func (p products) Kernels() int { return len(p) }

func (p products) Sum(weights []float64) func(dst, z []float64) {
	return func(dst, z []float64) {
		clear(dst)
		for m, f := range p {
			w := inner(f, z)
			if weights != nil {
				w *= weights[m]
			}
			for i, v := range f {
				dst[i] += w * v
			}
		}
	}
}

func (p products) QuadraticForms(dst, z []float64) {
	for m, f := range p {
		dst[m] = inner(f, z) * inner(f, z)
	}
}

func (p products) MeanDiagonals(dst []float64) {
	for m, f := range p {
		dst[m] = inner(f, f) / float64(len(f))
	}
}

func inner(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// Of two kernels the one that knows the classes gets the weight.
func Example() {
	labels := []float64{1, 1, -1, -1}
	family := products{labels, {1, 1, 1, 1}}
	solution, err := mkl.Solve(context.Background(), family, labels, mkl.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", solution.Weights)
	// Output: [1.00 0.00]
}
