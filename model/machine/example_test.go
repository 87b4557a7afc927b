package machine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// A machine on vectors learns from the targets of four examples and predicts the others, for two values of C.
func ExampleVectors() {
	x := tensor.New(tensor.WithShape(6, 1), tensor.WithBacking([]float64{0, 1, 8, 9, 2, 7}))
	known := &model.Targets{Task: model.GraphTask, Names: []string{"few", "many"}, Classes: []int{0, 0, 1, 1, -1, -1}}
	v, err := machine.OnVectors(x, svm.VectorKernel{}, engine.NewCPU(1))
	if err != nil {
		log.Fatal(err)
	}
	said, err := v.Learn(context.Background(), model.Trial{
		Train: []int{0, 1, 2, 3}, Known: known, Test: []int{4, 5}, Grid: []float64{0.1, 10}, Workers: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range said {
		fmt.Println(known.Names[p.Classes[0]], known.Names[p.Classes[1]])
	}
	// Output:
	// few many
	// few many
}
