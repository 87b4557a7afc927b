package nystrom_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// Two anchors among unit vectors that point in two directions.
func ExampleKMeans() {
	var rows []float64
	for _, angle := range []float64{0, 0.1, -0.1, math.Pi / 2, math.Pi/2 + 0.1, math.Pi/2 - 0.1} {
		rows = append(rows, math.Cos(angle), math.Sin(angle))
	}
	points := nystrom.Points{Points: engine.Points{
		Table: tensor.New(tensor.WithShape(6, 2), tensor.WithBacking(rows)), Size: 1,
	}}
	c, err := nystrom.KMeans(context.Background(), engine.NewCPU(1), points, 2, nystrom.KMeansOptions{})
	if err != nil {
		log.Fatal(err)
	}
	same := func(i, j int) bool { return c.Assignment[i] == c.Assignment[j] }
	fmt.Println(same(0, 1), same(0, 2), same(0, 3), same(3, 4), same(3, 5))
	// Output: true true false true true
}

// Equal sequences become one with a count.
func ExampleDistinct() {
	paths := []int32{1, 2, 1, 3, 1, 2} // of two labels each
	distinct, counts := nystrom.Distinct(paths, 2, nil)
	fmt.Println(distinct, counts)
	// Output: [1 2 1 3] [2 1]
}
