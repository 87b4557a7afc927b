package gckn

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
)

// A regression learns targets in their own units; a change of the units changes nothing else.
func TestSupervisedRegression(t *testing.T) {
	e := enginetest.Open(t, 1)
	var first []float64
	for _, unit := range []struct{ scale, shift float64 }{{1, 0}, {-250, 3000}} {
		_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 60}, "gckn-path")
		training.Options.Network.Double = true
		b := training.Examples.Whole()
		targets := &model.Targets{Task: model.GraphTask, Names: []string{"size", "oxygen"}}
		training.Examples.Targets = targets
		for g := range b.NumGraphs() {
			from, to := b.Vertices(g)
			oxygen := 0.0
			for _, l := range b.Labels[from:to] {
				if l == 2 {
					oxygen++
				}
			}
			targets.Values = append(targets.Values, unit.scale*float64(to-from)+unit.shift, oxygen)
		}
		targets.Values[1] = math.NaN() // of the validation part
		training.Validation = training.Validation[1:]
		m := supervise(t, e, training)
		if r := m.Records[m.Best]; !(r.Scores[0] > 0.95) || !m.Regression {
			t.Errorf("score %+v", r)
		}
		got := outputsOf(t, m, b)
		for i := 0; i < len(got); i += 2 {
			got[i] = (got[i] - unit.shift) / unit.scale
		}
		if first == nil {
			first = got
		}
		if err := closeTo(got, first, 1e-2); err != nil { // the first classifier is exact to 1e-7, and steps amplify
			t.Errorf("other units: %v", err)
		}
		training.Train = append(training.Train, 0)
		if _, err := Supervise(context.Background(), e, training); err == nil ||
			!strings.Contains(err.Error(), "no class or target") {
			t.Errorf("a missing target: %v", err)
		}
	}
}

// In a task on vertices batches see neighbourhoods alone, and get what the whole graph gives.
func TestSupervisedVertices(t *testing.T) {
	for _, variant := range []string{"gckn-subtree", "gckn-3layer", "gckn-walk"} {
		e := enginetest.Open(t, 1)
		d, training := synthetic(t, "block-model", dataset.SynthOptions{Vertices: 150, Degree: 4}, variant)
		training.Options.Network.Double = true
		training.Options.Network.Layers[0].PathSize = 2
		training.Examples.Targets.Classes = slices.Clone(d.VertexClasses)
		training.Examples.Targets.Classes[4] = -1 // not labelled, and so in no part
		training.Train = nil
		training.Options.Epochs = 8
		m := supervise(t, e, training)
		if r := m.Records[m.Best]; !(r.Scores[0] > 0.6) || !m.Vertices {
			t.Errorf("%s: %+v", variant, r)
		}
		whole := training.Examples.Whole()
		want := outputsOf(t, m, whole)
		r, err := newSupervision(e, training)
		if err != nil {
			t.Fatal(err)
		}
		for l, z := range r.network.Parameters().Anchors {
			if err := e.Convert(z, m.Model.Anchors(l)); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Convert(r.network.Parameters().Weight, matrixOf(m.Classifier.Weight)); err != nil {
			t.Fatal(err)
		}
		if err := e.Convert(r.network.Parameters().Bias, matrixOf([][]float64{m.Classifier.Bias})); err != nil {
			t.Fatal(err)
		}
		items := []int{17, 3, 149, 60}
		logits, err := r.network.NewEvaluator(r.source, items, 3, false).Logits(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var some []float64
		for _, v := range items {
			some = append(some, want[v*training.Examples.Outputs():(v+1)*training.Examples.Outputs()]...)
		}
		if err := closeTo(float64s(e, logits), some, 1e-11); err != nil {
			t.Errorf("%s: neighbourhoods: %v", variant, err)
		}
	}
}
