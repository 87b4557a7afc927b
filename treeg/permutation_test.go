package treeg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// permuted returns the batch with the vertices of every graph in another order: vertex v becomes to[v].
func permuted(t *testing.T, b *graph.Batch, r *rand.Rand) (p *graph.Batch, to []int32) {
	t.Helper()
	to = make([]int32, b.NumVertices())
	for g := range b.NumGraphs() {
		first, last := b.Vertices(g)
		for i, j := range r.Perm(int(last - first)) {
			to[first+int32(i)] = first + int32(j)
		}
	}
	var arcs graph.ArcList
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			arcs.From, arcs.To = append(arcs.From, to[u]), append(arcs.To, to[b.Col[a]])
			if b.ArcWeights != nil {
				arcs.Weights = append(arcs.Weights, b.ArcWeights[a])
			}
			if b.ArcTypes != nil {
				arcs.Types = append(arcs.Types, b.ArcTypes[a])
			}
		}
	}
	p, err := graph.FromArcs(b.Offsets, arcs, graph.BuildOptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Directed, p.AttributeDim, p.NumLabels = b.Directed, b.AttributeDim, b.NumLabels
	p.Attributes = make([]float64, len(b.Attributes))
	if b.Labels != nil {
		p.Labels = make([]int32, len(b.Labels))
	}
	for v, w := range to {
		copy(p.Attributes[int(w)*b.AttributeDim:], b.Attribute(int32(v)))
		if b.Labels != nil {
			p.Labels[w] = b.Labels[v]
		}
	}
	return p, to
}

// A model of graphs does not see the order of vertices, a model of vertices follows it (Lemma 4.1): predictions are the
// same to the last bit, with real features and weights too, and so is a model that is fitted to permuted graphs.
func TestPermutations(t *testing.T) {
	ctx := context.Background()
	for _, level := range []Level{Graphs, Vertices} {
		b := noisy(t, 9, 30, true)
		n := b.NumGraphs()
		if level == Vertices {
			n = b.NumVertices()
		}
		r := rand.New(rand.NewPCG(4, 4))
		y := make([]float64, n)
		for i := range y {
			y[i] = r.NormFloat64()
		}
		opt := Defaults(level, Boosting)
		opt.Estimators, opt.Directions, opt.Relations, opt.MaxLength = 5, BothWays, TogetherAndApart, 3
		e := treegtest.OpenCPU(t, 1)
		m, err := Fit(ctx, e, b, Targets{Values: y}, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Scores(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			p, to := permuted(t, b, r)
			got, err := m.Scores(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := m, error(nil)
			moved := slices.Clone(y)
			if level == Vertices {
				for v, w := range to {
					moved[w] = y[v]
				}
			}
			if i%20 == 0 {
				fitted, err = Fit(ctx, e, p, Targets{Values: moved}, opt, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			refitted, err := fitted.Scores(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			for j := range n {
				at := j
				if level == Vertices {
					at = int(to[j])
				}
				if got[at] != want[j] || !treegtest.Near(refitted[at], want[j], 1e-9) {
					t.Fatalf("%s, permutation %d: example %d has %v, fitted again %v, want %v", level, i, j, got[at], refitted[at],
						want[j])
				}
			}
		}
	}
}
