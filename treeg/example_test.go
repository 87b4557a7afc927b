package treeg_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
)

// Rings and paths of six vertices differ in the number of walks of one step: twelve against ten.
func Example() {
	var graphs []graph.Graph
	var classes []int
	for i := range 20 {
		g := graph.Graph{NumVertices: 6}
		for v := range int32(5 + i%2) {
			g.AddArc(v, (v+1)%6)
		}
		graphs, classes = append(graphs, g), append(classes, i%2)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		log.Fatal(err)
	}
	d := &dataset.Dataset{Name: "rings", Batch: b, Classes: classes, ClassNames: []string{"path", "ring"}}
	est := treeg.Estimator{Options: treeg.Defaults(treeg.Graphs, treeg.Single)}
	m, err := model.Fit(context.Background(), d, est, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := m.(model.Dumper).WriteText(os.Stdout, -1, nil); err != nil {
		log.Fatal(err)
	}
	said, err := m.Predict(context.Background(), d.Select([]int{0, 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.About().Classes[said.Classes[0]], m.About().Classes[said.Classes[1]])
	// Output:
	// tree, loss gini, 1 round of 1 tree
	// tree 0
	//   0: sum of 1 along walks of 1 from V > 11 (20 examples, gain 10)
	//     no  1: 1 0 (10 examples)
	//     yes 2: 0 1 (10 examples)
	// path ring
}
