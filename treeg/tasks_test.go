package treeg

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// redIsolated returns the task of the red isolated vertex with the suggested test part: graphs whose number ends in 8
// or 9.
func redIsolated(t testing.TB, graphs int) (set *dataset.Dataset, train, test []int) {
	t.Helper()
	set, err := dataset.Synth("red-isolated", dataset.SynthOptions{Seed: 1, Graphs: graphs})
	if err != nil {
		t.Fatal(err)
	}
	for g := range set.NumGraphs() {
		if g%10 >= 8 {
			test = append(test, g)
		} else {
			train = append(train, g)
		}
	}
	return set, train, test
}

func accuracy(predicted, truth []int, test []int) float64 {
	right := 0
	for _, i := range test {
		if predicted[i] == truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(test))
}

// A model that may use subsets finds out that a vertex which is both red and isolated decides, and says so.
func TestRedIsolatedVertex(t *testing.T) {
	set, train, test := redIsolated(t, 700)
	for _, distance := range []int{1, 2} {
		opt := Defaults(Graphs, Boosting)
		opt.MaxDistance = distance
		m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: set.Classes, Train: train},
			opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := predicted(t, m, set.Batch).Classes
		if a := accuracy(said, set.Classes, test); a < 0.97 {
			t.Errorf("a = %d: test accuracy %.3f", distance, a)
		}
		first, explained := 0, 0
		for _, g := range test {
			if set.Classes[g] != 1 || said[g] != 1 {
				continue
			}
			explained++
			x := explanation(t, m, set.Batch, g)
			if set.Motif.Vertices[int(set.Batch.Offsets[g])+mostImportant(x.Vertices)] {
				first++
			}
		}
		if first*10 < explained*9 {
			t.Errorf("a = %d: the red isolated vertex is the most important one in %d of %d graphs", distance, first, explained)
		}
	}
}

// mostImportant returns the vertex that is more important than all others, the first one if none is.
func mostImportant(importance []float64) int {
	order := make([]int, len(importance))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(importance[j], importance[i]) })
	if len(order) > 1 && importance[order[0]] == importance[order[1]] {
		return 0
	}
	return order[0]
}
