package gnn

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// onVertices returns a training on the vertices of random graphs, by their labels or by two attributes.
func onVertices(t *testing.T, attributes bool) train.Training {
	t.Helper()
	b, _ := random(t, 20)
	targets := &model.Targets{Task: model.NodeTask, Names: []string{"a", "b", "c"}}
	for v, l := range b.Labels {
		targets.Classes = append(targets.Classes, int(l))
		if attributes {
			b.Attributes = append(b.Attributes, float64(v%5)-2, float64(l))
		}
	}
	if attributes {
		b.AttributeDim = 2
	}
	return training(t, b, targets)
}

// answers returns the logits of a batch.
func answers(t *testing.T, n *trainee, b *autodiff.Batch, err error) []float64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release(n.engine)
	if err := n.source.network.Forward(b); err != nil {
		t.Fatal(err)
	}
	logits, err := engine.Float64s(n.source.network.Logits())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(logits)
}

// A fan-out that covers all degrees gives what all arcs give.
func TestFanOutOfAllArcs(t *testing.T) {
	for _, kind := range []Kind{GCN, GIN} {
		for _, attributes := range []bool{false, true} {
			o := small(kind)
			o.Layers, o.FanOut = 3, []int{1000}
			n, err := newTrainee(enginetest.Open(t, 1), onVertices(t, attributes), o)
			if err != nil {
				t.Fatal(err)
			}
			defer n.Release()
			items := []int{5, 0, 77, 31}
			exact, err := n.source.Batch(items)
			want := answers(t, n, exact, err)
			sampled, err := n.source.ofSteps().(autodiff.Sampler).Sample(1, items)
			for i, x := range answers(t, n, sampled, err) {
				if math.Abs(x-want[i]) > 1e-10*math.Abs(want[i]) {
					t.Errorf("%s: logit %d is %g, want %g", kind, i, x, want[i])
				}
			}
		}
	}
}

// The mean of the logits of a network of one layer over many draws is what all arcs give.
func TestSampledLayersAreUnbiased(t *testing.T) {
	o := small(GCN)
	o.Layers, o.FanOut = 1, []int{2}
	n, err := newTrainee(enginetest.Open(t, 1), onVertices(t, true), o)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Release()
	items := []int{5, 0, 77}
	exact, err := n.source.Batch(items)
	want := answers(t, n, exact, err)
	const draws = 4000
	sum, squares := make([]float64, len(want)), make([]float64, len(want))
	for epoch := 1; epoch <= draws; epoch++ {
		b, err := n.source.sample(items, n.source.fanOut, epoch)
		for i, x := range answers(t, n, b, err) {
			sum[i], squares[i] = sum[i]+x, squares[i]+x*x
		}
	}
	for i := range want {
		mean := sum[i] / draws
		deviation := math.Sqrt(math.Max(squares[i]/draws-mean*mean, 0)/draws) + 1e-12
		if math.Abs(mean-want[i]) > 4*deviation {
			t.Errorf("logit %d: mean %g +- %g, want %g", i, mean, deviation, want[i])
		}
	}
}

// A training that draws arcs has the same bits for any number of workers and after an interruption, and its model
// predicts by the draw of its scores.
func TestFanOutRepeats(t *testing.T) {
	for _, kind := range []Kind{GCN, GIN} {
		o := small(kind)
		o.FanOut, o.PredictFanOut, o.Epochs = []int{2, 1}, []int{3}, 4
		run := onVertices(t, false)
		b := run.Examples.Whole()
		want := logits(t, fit(t, enginetest.Open(t, 1), run, o), b)
		run.Checkpoint = autodiff.Checkpoint{Path: filepath.Join(t.TempDir(), "checkpoint")}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		run.Progress = func(_ string, done, _ int) {
			if done == 21 {
				cancel()
			}
		}
		if _, err := Train(ctx, enginetest.Open(t, 2), run, o); err == nil {
			t.Fatalf("%s: not stopped", kind)
		}
		run.Progress = nil
		if got := logits(t, fit(t, enginetest.Open(t, 2), run, o), b); !slices.Equal(got, want) {
			t.Errorf("%s: %v after an interruption, want %v", kind, got, want)
		}
	}
}
