package baseline

import (
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// joined reports whether there is an arc between two different vertices.
func joined(b *graph.Batch, u, v int32) bool { return u != v && b.HasArc(u, v) }

// cell returns the number of a row under a name.
func cell(t *testing.T, f *counted, row []float32, name string) float64 {
	t.Helper()
	at := slices.Index(f.names(nil), name)
	if at < 0 {
		t.Fatalf("no feature %q in %q", name, f.names(nil))
	}
	return float64(row[at])
}

// The numbers of a graph are what their names say.
func TestCountsOfGraphs(t *testing.T) {
	d := random(t, 25, 7, false)
	f, err := newCounted(model.NewWork(d, nil), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.table(model.NewWork(d, nil), 2)
	if err != nil {
		t.Fatal(err)
	}
	b, attributes := d.Batch, d.MissingAsNaN().Batch.Attributes
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		n, row := float64(to-from), x.Row(g)
		triangles, wedges, walks3, degrees, squares, fromOne := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
		smallest, sum, have := math.Inf(1), 0.0, 0.0
		for u := from; u < to; u++ {
			degree := float64(b.Degree(u))
			degrees, squares = degrees+degree, squares+degree*degree
			if b.Labels[u] == 1 {
				fromOne += degree
			}
			if a := attributes[2*u]; a == a {
				smallest, sum, have = min(smallest, a), sum+a, have+1
			}
			for _, v := range b.Neighbors(u) {
				for _, w := range b.Neighbors(v) {
					walks3 += float64(b.Degree(w))
				}
			}
			for v := from; v < to; v++ {
				for w := v + 1; w < to; w++ {
					if joined(b, u, v) && joined(b, u, w) {
						wedges++
						if joined(b, v, w) {
							triangles++
						}
					}
				}
			}
		}
		near(t, "vertices", cell(t, f, row, "vertices"), n)
		near(t, "arcs", cell(t, f, row, "arcs"), degrees)
		near(t, "triangles", cell(t, f, row, "triangles"), triangles/3)
		near(t, "transitivity", cell(t, f, row, "transitivity"), triangles/max(wedges, 1))
		near(t, "walks", cell(t, f, row, "walks of 3 per vertex"), walks3/n)
		near(t, "deviation", cell(t, f, row, "deviation of the degrees"),
			math.Sqrt(max(squares/n-degrees*degrees/n/n, 0)))
		near(t, "walks by label", cell(t, f, row, "walks of 1 from label 1 per vertex"), fromOne/n)
		near(t, "smallest", cell(t, f, row, "smallest of attribute 0"), smallest)
		near(t, "mean", cell(t, f, row, "mean of attribute 0"), sum/have)
		near(t, "arcs by label", cell(t, f, row, "number of arcs 0")+cell(t, f, row, "number of arcs 1"), degrees)
	}
}

// The numbers of a vertex are its own and the means of its neighbours, those of an edge come from both ends.
func TestCountsOfVerticesAndEdges(t *testing.T) {
	d := random(t, 25, 8, false)
	edges, err := d.ByEdge()
	if err != nil {
		t.Fatal(err)
	}
	vertices := *d
	vertices.Task, vertices.Classes, vertices.VertexClasses = dataset.NodeClassification, nil,
		make([]int, d.Batch.NumVertices())
	f, err := newCounted(model.NewWork(&vertices, nil), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.table(model.NewWork(&vertices, nil), 2)
	if err != nil {
		t.Fatal(err)
	}
	b, attributes := d.Batch, d.MissingAsNaN().Batch.Attributes
	mean := func(of func(u int32) float64) func(v int32) float64 {
		return func(v int32) float64 {
			sum, n := 0.0, 0.0
			for _, u := range b.Neighbors(v) {
				if a := of(u); a == a {
					sum, n = sum+a, n+1
				}
			}
			return sum / n
		}
	}
	first := mean(func(u int32) float64 { return attributes[2*u+1] })
	second := mean(first)
	for v := range int32(b.NumVertices()) {
		row := x.Row(int(v))
		for name, want := range map[string]float64{
			"degree": float64(b.Degree(v)), "attribute 1": attributes[2*v+1],
			"attribute 1, mean after 1 step": first(v), "attribute 1, mean after 2 steps": second(v),
		} {
			if got := cell(t, f, row, name); !(math.Abs(got-want) < 1e-5) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("vertex %d: %s is %g, want %g", v, name, got, want)
			}
		}
		near(t, "labels", cell(t, f, row, "label 0")+cell(t, f, row, "label 1")+cell(t, f, row, "label 2"), 1)
	}
	of, err := newCounted(model.NewWork(edges, nil), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	y, err := of.table(model.NewWork(edges, nil), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range edges.Edges {
		start, _ := b.Vertices(e.Graph)
		u, v := start+e.From, start+e.To
		near(t, "both degrees", cell(t, of, y.Row(i), "degree (both ends)"), float64(b.Degree(u)+b.Degree(v)))
		near(t, "degrees", cell(t, of, y.Row(i), "degree (difference of the ends)"),
			math.Abs(float64(b.Degree(u)-b.Degree(v))))
		common := 0.0
		for w := range int32(b.NumVertices()) {
			if u != v && joined(b, u, w) && joined(b, v, w) {
				common++
			}
		}
		near(t, "common neighbours", cell(t, of, y.Row(i), "common neighbours"), common)
	}
}

// Every task has as many names as its rows are filled with.
func TestNamesAndColumns(t *testing.T) {
	for _, directed := range []bool{false, true} {
		d := random(t, 4, 9, directed)
		f, err := newCounted(model.NewWork(d, nil), 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		w := &row{}
		f.ofGraph(w, d.Batch, 0, 1, d.Batch.WalkCounts(5), commonNeighbours(d.Batch, 1))
		if len(w.to) != len(f.names(nil)) {
			t.Errorf("%d numbers of a graph with %d names", len(w.to), len(f.names(nil)))
		}
		if f.Task != model.GraphTask {
			t.Errorf("task %s", f.Task)
		}
	}
}

// Vertices are counted by colour: graphs that refinement does not tell apart have the same row however they are
// numbered, each vertex is counted once a step, and graphs that differ around a vertex, in an arc label or in a whole
// attribute do not have the same.
func TestColoursOfAGraph(t *testing.T) {
	row := func(change func(g *graph.Graph)) []float64 {
		g := graph.Graph{NumVertices: 5, AttributeDim: 2, Labels: []int32{0, 1, 0, 0, 1},
			Attributes: []float64{1, 0.5, 2, 0.5, 3, 0.25, 0, 0.5, 1, 0.5}}
		for v, u := range []int32{1, 2, 3, 4, 0} {
			g.AddArc(int32(v), u)
			g.Arcs.Labels = append(g.Arcs.Labels, int32(v%2))
		}
		change(&g)
		b, err := graph.NewBatch([]graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		f := &counted{Steps: 2, Encoding: &dataset.Encoding{Labels: []string{"0", "1"}, ArcLabels: []string{"0", "1"}}}
		to := make([]float64, 4096)
		f.colours(to, b, 0)
		sum := 0.0
		for _, n := range to {
			sum += n
		}
		if sum != 3*5 {
			t.Errorf("%g colours of 5 vertices in 3 steps", sum)
		}
		return to
	}
	same := func(g *graph.Graph) {}
	want := row(same)
	for name, c := range map[string]struct {
		change func(g *graph.Graph)
		equal  bool
	}{
		"another fraction": {func(g *graph.Graph) { g.Attributes[1] = 0.75 }, true},
		"a missing one":    {func(g *graph.Graph) { g.Attributes[1] = math.NaN() }, true},
		"minus zero":       {func(g *graph.Graph) { g.Attributes[6] = math.Copysign(0, -1) }, true},
		"a whole one":      {func(g *graph.Graph) { g.Attributes[0] = 7 }, false},
		"a label":          {func(g *graph.Graph) { g.Labels[2] = 1 }, false},
		"an arc label":     {func(g *graph.Graph) { g.Arcs.Labels[1] = 0 }, false},
		"another order": {func(g *graph.Graph) {
			old := *g
			turned := func(v int32) int32 { return 4 - v }
			*g = graph.Graph{NumVertices: 5, AttributeDim: 2, Labels: make([]int32, 5), Attributes: make([]float64, 10)}
			for v := range int32(5) {
				g.Labels[turned(v)] = old.Labels[v]
				copy(g.Attributes[2*turned(v):], old.Attributes[2*v:2*v+2])
			}
			for v, u := range []int32{1, 2, 3, 4, 0} {
				g.AddArc(turned(int32(v)), turned(u))
				g.Arcs.Labels = append(g.Arcs.Labels, int32(v%2))
			}
		}, true},
	} {
		if got := slices.Equal(row(c.change), want); got != c.equal {
			t.Errorf("%s: the same colours: %t", name, got)
		}
	}
}
