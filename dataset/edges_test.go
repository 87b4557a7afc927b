package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// labelled returns a path of three edges and a triangle, whose arcs carry labels.
func labelledEdges(t *testing.T) *Dataset {
	t.Helper()
	path := graph.Graph{NumVertices: 4}
	triangle := graph.Graph{NumVertices: 3}
	for i := range 3 {
		path.AddArc(int32(i), int32(i+1))
		triangle.AddArc(int32(i), int32((i+1)%3))
	}
	path.Arcs.Labels, triangle.Arcs.Labels = []int32{0, 1, 0}, []int32{1, 1, 0}
	b, err := graph.NewBatch([]graph.Graph{path, triangle, {NumVertices: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return &Dataset{
		Name: "edges", Batch: b, Classes: []int{0, 1, 0}, ClassNames: []string{"a", "b"}, ArcLabelNames: []string{"3", "7"},
	}
}

func TestByEdge(t *testing.T) {
	set := labelledEdges(t)
	d, err := set.ByEdge()
	if err != nil {
		t.Fatal(err)
	}
	edges := []Edge{{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {1, 0, 1}, {1, 0, 2}, {1, 1, 2}}
	if !slices.Equal(d.Edges, edges) || !slices.Equal(d.EdgeClasses, []int{0, 1, 0, 1, 0, 1}) {
		t.Errorf("edges %v of classes %v", d.Edges, d.EdgeClasses)
	}
	if d.Task != EdgeClassification || !slices.Equal(d.ClassNames, []string{"3", "7"}) || d.Classes != nil {
		t.Errorf("%s of classes %v", d.Task, d.ClassNames)
	}
	line, arcs, err := d.Batch.LineGraph()
	if err != nil || line.NumVertices() != len(edges) || len(arcs) != len(edges) || line.Labels != nil {
		t.Errorf("a line graph of %d vertices with labels %v: %v", line.NumVertices(), line.Labels, err)
	}
	if set.Batch.ArcLabels == nil || set.Task != GraphClassification {
		t.Error("the data set itself was changed")
	}
	some := d.Select([]int{2, 1, 1})
	want := []Edge{{1, 0, 1}, {1, 0, 2}, {1, 1, 2}, {2, 0, 1}, {2, 0, 2}, {2, 1, 2}}
	if !slices.Equal(some.Edges, want) || !slices.Equal(some.EdgeClasses, []int{1, 0, 1, 1, 0, 1}) {
		t.Errorf("selected edges %v of classes %v", some.Edges, some.EdgeClasses)
	}
}

func TestByEdgeWithoutLabelsAndWithTwo(t *testing.T) {
	set := labelledEdges(t)
	bare := *set.Batch
	bare.ArcLabels = nil
	set.Batch = &bare
	if d, err := set.ByEdge(); err != nil || len(d.Edges) != 6 || d.EdgeClasses != nil {
		t.Errorf("edges %v of classes %v: %v", d.Edges, d.EdgeClasses, err)
	}
	set = labelledEdges(t)
	labels := slices.Clone(set.Batch.ArcLabels)
	labels[0] = 1 - labels[0]
	differ := *set.Batch
	differ.ArcLabels = labels
	set.Batch = &differ
	const want = "vertices 0 and 1 of graph 0 has the labels 7 and 3"
	if _, err := set.ByEdge(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an edge with two labels: %v", err)
	}
}
