package layout_test

import (
	"fmt"
	"log"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/render/layout"
	"gonum.org/v1/gonum/spatial/r2"
)

// A ring of six is a regular hexagon of sides about 1 long.
func ExamplePlace() {
	ring := graph.Graph{NumVertices: 6}
	for v := range int32(6) {
		ring.AddArc(v, (v+1)%6)
	}
	b, err := graph.NewBatch([]graph.Graph{ring})
	if err != nil {
		log.Fatal(err)
	}
	at := layout.Place(b, 0, layout.Formula{})
	for v := range 6 {
		fmt.Printf("%.2f ", r2.Norm(r2.Sub(at.Points[v], at.Points[(v+1)%6])))
	}
	// Output: 1.00 1.00 1.00 1.00 1.00 1.00
}
