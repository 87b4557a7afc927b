package dataset

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

func TestWithoutLabels(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{
		{NumVertices: 4, Labels: []int32{0, 1, 0, 1}, AttributeDim: 1, Attributes: []float64{1, 2, 3, 4},
			Arcs: graph.ArcList{From: []int32{0, 1, 2, 0}, To: []int32{1, 2, 3, 2}, Labels: []int32{0, 1, 0, 1}}},
		{NumVertices: 1, Labels: []int32{1}, AttributeDim: 1, Attributes: []float64{5},
			Arcs: graph.ArcList{Labels: []int32{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &Dataset{Name: "X", Batch: b, LabelCodes: []string{"6", "9"}, LabelNames: []string{"C", "H"},
		ArcLabelNames: []string{"1", "2"}, Missing: []int{1, 2}, VertexIDs: []string{"a", "b", "c", "d", "e"},
		Motif: &Motif{Vertices: []bool{false, true, true, false, false}, Arcs: make([]bool, b.NumArcs())}}
	got, err := d.WithoutLabels("9")
	if err != nil {
		t.Fatal(err)
	}
	if arcs := arcsOf(got); arcs != "0-1:2 1-0:2" {
		t.Errorf("arcs %s", arcs)
	}
	if !slices.Equal(got.Batch.Offsets, []int32{0, 2, 2}) || !slices.Equal(got.Batch.Labels, []int32{0, 0}) ||
		!slices.Equal(got.Batch.Attributes, []float64{1, 3}) {
		t.Errorf("offsets %v, labels %v, attributes %v", got.Batch.Offsets, got.Batch.Labels, got.Batch.Attributes)
	}
	if !slices.Equal(got.Missing, []int{1}) || !slices.Equal(got.Motif.Vertices, []bool{false, true}) ||
		len(got.Motif.Arcs) != 2 {
		t.Errorf("missing %v, motif %v", got.Missing, got.Motif)
	}
	if !slices.Equal(got.VertexIDs, []string{"a", "c"}) {
		t.Errorf("vertices %v", got.VertexIDs)
	}
	checkSound(t, got)
	if got := d.Batch.NumVertices(); got != 5 {
		t.Errorf("the data set itself has %d vertices left", got)
	}
	_, err = d.WithoutLabels("7")
	wantError(t, err, "data set X: no vertex label 7, there are [6 9]")
	_, err = (&Dataset{Name: "Y", Task: NodeClassification}).WithoutLabels("7")
	wantError(t, err, "data set Y: its task asks for every vertex")
}

// CPDB without hydrogens has the published mean sizes.
func TestCPDBWithoutHydrogens(t *testing.T) {
	d, err := Open(testfiles.Data(t, "tu", "CPDB"))
	if err != nil {
		t.Fatal(err)
	}
	if d, err = d.WithoutLabels("4"); err != nil {
		t.Fatal(err)
	}
	vertices, edges := float64(d.Batch.NumVertices())/684, float64(d.Batch.NumArcs())/2/684
	if vertices < 14.10 || vertices > 14.12 || edges < 14.56 || edges > 14.58 {
		t.Errorf("%.2f vertices and %.2f edges in a graph", vertices, edges)
	}
}
