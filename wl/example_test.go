package wl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/wl"
)

// The optimal assignment kernel of a triangle, a path of three vertices and another triangle, after one round: vertices
// without labels are all alike before it.
func Example() {
	triangle, path := graph.Graph{NumVertices: 3}, graph.Graph{NumVertices: 3}
	for v := range int32(3) {
		triangle.AddArc(v, (v+1)%3)
	}
	path.AddArc(0, 1)
	path.AddArc(1, 2)
	b, err := graph.NewBatch([]graph.Graph{triangle, path, triangle})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	opt := wl.Options{Kernel: wl.Assignment, Iterations: 1, Uniform: true, Follow: wl.FollowOut}
	m, err := wl.Fit(ctx, engine.NewCPU(1), b, opt, nil)
	if err != nil {
		log.Fatal(err)
	}
	k, err := m.Gram(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for g := range 3 {
		fmt.Println(k.Float64s()[3*g : 3*g+3])
	}
	// Output:
	// [6 4 6]
	// [4 6 4]
	// [6 4 6]
}
