package gckn

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// A learner that sees some graphs represents all of them as the network of those graphs does, and the other graphs have
// no part in it.
func TestEstimatorLearnsFromTheTrainingPart(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 30, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	train := []int{0, 3, 4, 7, 9, 12, 13, 20}
	e := enginetest.Open(t, 2)
	s := Estimator{Options: options(t, "gckn-subtree"), Features: dataset.LabelFeatures}
	fitted := func(w *model.Work) *network {
		n, err := s.Encoder(context.Background(), w, false)
		if err != nil {
			t.Fatal(err)
		}
		return n.(*network)
	}
	n := fitted(model.NewWork(d, e).InFold(train))
	rows, err := model.Matrix(context.Background(), n, d, false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := n.encoding.Apply(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := closeTo(rows.Float64s(), represent(t, n.fitted, b), 0); err != nil {
		t.Error(err)
	}

	// A data set of the training graphs alone gives the same anchors.
	alone := fitted(model.NewWork(d.Select(train), e))
	for l := range s.Options.Layers {
		if err := closeTo(float64s(e, alone.fitted.Anchors(l)), float64s(e, n.fitted.Anchors(l)), 0); err != nil {
			t.Errorf("layer %d: anchors depend on graphs outside of the training part: %v", l+1, err)
		}
	}
}

// What a learner predicts after every epoch is what trainings predict, which see no other targets.
func TestEveryEpochIsPredicted(t *testing.T) {
	d, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40}, "gckn-path")
	e := enginetest.Open(t, 2)
	s := SupervisedEstimator{Options: training.Options, Plan: train.Plan{EachEpoch: true}}
	s.Options.Epochs = 4
	test := []int{6, 9, 12}
	learn := func(epochs int, hidden bool) []*model.Predictions {
		l, err := s.Learner(context.Background(), model.NewWork(d, e).InFold(training.Train))
		if err != nil {
			t.Fatal(err)
		}
		known := model.TargetsOf(d)
		if hidden {
			known = known.Only(training.Train)
		}
		said, err := l.Learn(context.Background(), model.Trial{
			Train: training.Train, Known: known, Test: test, Grid: s.Grid().Values[:epochs], Workers: 1,
		})
		if err != nil || len(said) != epochs {
			t.Fatalf("%d predictions, %v", len(said), err)
		}
		return said
	}
	said, again := learn(4, false), learn(2, true)
	training.Options.Epochs, training.Validation = 4, test
	m := supervise(t, e, training)
	for epoch, one := range said {
		right := 0.0
		for k, class := range one.Classes {
			if class == d.Classes[test[k]] {
				right++
			}
		}
		if want := m.Records[epoch+1].Scores[0]; right/3 != want {
			t.Errorf("epoch %d: accuracy %g, want %g", epoch+1, right/3, want)
		}
		if epoch < 2 && !slices.Equal(again[epoch].Classes, one.Classes) {
			t.Errorf("epoch %d: with classes of the test part hidden %v, want %v", epoch+1, again[epoch], one)
		}
	}
	s.Plan.EachEpoch = false
	fitted, err := model.Fit(context.Background(), d, s, e)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(fitted.(*supervisedModel).trained.Records); got != 5 {
		t.Errorf("%d records", got)
	}
}

// kept fits an estimator on all of a data set, saves the model and loads it.
func kept(t *testing.T, d *dataset.Dataset, s model.Estimator) (fitted, loaded model.Model) {
	t.Helper()
	e := enginetest.Open(t, 2)
	fitted, err := model.Fit(context.Background(), d, s, e)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.grove")
	if err := model.Save(path, fitted); err != nil {
		t.Fatal(err)
	}
	if loaded, err = model.Load(path, e); err != nil {
		t.Fatal(err)
	}
	return fitted, loaded
}

// smallEstimators returns a classifier and a network trained end to end.
func smallEstimators(t *testing.T, variant string) (Estimator, SupervisedEstimator) {
	t.Helper()
	opt, err := Preset(variant, 3, 8, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	trained := DefaultSupervised(opt)
	trained.Epochs, trained.Rate = 3, 1e-4
	return Estimator{Options: opt, C: []float64{1}}, SupervisedEstimator{Options: trained, Plan: train.Plan{Validation: 5}}
}

func synth(t *testing.T, kind string, opt dataset.SynthOptions) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth(kind, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A model that was saved and loaded says the same, bit for bit, and knows its name; a part of the data gets what it
// gets in the whole.
func TestModelsAreSavedAndLoaded(t *testing.T) {
	molecules := synth(t, "molecules", dataset.SynthOptions{Graphs: 30})
	numbers := *molecules
	numbers.Task, numbers.Classes, numbers.ClassNames = dataset.GraphRegression, nil, nil
	numbers.TargetNames = []string{"vertices"}
	for g := range numbers.NumGraphs() {
		from, to := numbers.Batch.Vertices(g)
		numbers.Targets = append(numbers.Targets, float64(to-from))
	}
	rings := synth(t, "rings-cliques", dataset.SynthOptions{Graphs: 24}) // four classes
	community := synth(t, "block-model", dataset.SynthOptions{Vertices: 60})
	for _, variant := range Variants() {
		plain, trained := smallEstimators(t, variant)
		for _, c := range []struct {
			name string
			d    *dataset.Dataset
			s    model.Estimator
		}{
			{variant, molecules, plain}, {variant, rings, plain}, {variant + "-sup", molecules, trained},
			{variant + "-sup", &numbers, trained}, {variant + "-sup", rings, trained}, {variant + "-sup", community, trained},
		} {
			fitted, loaded := kept(t, c.d, c.s)
			if got := loaded.About(); got.Model != c.name || got.Task != model.TaskOf(c.d) || got.Training.Graphs == 0 {
				t.Errorf("%s on %s: head %+v", c.name, c.d.Name, got)
			}
			want, err := fitted.Predict(context.Background(), c.d, nil)
			if err != nil {
				t.Fatal(err)
			}
			samePredictions(t, c.name, loaded, c.d, want)
			if !c.d.Task.PerVertex() {
				some := []int{7, 2, 11}
				samePredictions(t, c.name+" of a part", loaded, c.d.Select(some), want.Of(some))
			}
		}
	}
}

// samePredictions wants a model to predict the given bits.
func samePredictions(t *testing.T, what string, m model.Model, d *dataset.Dataset, want *model.Predictions) {
	t.Helper()
	got, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*tensor.Dense{
		{got.Decisions, want.Decisions}, {got.Probabilities, want.Probabilities}, {got.Values, want.Values},
	} {
		if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && !slices.Equal(pair[0].Float64s(), pair[1].Float64s()) {
			t.Errorf("%s on %s: %v, want %v", what, d.Name, pair[0], pair[1])
		}
	}
	if !slices.Equal(got.Classes, want.Classes) || got.Len() == 0 || got.Decisions == nil && got.Values == nil {
		t.Errorf("%s on %s: classes %v, want %v", what, d.Name, got.Classes, want.Classes)
	}
}

// Graphs on disk give the model that the same graphs in memory give.
func TestSupervisedEstimatorLearnsFromDisk(t *testing.T) {
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 30})
	dir := t.TempDir()
	if err := dataset.WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	shards, err := dataset.OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, s := smallEstimators(t, "gckn-subtree")
	want, _ := kept(t, d, s)
	e := enginetest.Open(t, 2)
	got, err := model.FitWork(context.Background(), model.NewStoredWork(shards, e), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	said, err := want.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	samePredictions(t, "from disk", got, d, said)
	known := model.TargetsOf(d)
	train, test := split.All(20), []int{20, 25, 29}
	var of [2]*model.Predictions // of a part, from disk and from memory
	for i, w := range []*model.Work{model.NewStoredWork(shards, e), model.NewWork(d, e)} {
		l, err := s.Learner(context.Background(), w.InFold(train))
		if err != nil {
			t.Fatal(err)
		}
		all, err := l.Learn(context.Background(), model.Trial{Train: train, Known: known.Only(train), Test: test})
		if err != nil {
			t.Fatal(err)
		}
		of[i] = all[0]
	}
	if !slices.Equal(of[0].Probabilities.Float64s(), of[1].Probabilities.Float64s()) {
		t.Errorf("a part on disk: %v, in memory %v", of[0].Probabilities, of[1].Probabilities)
	}
}

// Estimators with the same features share the encoding of a fold; others do not.
func TestEstimatorsShareEncodings(t *testing.T) {
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 20})
	w := model.NewWork(d, enginetest.Open(t, 2))
	s, _ := smallEstimators(t, "gckn-path")
	encodingOf := func(w *model.Work) *dataset.Encoding {
		l, err := s.Learner(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		return l.(*learner).network.encoding
	}
	part := w.InFold([]int{0, 1, 2, 3, 4, 5})
	first, whole := encodingOf(part), encodingOf(w)
	s.Options.Layers[0].Sigma = 0.5
	if encodingOf(part) != first || encodingOf(w) != whole || first == whole {
		t.Error("an encoding is not the one of the fold")
	}
	if seen, err := s.Sees(part); err != nil || seen != whole {
		t.Errorf("an encoding of another part is seen: %v", err)
	}
	s.Features = dataset.DegreeFeatures
	if encodingOf(part) == first {
		t.Error("features share an encoding")
	}
}

// With nothing to choose from outside a learner holds out a part of its own, and predicts what its model does.
func TestSupervisedEstimatorHoldsOutAPart(t *testing.T) {
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 40})
	_, s := smallEstimators(t, "gckn-path")
	l, err := s.Learner(context.Background(), model.NewWork(d, enginetest.Open(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	all := model.TargetsOf(d)
	trial := model.Trial{Test: []int{1, 5, 8}, Workers: 1}
	for i := range 30 {
		trial.Train = append(trial.Train, i+10)
	}
	trial.Known = all.Only(trial.Train)
	said, err := l.Learn(context.Background(), trial)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.Model(context.Background(), trial)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !slices.Equal(said[0].Decisions.Float64s(), whole.Of(trial.Test).Decisions.Float64s()) {
		t.Errorf("predictions %v, the model's are %v", said, whole)
	}
	if got := len(m.(*supervisedModel).trained.Records[0].Scores); got != 1 {
		t.Errorf("%d parts were scored, want the one held out", got)
	}
}
