package gckn

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
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
	s := Estimator{Options: options(t, "gckn-subtree"), Features: dataset.LabelFeatures, EncodeOnly: true}
	fitted := func(w *model.Work) *network {
		l, err := s.Learner(context.Background(), w)
		if err != nil {
			t.Fatal(err)
		}
		n, err := l.(model.Encoder).Encoder(context.Background(), false)
		if err != nil {
			t.Fatal(err)
		}
		return n.(*network)
	}
	n := fitted(model.NewWork(d, e).Part(train))
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
	s := SupervisedEstimator{Options: training.Options, EachEpoch: true}
	s.Options.Epochs = 4
	test := []int{6, 9, 12}
	learn := func(epochs int, hidden bool) []*model.Predictions {
		l, err := s.Learner(context.Background(), model.NewWork(d, e).Part(training.Train))
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
	training.Options.Epochs, training.Validation, training.HeldOut = 4, nil, [][]int{test}
	m := supervise(t, e, training)
	for epoch, one := range said {
		right := 0.0
		for k, class := range one.Classes {
			if class == d.Classes[test[k]] {
				right++
			}
		}
		if want := m.Records()[epoch+1].Scores[0]; right/3 != want {
			t.Errorf("epoch %d: accuracy %g, want %g", epoch+1, right/3, want)
		}
		if epoch < 2 && !slices.Equal(again[epoch].Classes, one.Classes) {
			t.Errorf("epoch %d: with classes of the test part hidden %v, want %v", epoch+1, again[epoch], one)
		}
	}
	s.EachEpoch = false
	fitted, err := model.Fit(context.Background(), d, s, e)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(fitted.(*supervisedModel).trained.Records()); got != 5 {
		t.Errorf("%d records", got)
	}
}
