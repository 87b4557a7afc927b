package gckn

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// renamed returns generated molecules whose labels have other names and codes, counted down from the last.
func renamed(t *testing.T, seed uint64, names ...string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 40, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	b := *d.Batch
	b.Labels = slices.Clone(b.Labels)
	n := len(d.LabelCodes)
	for v, l := range b.Labels {
		b.Labels[v] = int32(n-1) - l
	}
	r := d.WithBatch(&b)
	r.LabelCodes, r.LabelNames = slices.Clone(d.LabelCodes), slices.Clone(d.LabelNames)
	slices.Reverse(r.LabelNames)
	copy(r.LabelNames, names)
	return r
}

// estimators are small ones: with a classifier on top, and trained end to end.
func estimators(t *testing.T) (Estimator, SupervisedEstimator) {
	t.Helper()
	network, err := Preset("gckn-subtree", 3, 8, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	network.Samples = 4000
	s := SupervisedEstimator{Options: DefaultSupervised(network)}
	s.Options.Epochs, s.Options.Rate, s.Options.Standardise = 2, 0.003, true
	return Estimator{Options: network, C: []float64{1}}, s
}

// saved writes a model and reads it to start from.
func saved(t *testing.T, m model.Model) *Pretrained {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.grove")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPretrained(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fitted(t *testing.T, d *dataset.Dataset, est model.Estimator) model.Model {
	t.Helper()
	m, err := model.Fit(context.Background(), d, est, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bareModel(t *testing.T, d *dataset.Dataset, est Estimator) model.Model {
	t.Helper()
	m, err := model.FitUnsupervised(context.Background(), model.NewWork(d, engine.NewCPU(1)), est)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func matrixBy(t *testing.T, e model.Model, d *dataset.Dataset) []float64 {
	t.Helper()
	x, err := model.Matrix(context.Background(), e.(model.Embedder), d, false)
	if err != nil {
		t.Fatal(err)
	}
	return x.Float64s()
}

// Layers that are frozen keep every bit, in the file too, whatever model the anchors come from; others are trained. The
// file says what it was made from.
func TestFineTuningFreezes(t *testing.T) {
	first, second := renamed(t, 1), renamed(t, 2)
	unsupervised, supervised := estimators(t)
	for name, source := range map[string]model.Model{
		"anchors alone": bareModel(t, first, unsupervised), "a classifier": fitted(t, first, unsupervised),
		"trained end to end": fitted(t, first, supervised),
	} {
		p := saved(t, source)
		tune := supervised
		tune.From, tune.Options.Freeze = p, 1
		tuned := saved(t, fitted(t, second, tune))
		same := [2]bool{}
		for l := range same {
			same[l] = sameBits(p.network.Anchors(l), tuned.network.Anchors(l))
		}
		if !same[0] || same[1] {
			t.Errorf("%s: of two layers the lower one is to stay", name)
		}
		if !strings.Contains(tuned.Training.Setting, p.Origin.String()) {
			t.Errorf("%s: the setting is %s", name, tuned.Training.Setting)
		}
		if o := tune.described().From; o == nil || len(o.Digest) != 64 || o.Training.Dataset != first.Name {
			t.Errorf("%s: made from %+v", name, o)
		}
		tune.Options.Freeze = 0
		if all := saved(t, fitted(t, second, tune)); sameBits(p.network.Anchors(0), all.network.Anchors(0)) {
			t.Errorf("%s: the lowest layer is not trained", name)
		}
		tune.Options.AnchorRate = 1e-9
		slow := saved(t, fitted(t, second, tune))
		for l := range 2 {
			if d := furthest(t, p.network.Anchors(l), slow.network.Anchors(l)); d > 1e-6 {
				t.Errorf("%s: at a rate of 1e-9 anchors moved by %g", name, d)
			}
		}
	}
}

func sameBits(a, b *tensor.Dense) bool { return slices.Equal(a.Float32s(), b.Float32s()) }

func furthest(t *testing.T, a, b *tensor.Dense) float64 {
	t.Helper()
	x, err := engine.Float64s(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := engine.Float64s(b)
	if err != nil {
		t.Fatal(err)
	}
	d := 0.0
	for i := range x {
		d = max(d, math.Abs(x[i]-y[i]))
	}
	return d
}

// Labels are matched by name, and one that the network never saw is to it what it was before: unlike all others.
func TestFineTuningMatchesLabels(t *testing.T) {
	first := renamed(t, 1)
	unsupervised, supervised := estimators(t)
	source := fitted(t, first, unsupervised)
	p := saved(t, source)
	supervised.Options.Epochs, supervised.From = 0, p

	permuted, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 40, Seed: 1}) // first, with other codes
	if err != nil {
		t.Fatal(err)
	}
	want := matrixBy(t, source, first)
	if got := matrixBy(t, fitted(t, permuted, supervised), permuted); closeTo(got, want, 1e-6) != nil {
		t.Error("the same graphs with other codes have another representation")
	}
	strange := renamed(t, 1, "Xx") // one label has a name that the network never saw
	unknown := renamed(t, 1)
	unknown.LabelCodes = slices.Clone(unknown.LabelCodes)
	unknown.LabelCodes[0] = "99"
	want = matrixBy(t, source, unknown)
	tuned := fitted(t, strange, supervised)
	if got := matrixBy(t, tuned, strange); closeTo(got, want, 1e-6) != nil {
		t.Error("a label never seen is not orthogonal to all others")
	}
	if e := tuned.Encoding(); len(e.Labels) != len(p.encoding.Labels)+1 {
		t.Errorf("labels %q named %q", e.Labels, e.Names)
	}
	if u := tuned.Encoding().Unknown(strange); u != nil {
		t.Errorf("the model does not know %q of its own data", u)
	}
	supervised.Options.Epochs = 2
	moved := saved(t, fitted(t, strange, supervised))
	last, norm := len(p.encoding.Labels), 0.0
	for i, v := range moved.network.Anchors(0).Float32s() {
		if i%(last+1) == last {
			norm += float64(v * v)
		}
	}
	if norm == 0 {
		t.Error("training does not move the column of the new label")
	}
}

// Attributes keep the scale of the model, with labels beside them too.
func TestFineTuningKeepsTheScale(t *testing.T) {
	d := renamed(t, 1)
	b := *d.Batch
	b.AttributeDim = 2
	for v := range b.NumVertices() {
		b.Attributes = append(b.Attributes, float64(v%5), float64(b.Labels[v]))
	}
	first := d.WithBatch(&b)
	wide := b
	wide.Attributes = slices.Clone(b.Attributes)
	for i := range wide.Attributes {
		wide.Attributes[i] = 3*wide.Attributes[i] + 1
	}
	second := renamed(t, 1, "Xx").WithBatch(&wide)
	second.LabelCodes, second.LabelNames = slices.Clone(d.LabelCodes), append([]string{"Xx"}, d.LabelNames[1:]...)
	for _, features := range []dataset.Features{dataset.AttributeFeatures, dataset.AttributesAndLabels} {
		unsupervised, supervised := estimators(t)
		unsupervised.Features = features
		p := saved(t, fitted(t, first, unsupervised))
		supervised.From = p
		tuned := fitted(t, second, supervised)
		if !slices.Equal(tuned.Encoding().Standardisation.Mean, p.encoding.Standardisation.Mean) {
			t.Errorf("%s: another scale", features)
		}
	}
	unsupervised, supervised := estimators(t)
	unsupervised.Features = dataset.AttributeFeatures
	supervised.From = saved(t, fitted(t, first, unsupervised))
	b.AttributeDim, b.Attributes = 1, make([]float64, b.NumVertices())
	_, err := model.Fit(context.Background(), d.WithBatch(&b), supervised, nil)
	if err == nil || !strings.Contains(err.Error(), "1 attributes, want 2") {
		t.Errorf("error %v", err)
	}
}

// A classifier that is kept gives the outputs that it gave, with classes in another order too, until steps change it.
func TestFineTuningKeepsTheClassifier(t *testing.T) {
	d := renamed(t, 1)
	unsupervised, supervised := estimators(t)
	source := fitted(t, d, supervised)
	tune := supervised
	tune.From, tune.KeepClassifier, tune.Options.Epochs = saved(t, source), true, 0
	want, err := source.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, standardise := range []bool{false, true} {
		tune.Options.Standardise = standardise
		got, err := fitted(t, d, tune).Predict(context.Background(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := closeTo(got.Probabilities.Float64s(), want.Probabilities.Float64s(), 1e-3); err != nil {
			t.Errorf("standardised %t: %v", standardise, err)
		}
	}
	other := *d
	other.ClassNames = []string{"other", d.ClassNames[0]}
	for _, attempt := range []struct {
		words string
		fit   func() error
	}{
		{"no class other", func() error { _, err := model.Fit(context.Background(), &other, tune, nil); return err }},
		{"no linear classifier", func() error {
			tune.From = saved(t, fitted(t, d, unsupervised))
			_, err := model.Fit(context.Background(), d, tune, nil)
			return err
		}},
		{"the gckn-subtree of molecules", func() error {
			tune.Options.Network.Layers = slices.Clone(tune.Options.Network.Layers)
			tune.Options.Network.Layers[0].Sigma = 0.5
			_, err := model.Fit(context.Background(), d, tune, nil)
			return err
		}},
	} {
		if err := attempt.fit(); err == nil || !strings.Contains(err.Error(), attempt.words) {
			t.Errorf("error %v, want one with: %s", err, attempt.words)
		}
	}
}

// A training that was interrupted goes on to the same bits, and not from another source.
func TestFineTuningGoesOnFromItsCheckpoint(t *testing.T) {
	d := renamed(t, 1)
	_, supervised := estimators(t)
	supervised.Options.BatchSize, supervised.Plan.Validation = 8, 5
	one := saved(t, fitted(t, renamed(t, 3), supervised))
	supervised.Options.Network.Seed = 9
	other := saved(t, fitted(t, renamed(t, 3), supervised))
	supervised.From = one
	whole := matrixBy(t, fitted(t, d, supervised), d)

	supervised.Plan.Checkpoint.Path, supervised.Plan.Checkpoint.Every = filepath.Join(t.TempDir(), "state"), 1
	ctx, cancel := context.WithCancel(context.Background())
	w := model.NewWork(d, engine.NewCPU(1))
	w.Progress = func(stage string, done, _ int) {
		if strings.HasPrefix(stage, "train") && done == 3 {
			cancel()
		}
	}
	if _, err := model.FitWork(ctx, w, supervised, nil); err == nil {
		t.Fatal("the training was not interrupted")
	}
	supervised.From = other
	_, err := model.Fit(context.Background(), d, supervised, nil)
	if err == nil || !strings.Contains(err.Error(), "other options") {
		t.Errorf("from another source: %v", err)
	}
	supervised.From = one
	if !slices.Equal(matrixBy(t, fitted(t, d, supervised), d), whole) {
		t.Error("the training came to another model")
	}
}

// Anchors without a classifier need no classes, represent graphs as the model with one does, and predict nothing.
func TestAnchorsAlone(t *testing.T) {
	d := renamed(t, 1)
	unsupervised, _ := estimators(t)
	bare := *d
	bare.Classes, bare.ClassNames = nil, nil
	path := filepath.Join(t.TempDir(), "a.grove")
	if err := model.Save(path, bareModel(t, &bare, unsupervised)); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(matrixBy(t, m, &bare), matrixBy(t, fitted(t, d, unsupervised), d)) {
		t.Error("another representation")
	}
	_, err = m.Predict(context.Background(), d, nil)
	if err == nil || !strings.Contains(err.Error(), "predict nothing") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a prediction: %v", err)
	}
}

// With the parameters of a standardised classifier the model gives the outputs of the network.
func TestStandardisedTrainingKeepsItsOutputs(t *testing.T) {
	for _, regression := range []bool{false, true} {
		d, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 30}, "gckn-subtree")
		training.Options.Standardise, training.Options.Rate = true, 0.003
		if regression {
			values := make([]float64, 30)
			for g := range values {
				values[g] = 5 + float64(g%7)
			}
			training.Examples.Targets = &model.Targets{Task: model.GraphTask, Names: []string{"y"}, Values: values}
		}
		training.Validation, training.Train = nil, nil
		training.Unseen = []int{0, 7, 11}
		var want []float64
		training.Predicted = func(epoch int, outputs *tensor.Dense) { want = slices.Clone(outputs.Float64s()) }
		m := supervise(t, engine.NewCPU(1), training)
		x := training.Examples.Whole().Select(training.Unseen)
		if err := closeTo(outputsOf(t, m, x), want, 1e-3); err != nil {
			t.Errorf("regression %t of %s: %v", regression, d.Name, err)
		}
		if training.Train != nil {
			t.Error("the training was changed")
		}
	}
}
