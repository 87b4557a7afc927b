package svm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// A linear machine for each of three values of C, trained at once.
func Example() {
	x := tensor.New(tensor.WithShape(6, 2), tensor.WithBacking([]float64{
		0, 0, 0, 1, 1, 0,
		4, 4, 4, 5, 5, 4,
	}))
	classes := []int{7, 7, 7, 9, 9, 9}
	c, err := svm.FitClassifier(context.Background(), x, nil, classes, []float64{0.1, 1, 10}, svm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	said, err := c.Predict(x, []int{0, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(said)
	// Output: [[7 9] [7 9] [7 9]]
}
