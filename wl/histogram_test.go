package wl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

func TestPairs(t *testing.T) {
	two, one := graph.Graph{NumVertices: 2, Labels: []int32{0, 1}}, graph.Graph{NumVertices: 1, Labels: []int32{0}}
	m := fit(t, enginetest.Open(t, 1), batch(t, []graph.Graph{two, one, one}), Options{Kernel: Subtree, Follow: FollowOut})
	if got := m.Pairs(); got != 6+1 {
		t.Errorf("%d pairs, want 6 for one label and 1 for the other", got)
	}
}

// The engine's operation computes the same numbers as the pass over the rows.
func TestEnginesIntersect(t *testing.T) {
	ctx := context.Background()
	b := batch(t, randomGraphs(rand.New(rand.NewPCG(6, 1)), 30, false))
	opt := Options{Kernel: Assignment, Iterations: 3, Follow: FollowOut}
	m := fit(t, enginetest.Open(t, 2), b, opt)
	n := b.NumGraphs()
	zeros := func() *tensor.Dense { return engine.NewCPU(1).New(tensor.Float64, n, n) }
	weights := byRound(m, func(node int) float64 { return float64(node % 4) })
	for _, m.weights = range [][][]float64{nil, weights} {
		a, other := m.sparse(m.train), m.sparse(m.train)
		for _, right := range []*engine.Sparse{a, other} {
			got, want := zeros(), zeros()
			if err := m.intersect(ctx, got, a, right); err != nil {
				t.Fatal(err)
			}
			if err := m.pairs(m.train).addAll(ctx, want.Float64s(), n, 2, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Float64s(), want.Float64s()) {
				t.Errorf("weights %v: the engine has other numbers", m.weights != nil)
			}
		}
	}
}

// Sums of squares beyond 2^31 stay exact.
func TestLargeGraphsDoNotOverflow(t *testing.T) {
	const n = 70000
	big := graph.Graph{NumVertices: n}
	opt := Options{Kernel: Subtree, Follow: FollowOut}
	k := gram(t, fit(t, enginetest.Open(t, 1), batch(t, []graph.Graph{big, big}), opt))
	if want := float64(n) * n; k[1] != want || math.Abs(k[0]) != want {
		t.Errorf("%v, want %v", k, want)
	}
}
