// Command graphs learns from graphs that it builds itself, rings and paths.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
)

func ringsAndPaths(from, to int32) *dataset.Dataset {
	d, graphs := &dataset.Dataset{Name: "rings and paths", ClassNames: []string{"ring", "path"}}, []graph.Graph(nil)
	for n := from; n < to; n++ {
		g := graph.Graph{NumVertices: int(n)}
		for v := range n - n%2 { // of an odd number of vertices a path
			g.AddArc(v, (v+1)%n)
		}
		graphs, d.Classes = append(graphs, g), append(d.Classes, int(n%2))
	}
	var err error
	if d.Batch, err = graph.NewBatch(graphs); err != nil {
		log.Fatal(err)
	}
	return d
}

func main() {
	trees := treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Boosting)}
	m, err := model.Fit(context.Background(), ringsAndPaths(6, 26), trees, nil)
	if err != nil {
		log.Fatal(err)
	}
	said, err := m.Predict(context.Background(), ringsAndPaths(26, 30), nil)
	fmt.Println(m.About().Classes, said.Classes, err)
}
