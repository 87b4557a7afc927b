package walks

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// The diagonal of A^2 is the degree, and that of A^3 twice the number of triangles.
func TestDiagonalsCountTriangles(t *testing.T) {
	g := graph.Graph{NumVertices: 6} // two triangles that share vertex 0, and a pendant
	for _, arc := range [][2]int32{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}, {4, 5}} {
		g.AddArc(arc[0], arc[1])
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Level: Graphs, Constant: true, Arcs: []Arcs{{Type: AllArcs}}}
	d, err := Prepare(context.Background(), engine.NewCPU(2), b, in, Demand{Fit: true, Length: 3, Cycles: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0, 0, 0, 0, 0, 0, 4, 2, 2, 2, 3, 1, 4, 2, 2, 2, 2, 0}
	if got := d.Diagonals(); !slices.Equal(got, want) {
		t.Errorf("diagonals %v, want %v", got, want)
	}
}
