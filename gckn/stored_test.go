package gckn

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// onDisk returns the work on the graphs of d in a store.
func onDisk(t *testing.T, d *dataset.Dataset) *model.Work {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := dataset.WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	shards, err := dataset.OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := model.NewStoredWork(shards, enginetest.Open(t, 2))
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Graphs on disk give the anchors, the machine and the predictions of the same graphs in memory, to the bit: of labels
// and of attributes, of paths and walks, of one layer and of three, from all graphs and from those of a fold.
func TestEstimatorLearnsFromDisk(t *testing.T) {
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 90})
	b := *d.Batch
	b.AttributeDim = 2
	rng := rand.New(rand.NewPCG(1, 1))
	for v := range b.NumVertices() {
		b.Attributes = append(b.Attributes, rng.NormFloat64(), float64(b.Degree(int32(v))))
	}
	d = d.WithBatch(&b)
	for variant, features := range map[string]dataset.Features{
		"gckn-path": dataset.LabelFeatures, "gckn-walk": dataset.AttributeFeatures,
		"gckn-3layer": dataset.AttributesAndLabels, "gckn-subtree": dataset.DegreeFeatures,
	} {
		opt, err := Preset(variant, 3, 8, 0.7)
		if err != nil {
			t.Fatal(err)
		}
		opt.Samples = 700 // a part of the paths
		opt.Double = variant == "gckn-walk"
		est := Estimator{Variant: variant, Options: opt, Features: features, C: []float64{0.1}}
		for _, seen := range [][]int{nil, {0, 3, 4, 20, 21, 22, 41, 60, 61, 89}} {
			var tensors []map[string]*tensor.Dense
			var machines []*svm.Model
			for _, w := range []*model.Work{model.NewWork(d, enginetest.Open(t, 2)), onDisk(t, d)} {
				if seen != nil {
					w = w.InFold(seen)
				}
				l, err := est.Learner(context.Background(), w)
				if err != nil {
					t.Fatal(err)
				}
				m, err := l.Model(context.Background(), model.TargetsOf(w.Data).All(est.C, 2))
				if err != nil {
					t.Fatal(err)
				}
				_, parts, err := m.Parts()
				if err != nil {
					t.Fatal(err)
				}
				tensors, machines = append(tensors, parts), append(machines, m.(*classifierModel).classifier.Linear)
			}
			for name, want := range tensors[0] {
				if got := tensors[1][name]; got == nil || !slices.Equal(numbersOf(got), numbersOf(want)) {
					t.Errorf("%s of %d graphs: other anchors %s", variant, len(seen), name)
				}
			}
			if !slices.Equal(machines[0].Weights[0], machines[1].Weights[0]) || machines[0].Bias[0] != machines[1].Bias[0] {
				t.Errorf("%s of %d graphs: another machine", variant, len(seen))
			}
		}
	}
}

func numbersOf(x *tensor.Dense) []float64 {
	if x.Dtype() == tensor.Float64 {
		return x.Float64s()
	}
	var wide []float64
	for _, v := range x.Float32s() {
		wide = append(wide, float64(v))
	}
	return wide
}

// The runs in which graphs on disk are looked at are those in memory, wherever they are cut, and so are the points that
// anchors are learned from.
func TestRunsOnDiskAreThoseInMemory(t *testing.T) {
	b := batch(t, molecules(t, 60, 3))
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range []string{"gckn-subtree", "gckn-walk"} {
		opt := options(t, variant)
		opt.Samples = 200
		e := enginetest.Open(t, 2)
		m, err := Fit(context.Background(), e, b, input, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, vertices := range []int64{1, 13, 40, 1000} {
			m.runs = vertices * (1 << 30) / m.runVertices(1<<30)
			inMemory, stays := train.InMemory(b), train.Part(train.InMemory(b), split.All(b.NumGraphs()))
			layers := m.layers
			for l := range opt.Layers {
				m.layers = layers[:l]
				points := func(graphs train.Graphs) nystrom.Points {
					t.Helper()
					drawn, err := m.sample(context.Background(), graphs, l, nil)
					if err != nil {
						t.Fatal(err)
					}
					p, err := drawn.points(e.Host(), opt.dtype(), opt.Layers[l].PathSize, opt.whole(l))
					if err != nil {
						t.Fatal(err)
					}
					return p
				}
				want, got := points(inMemory), points(stays)
				if !slices.Equal(got.Rows, want.Rows) || !slices.Equal(numbersOf(got.Table), numbersOf(want.Table)) ||
					!slices.Equal(got.Weights, want.Weights) {
					t.Errorf("%s, layer %d, runs of %d vertices: other points", variant, l+1, vertices)
				}
				n, err := m.numberPaths(context.Background(), stays, 0, nil)
				if err != nil || vertices < 100 && len(n.First) < 5 {
					t.Errorf("%d runs, %v", len(n.First), err)
				}
			}
			m.layers = layers
		}
	}
}
