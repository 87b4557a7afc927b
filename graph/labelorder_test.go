package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// labelled returns random graphs with labels on vertices and arcs.
func labelled(t *testing.T, seed uint64, labels, arcLabels int) []Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	graphs := make([]Graph, 12)
	for g := range graphs {
		one := Graph{NumVertices: 3 + rng.IntN(5)}
		for v := range one.NumVertices {
			one.Labels = append(one.Labels, int32(rng.IntN(labels)))
			if v > 0 {
				one.AddArc(int32(v), int32(rng.IntN(v)))
				one.Arcs.Labels = append(one.Arcs.Labels, int32(rng.IntN(arcLabels)))
			}
		}
		graphs[g] = one
	}
	return graphs
}

// moved returns the graphs in another order, with vertices and labels numbered anew: vertex label l is now vertex[l].
func moved(graphs []Graph, rng *rand.Rand, vertex, arc []int) []Graph {
	out := make([]Graph, len(graphs))
	for to, from := range rng.Perm(len(graphs)) {
		g := graphs[from]
		place := rng.Perm(g.NumVertices)
		one := Graph{NumVertices: g.NumVertices, Labels: make([]int32, g.NumVertices)}
		for v, p := range place {
			one.Labels[p] = int32(vertex[g.Labels[v]])
		}
		for i := range g.Arcs.From {
			one.AddArc(int32(place[g.Arcs.From[i]]), int32(place[g.Arcs.To[i]]))
			one.Arcs.Labels = append(one.Arcs.Labels, int32(arc[g.Arcs.Labels[i]]))
		}
		out[to] = one
	}
	return out
}

func batchOf(t *testing.T, graphs []Graph) *Batch {
	t.Helper()
	b, err := NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLabelOrdersDependOnTheGraphsAlone(t *testing.T) {
	const labels, arcLabels = 9, 4 // of few vertices, so that many are equally frequent
	for seed := range uint64(20) {
		graphs := labelled(t, seed, labels, arcLabels)
		rng := rand.New(rand.NewPCG(seed, 8))
		vertex, arc := rng.Perm(labels), rng.Perm(arcLabels)
		v, a := batchOf(t, graphs).LabelOrders(labels, arcLabels)
		w, c := batchOf(t, moved(graphs, rng, vertex, arc)).LabelOrders(labels, arcLabels)
		for i, l := range v {
			v[i] = int32(vertex[l])
		}
		for i, l := range a {
			a[i] = int32(arc[l])
		}
		if !slices.Equal(v, w) || !slices.Equal(a, c) {
			t.Errorf("seed %d: orders %v and %v, of the same graphs numbered anew %v and %v", seed, v, a, w, c)
		}
	}
}

func TestLabelOrders(t *testing.T) {
	path := func(labels ...int32) Graph {
		g := Graph{NumVertices: len(labels), Labels: labels}
		for v := 1; v < len(labels); v++ {
			g.AddArc(int32(v-1), int32(v))
		}
		return g
	}
	for _, c := range []struct {
		name   string
		graphs []Graph
		labels int
		want   []int32
	}{
		{"frequent ones come first", []Graph{path(2, 0, 0), path(1, 1, 0)}, 3, []int32{0, 1, 2}},
		{"those that do not occur are last", []Graph{path(3, 3, 1)}, 5, []int32{3, 1, 0, 2, 4}},
		{"no vertices", nil, 2, []int32{0, 1}},
		{"equal ones by their first vertex", []Graph{path(2, 0), path(1, 0)}, 3, []int32{0, 2, 1}},
	} {
		if got, _ := batchOf(t, c.graphs).LabelOrders(c.labels, 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if v, a := batchOf(t, []Graph{{NumVertices: 2}}).LabelOrders(0, 0); len(v)+len(a) > 0 {
		t.Errorf("orders %v and %v of no labels", v, a)
	}
}
