package engine_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func matrix(rows, columns int, values ...float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
}

func Example() {
	e := engine.NewCPU(2)
	c := matrix(2, 2, 0, 0, 0, 0)
	if err := e.Gemm(c, matrix(2, 2, 1, 2, 3, 4), matrix(2, 2, 0, 1, 1, 0), engine.Gemm{Alpha: 1}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Float64s())
	// Output: [2 1 4 3]
}
