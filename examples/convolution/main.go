// Command convolution trains a network of gorgonia's operations and Grove's sparse product, on a ring of four vertices.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	e := must(engine.Open(append(os.Args[1:], "cpu")[0], 0)) // or cuda, in a build with GPU support
	g := autodiff.NewGraph(e, tensor.Float64)
	put := func(name string, rows int, values ...float64) *G.Node {
		t := tensor.New(tensor.WithShape(rows, len(values)/rows), tensor.WithBacking(values))
		return g.Parameter(name, must(engine.FromHost(e, t)))
	}
	x, y, w := put("x", 4, 1, 0, 0, 0), put("y", 4, 0, 0.5, 0, 0.5), put("w", 1, 2) // y: next to a one
	ring := &engine.Sparse{Cols: 4, RowPtr: []int32{0, 2, 4, 6, 8}, Col: []int32{1, 3, 0, 2, 1, 3, 0, 2}}
	said := G.Must(G.Tanh(G.Must(G.Mul(g.SparseMatMul(ring, x), w))))
	loss := G.Must(G.Mean(G.Must(G.Square(G.Must(G.Sub(said, y))))))
	gradient := must(G.Grad(loss, w))[0]
	m := must(g.Machine(loss, gradient))
	for range 300 {
		must(m, m.RunAll())
		must(tensor.Add(w.Value(), must(tensor.Mul(-1.0, gradient.Value())), tensor.UseUnsafe())) // on the device
	}
	fmt.Printf("loss %.4f, weight %.3f\n", loss.Value(), must(engine.Float64s(w.Value().(*tensor.Dense)))[0])
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
