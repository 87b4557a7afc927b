package gckn

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
)

// A setting that learns from some graphs represents all of them as the model of those graphs does, and
// the other graphs have no part in it.
func TestSettingLearnsFromTheTrainingPart(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 30, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	train := []int{0, 3, 4, 7, 9, 12, 13, 20}
	s := &Setting{Data: d, Features: dataset.LabelFeatures, Options: options(t, "gckn-subtree"),
		Engine: enginetest.Open(t, 2)}
	x, err := s.Represent(context.Background(), train)
	if err != nil {
		t.Fatal(err)
	}
	encoding, m, err := s.Fit(context.Background(), train)
	if err != nil {
		t.Fatal(err)
	}
	b, err := encoding.Apply(d)
	if err != nil {
		t.Fatal(err)
	}
	got, want := float64s(s.Engine, x), represent(t, m, b)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("entry %d is %v, the model gives %v", i, got[i], want[i])
		}
	}

	// A data set of the training graphs alone gives the same anchors.
	alone := &Setting{Data: d.Select(train), Features: dataset.LabelFeatures, Options: s.Options, Engine: s.Engine}
	_, same, err := alone.Fit(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for l := range s.Options.Layers {
		if err := closeTo(float64s(s.Engine, same.Anchors(l)), float64s(s.Engine, m.Anchors(l)), 0); err != nil {
			t.Errorf("layer %d: anchors depend on graphs outside of the training part: %v", l+1, err)
		}
	}
}
