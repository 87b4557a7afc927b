package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLineGraphOfAPathAndATriangle(t *testing.T) {
	path := Graph{NumVertices: 4, Labels: []int32{0, 1, 0, 1}}
	path.AddArc(0, 1)
	path.AddArc(1, 2)
	path.AddArc(2, 3)
	path.Arcs.Labels = []int32{5, 6, 7}
	triangle := Graph{NumVertices: 3, Labels: []int32{0, 0, 1}}
	triangle.AddArc(0, 1)
	triangle.AddArc(1, 2)
	triangle.AddArc(2, 0)
	triangle.Arcs.Labels = []int32{1, 2, 3}
	b, err := NewBatch([]Graph{path, triangle, {NumVertices: 1, Labels: []int32{0}}})
	if err != nil {
		t.Fatal(err)
	}
	line, arcs, err := b.LineGraph()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(line.Offsets, []int32{0, 3, 6, 6}) || line.NumArcs() != 4+6 {
		t.Errorf("offsets %v, %d arcs", line.Offsets, line.NumArcs())
	}
	if !slices.Equal(line.Labels, []int32{5, 6, 7, 1, 3, 2}) || line.NumLabels != 8 {
		t.Errorf("labels %v of %d", line.Labels, line.NumLabels)
	}
	if !slices.Equal(line.Neighbors(1), []int32{0, 2}) || !slices.Equal(line.Neighbors(3), []int32{4, 5}) {
		t.Errorf("neighbours %v and %v", line.Neighbors(1), line.Neighbors(3))
	}
	if got := line.Attribute(0); !slices.Equal(got, []float64{1, 1, 1, 1}) { // ends of labels 0 and 1
		t.Errorf("attributes %v", got)
	}
	if got := line.Attribute(3); !slices.Equal(got, []float64{2, 0, 0, 0}) { // twice label 0
		t.Errorf("attributes %v", got)
	}
	if b.Col[arcs[3]] != 5 {
		t.Errorf("edge 3 leads to %d", b.Col[arcs[3]])
	}
}

// A walk of the line graph of a directed graph is a walk of the graph that is one arc longer.
func TestLineGraphKeepsWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		g := Graph{NumVertices: 1 + r.IntN(7), Directed: true, AttributeDim: 1}
		for u := range g.NumVertices {
			g.Attributes = append(g.Attributes, float64(u))
			for v := range g.NumVertices {
				if r.IntN(3) == 0 {
					g.AddArc(int32(u), int32(v))
				}
			}
		}
		b, err := NewBatch([]Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		line, arcs, err := b.LineGraph()
		if err != nil {
			t.Fatal(err)
		}
		walks := 0
		for u := range int32(g.NumVertices) {
			for _, v := range b.Neighbors(u) {
				walks += b.Degree(v)
			}
		}
		if line.NumVertices() != b.NumArcs() || line.NumArcs() != walks {
			t.Errorf("%d vertices and %d arcs, want %d and %d", line.NumVertices(), line.NumArcs(), b.NumArcs(), walks)
		}
		for e := range int32(line.NumVertices()) {
			for _, f := range line.Neighbors(e) {
				if line.Attribute(e)[1] != line.Attribute(f)[0] {
					t.Errorf("arc %d does not end where arc %d starts", arcs[e], arcs[f])
				}
			}
		}
	}
}

func TestLineGraphOfParallelEdges(t *testing.T) {
	g := Graph{NumVertices: 3}
	g.AddArc(0, 1)
	g.AddArc(1, 0)
	g.AddArc(1, 2)
	g.AddArc(2, 2)
	g.Arcs.Types = []int32{0, 1, 0, 0}
	b, err := NewBatch([]Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	line, arcs, err := b.LineGraph()
	if err != nil {
		t.Fatal(err)
	}
	if len(arcs) != 4 || line.NumVertices() != 4 { // 0-1 of both types, 1-2, 2-2
		t.Fatalf("%d edges", len(arcs))
	}
	if line.NumArcs() != 2*4 {
		t.Errorf("%d arcs, want each pair that shares a vertex, both ways", line.NumArcs())
	}
}
