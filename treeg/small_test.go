package treeg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Small graphs reach the same leaves as words that they reach as lists, with all kinds of splits.
func TestWordsAndListsAgree(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 6))
		directed, attributes := seed%2 == 1, seed%3 == 2
		var list []graph.Graph
		for g := range 150 {
			n := 1 + r.IntN(20)
			if g%40 == 0 {
				n = walks.MostVertices + r.IntN(3) - 1
			}
			one := graph.Graph{NumVertices: n, Directed: directed}
			for v := range n {
				one.Labels = append(one.Labels, int32(r.IntN(3)))
				if attributes {
					one.AttributeDim = 2
					one.Attributes = append(one.Attributes, r.NormFloat64(), float64(r.IntN(3)))
				}
				for range 1 + r.IntN(2) {
					one.AddArc(int32(v), int32(r.IntN(n)))
				}
			}
			list = append(list, one)
		}
		b, err := graph.NewBatch(list)
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, len(list))
		for i := range y {
			y[i] = r.NormFloat64()
		}
		opt := Defaults(Graphs, Boosting)
		opt.Estimators, opt.MaxLength, opt.Directions, opt.MaxLeaves, opt.Keep = 20, 3, BothWays, 20, 0.5
		m, err := Fit(ctx, treegtest.OpenCPU(t, 2), b, Targets{Values: y}, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Prepare(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		var leaves [2][]int32
		for i, words := range []bool{true, false} {
			if words && d.data.InWords == attributes {
				t.Errorf("attributes %v, words %v", attributes, d.data.InWords)
			}
			d.data.InWords = words && d.data.InWords
			if leaves[i], err = m.leavesOf(ctx, d, nil); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(leaves[0], leaves[1]) {
			t.Errorf("seed %d: words and lists reach different leaves", seed)
		}
		byLists, err := m.ScoresOf(ctx, d, nil) // d goes on without words
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time in the memory of the first
			scores, err := m.Scores(ctx, b)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(scores, byLists) {
				t.Errorf("seed %d: words and lists have different scores", seed)
			}
		}
	}
}
