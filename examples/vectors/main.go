// Command vectors represents the graphs of a data set by vectors, without their classes, in a gonum matrix.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func main() {
	ctx, d := context.Background(), must(dataset.Open(os.Args[1]))
	network := gckn.Estimator{Options: must(gckn.Preset("gckn-path", 3, 32, 0.5))}
	encoder := must(network.Encoder(ctx, model.NewWork(d, engine.NewCPU(2)), false))
	vectors := must(model.Matrix(ctx, encoder, d, false))
	x := mat.NewDense(vectors.Shape()[0], vectors.Shape()[1], vectors.Float64s())
	rows, columns := x.Dims()
	fmt.Println(rows, "graphs x", columns, "columns")
	var components stat.PC
	components.PrincipalComponents(x, nil)
	variances := components.VarsTo(nil)
	fmt.Printf("%.0f %% of the variance along one direction\n", 100*variances[0]/floats.Sum(variances))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
