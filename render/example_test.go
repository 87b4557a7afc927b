package render_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/render"
)

// A triangle, coloured by what its vertices add to a decision.
func ExampleGraph() {
	g := graph.Graph{NumVertices: 3}
	for v := range int32(3) {
		g.AddArc(v, (v+1)%3)
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		log.Fatal(err)
	}
	var svg bytes.Buffer
	drawing := render.Drawing{Batch: b, Title: "triangle", Contributions: []float64{1, -0.5, 0.2}}
	if err := render.Graph(&svg, drawing, render.Style{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(svg.Bytes(), []byte("<svg")), bytes.Contains(svg.Bytes(), []byte("triangle")))
	// Output: true true
}
