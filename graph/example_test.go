package graph_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/graph"
)

// Two graphs in one batch: a triangle and an edge.
func Example() {
	triangle, edge := graph.Graph{NumVertices: 3}, graph.Graph{NumVertices: 2}
	triangle.AddArc(0, 1)
	triangle.AddArc(1, 2)
	triangle.AddArc(2, 0)
	edge.AddArc(0, 1)
	b, err := graph.NewBatch([]graph.Graph{triangle, edge})
	if err != nil {
		log.Fatal(err)
	}
	from, to := b.Vertices(1)
	fmt.Println(b.NumVertices(), b.NumArcs(), "vertices of the second:", from, "to", to-1)
	fmt.Println("neighbours of 0:", b.Neighbors(0))
	// Output:
	// 5 8 vertices of the second: 3 to 4
	// neighbours of 0: [1 2]
}

// The paths of up to three vertices from one end of a path.
func ExampleBatch_VisitPaths() {
	g := graph.Graph{NumVertices: 4}
	for v := range int32(3) {
		g.AddArc(v, v+1)
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		log.Fatal(err)
	}
	b.VisitPaths(1, 3, func(path []int32) { fmt.Println(path) })
	// Output:
	// [1]
	// [1 0]
	// [1 2]
	// [1 2 3]
}
