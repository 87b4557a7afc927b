package autodiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// withSequences returns features with classes and sequences of all graphs of whole, for the graphs picked.
func withSequences(t *testing.T, f Features, whole *graph.Batch, pick []int, layer Layer) Features {
	t.Helper()
	walks := layer.Route == graph.Walks
	classes := whole.PathClasses(whole.Labels, nil, layer.Size, layer.AllLengths, walks, 1)
	f.Sequences = whole.PathSequences(classes, whole.Labels, layer.Size, layer.AllLengths, walks, 1<<20)
	for _, of := range classes.Class {
		var some []int32
		for _, g := range pick {
			from, to := whole.Vertices(g)
			some = append(some, of[from:to]...)
		}
		f.Classes = append(f.Classes, some)
	}
	return f
}

// Pooling over label sequences gives what pooling over paths gives, in batches of any graphs of a data set.
func TestSequencesChangeNothing(t *testing.T) {
	whole := rings(t)
	for _, route := range []graph.Route{graph.Paths, graph.Walks} {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			for _, all := range []bool{false, true} {
				for _, sum := range []bool{false, true} {
					t.Run(fmt.Sprint(route, " ", pool, all, sum), func(t *testing.T) {
						e := enginetest.Open(t, 1)
						opt := Options{Layers: layers(all, route, pool, 3, 1), Loss: CrossEntropy, Epsilon: 0.01, asGiven: true}
						opt.Layers[0].Kernel.SumExponent = sum
						n := example(t, e, tensor.Float64, opt, 2)
						for _, pick := range [][]int{{0, 1, 2}, {2}, {2, 0, 2}, {1}} {
							b := whole.Select(pick)
							plain := labels(t, e, tensor.Float64, b)
							want := numbers(t, n, prepare(t, n, b, plain))
							batch := prepare(t, n, b, withSequences(t, plain, whole, pick, opt.Layers[0]))
							if batch.stages[0].sequences == nil {
								t.Fatal("no sequences")
							}
							if err := closeTo(numbers(t, n, batch), want, 1e-11); err != nil {
								t.Errorf("graphs %v: %v", pick, err)
							}
						}
					})
				}
			}
		}
	}
}

// The bits of a step over sequences do not depend on the number of workers, nor on the steps before.
func TestSequencesHaveNoMemory(t *testing.T) {
	whole := rings(t)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, Epsilon: 0.01, asGiven: true}
	var want []float64
	for workers := 1; workers <= 3; workers++ {
		e := enginetest.Open(t, workers)
		n := example(t, e, tensor.Float32, opt, 2)
		step := func(pick []int) []float64 {
			b := whole.Select(pick)
			return numbers(t, n, prepare(t, n, b, withSequences(t, labels(t, e, tensor.Float32, b), whole, pick, opt.Layers[0])))
		}
		if workers > 1 {
			step([]int{2})
		}
		got := step([]int{0, 2, 1})
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
}

func TestSequencesThatDoNotFit(t *testing.T) {
	e, whole := enginetest.Open(t, 1), rings(t)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3), Loss: CrossEntropy, Epsilon: 0.01}
	n := example(t, e, tensor.Float64, opt, 2)
	good := func() Features {
		return withSequences(t, labels(t, e, tensor.Float64, whole), whole, []int{0, 1, 2}, opt.Layers[0])
	}
	norms, unclassed, other, unknown := good(), good(), good(), good()
	norms.Unit = false
	unclassed.Classes = nil
	other.Sequences = withSequences(t, other, whole, []int{0, 1, 2}, layers(true, graph.Paths, engine.Sum, 2)[0]).Sequences
	unknown.Classes[0][0] = 99
	for want, f := range map[string]Features{"with norms": norms, "without the classes": unclassed,
		"sequences for [1 2]": other, "class 99": unknown} {
		if err := prepareError(n, whole, f, Targets{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want: %s", err, want)
		}
	}
}
