package gckn

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// synthetic returns a training on a generated data set, with a third of the items for validation.
func synthetic(t testing.TB, kind string, opt dataset.SynthOptions, variant string) (*dataset.Dataset, *Training) {
	t.Helper()
	d, err := dataset.Synth(kind, opt)
	if err != nil {
		t.Fatal(err)
	}
	encoding, err := dataset.FitEncoding(d, dataset.AutoFeatures, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := encoding.Apply(d)
	if err != nil {
		t.Fatal(err)
	}
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	examples := train.Examples{Graphs: train.InMemory(b), Input: input, Targets: model.TargetsOf(d)}
	network, err := Preset(variant, 3, 8, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	network.Seed, network.Samples = 7, 5000
	training := &Training{Training: train.Training{Examples: examples}, Options: DefaultSupervised(network)}
	training.Options.Epochs = 5
	for i := range examples.Targets.Len() {
		if i%3 == 0 {
			training.Validation = append(training.Validation, i)
		} else {
			training.Train = append(training.Train, i)
		}
	}
	return d, training
}

func supervise(t testing.TB, e engine.Engine, training *Training) *Supervised {
	t.Helper()
	m, err := Supervise(context.Background(), e, training)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func outputsOf(t testing.TB, m *Supervised, b *graph.Batch) []float64 {
	t.Helper()
	out, err := m.Outputs(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Float64s()
}

// bytesOf returns the model file of a model.
func bytesOf(t testing.TB, m *Supervised) string {
	t.Helper()
	raw, err := modelfile.Encode("test", m, m.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A network learns what decides the class of a graph, by every loss and way to train.
func TestSupervisedLearns(t *testing.T) {
	for name, change := range map[string]func(*SupervisedOptions){
		"cross-entropy": func(*SupervisedOptions) {},
		"squared hinge": func(o *SupervisedOptions) { o.Loss = autodiff.SquaredHinge },
		"logistic":      func(o *SupervisedOptions) { o.Loss = autodiff.Logistic },
		"alternating":   func(o *SupervisedOptions) { o.Alternate = true },
		"weighted":      func(o *SupervisedOptions) { o.ClassWeights = []float64{1, 3} },
		"exact, mean": func(o *SupervisedOptions) {
			o.ExactGradient, o.Network.GlobalPooling = true, Mean
		},
		"max": func(o *SupervisedOptions) {
			o.Network.Layers[0].Pooling, o.Network.GlobalPooling = Max, Max
		},
		"tf32":             func(o *SupervisedOptions) { o.Precision = engine.TF32 },
		"start from a few": func(o *SupervisedOptions) { o.StartGraphs = 30 },
	} {
		t.Run(name, func(t *testing.T) {
			d, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 90}, "gckn-subtree")
			change(&training.Options)
			training.Options.Epochs, training.Options.Rate = 12, 0.001 // sums over vertices make steps large
			m := supervise(t, enginetest.Open(t, 1), training)
			records := m.Records
			if last := records[len(records)-1]; !(last.Accuracy > 0.8) {
				t.Errorf("accuracy %.3f in the last epoch: %+v", last.Accuracy, records)
			}
			said, err := m.Predict(context.Background(), training.Examples.Whole(), nil)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for _, i := range training.Validation {
				if said.Classes[i] == d.Classes[i] {
					right++
				}
			}
			got, want := float64(right)/float64(len(training.Validation)), records[m.Best].Scores[0]
			if math.Abs(got-want) > 1.5/float64(len(training.Validation)) {
				t.Errorf("the model is right for %.3f of the validation part, the training saw %.3f", got, want)
			}
			for _, r := range records {
				if r.Scores[0] > want {
					t.Errorf("epoch %d has score %.3f, the best is epoch %d with %.3f", r.Epoch, r.Scores[0],
						m.Best, want)
				}
			}
		})
	}
}

// The published start: no epochs give the unsupervised model with an exact classifier.
func TestSupervisedStart(t *testing.T) {
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40}, "gckn-subtree")
	e := enginetest.Open(t, 1)
	training.Options.Epochs = 0
	training.Options.Network.Double = true
	m := supervise(t, e, training)
	b := training.Examples.Whole()
	plain := fit(t, e, b.Select(training.Train), training.Options.Network)
	for l := range training.Options.Network.Layers {
		if err := closeTo(float64s(e, m.Model.Anchors(l)), float64s(e, plain.Anchors(l)), 1e-14); err != nil {
			t.Errorf("anchors of layer %d: %v", l+1, err)
		}
	}
	if len(m.Records) != 1 || m.Best != 0 {
		t.Errorf("records %+v", m.Records)
	}
}

// The same seed gives the same bits for any number of workers and the seeds side by side; options and
// data are left alone.
func TestSupervisedRepeats(t *testing.T) {
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40}, "gckn-3layer")
	before, err := json.Marshal(training.Options)
	if err != nil {
		t.Fatal(err)
	}
	want := bytesOf(t, supervise(t, enginetest.Open(t, 1), training))
	for workers := 1; workers <= 3; workers++ {
		if bytesOf(t, supervise(t, enginetest.Open(t, workers), training)) != want {
			t.Errorf("%d workers: other bits", workers)
		}
	}
	after, err := json.Marshal(training.Options)
	if err != nil || string(after) != string(before) || training.Train == nil {
		t.Errorf("options %s, were %s", after, before)
	}
}

// A model from a file has the bits of the one that was stored; damaged ones are refused.
func TestSupervisedFile(t *testing.T) {
	e := enginetest.Open(t, 1)
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 30}, "gckn-path")
	m := supervise(t, e, training)
	path := filepath.Join(t.TempDir(), "model")
	if err := modelfile.Write(path, "test", m, m.Tensors()); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadSupervised(e, f.Model, f)
	if err != nil {
		t.Fatal(err)
	}
	b := training.Examples.Whole()
	if !slices.Equal(outputsOf(t, loaded, b), outputsOf(t, m, b)) || loaded.Best != m.Best ||
		loaded.Vertices || loaded.Regression {
		t.Error("the loaded model is another one")
	}
	if got, want := loaded.Options.String(), m.Options.String(); got != want {
		t.Errorf("options %s, want %s", got, want)
	}
	other := &modelfile.File{Tensors: map[string]*tensor.Dense{}}
	for name := range f.Tensors {
		clear(other.Tensors)
		for n, x := range f.Tensors {
			other.Tensors[n] = x
		}
		other.Tensors[name] = tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]float64{1, 2, 3}))
		if _, err := LoadSupervised(e, f.Model, other); err == nil {
			t.Errorf("tensor %s of another shape was accepted", name)
		}
		delete(other.Tensors, name)
		if _, err := LoadSupervised(e, f.Model, other); err == nil {
			t.Errorf("a file without tensor %s was accepted", name)
		}
	}
	negative := strings.Replace(string(f.Model), `"labels":`, `"labels":-`, 1)
	for _, text := range []string{"", "[]", `{"options":{}}`, negative} {
		if _, err := LoadSupervised(e, json.RawMessage(text), f); err == nil {
			t.Errorf("description %q was accepted", text)
		}
	}
}

// A network that was trained on one engine predicts on another.
func TestSupervisedAcrossEngines(t *testing.T) {
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 30}, "gckn-subtree")
	m := supervise(t, enginetest.Open(t, 1), training)
	raw, err := modelfile.Encode("test", m, m.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := LoadSupervised(engine.Reference{}, f.Model, f)
	if err != nil {
		t.Fatal(err)
	}
	b := training.Examples.Whole()
	if err := closeTo(outputsOf(t, plain, b), outputsOf(t, m, b), 1e-4); err != nil {
		t.Error(err)
	}
}
