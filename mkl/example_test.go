package mkl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/mkl"
	"gorgonia.org/tensor"
)

// Of two kernels the one that knows the classes gets the weight.
func Example() {
	labels := []float64{1, 1, -1, -1}
	telling, blind := make([]float64, 16), make([]float64, 16)
	for i := range labels {
		for j := range labels {
			telling[4*i+j] = labels[i] * labels[j]
			blind[4*i+j] = 1
		}
	}
	family, err := mkl.NewMatrices([]*tensor.Dense{
		tensor.New(tensor.WithShape(4, 4), tensor.WithBacking(telling)),
		tensor.New(tensor.WithShape(4, 4), tensor.WithBacking(blind)),
	})
	if err != nil {
		log.Fatal(err)
	}
	solution, err := mkl.Solve(context.Background(), family, labels, mkl.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", solution.Weights)
	// Output: [1.00 0.00]
}
