package autodiff_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// A network with one hidden layer learns the sum of two numbers.
func ExampleFitMLP() {
	var inputs, sums []float64
	for i := range 64 {
		a, b := float64(i%8), float64(i/8)
		inputs, sums = append(inputs, a, b), append(sums, a+b)
	}
	x := tensor.New(tensor.WithShape(64, 2), tensor.WithBacking(inputs))
	y := tensor.New(tensor.WithShape(64, 1), tensor.WithBacking(sums))
	opt := autodiff.DefaultMLP()
	opt.Epochs, opt.BatchSize, opt.Rate, opt.MinRate = 200, 16, 0.01, 0
	n, err := autodiff.FitMLP(context.Background(), engine.NewCPU(1), x, y, nil, opt, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := n.Predict(x, []int{8*3 + 2}) // 2 and 3
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f\n", said.Float64s()[0])
	// Output: 5
}
