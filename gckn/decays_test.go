package gckn

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
)

// The decay is the one whose classifiers of the unsupervised model do best on what they have not seen, the largest of
// equals, and the start is that of a training which is given it.
func TestTheStartChoosesItsDecay(t *testing.T) {
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 80, Seed: 3}, "gckn-path")
	training.Train, training.Validation = append(training.Train, training.Validation...), nil
	slices.Sort(training.Train)
	training.Options = TunedSupervised(training.Options.Network)
	training.Options.Epochs, training.Options.Decays = 0, []float64{0.001, 10, 0.1}
	e, ctx := enginetest.Open(t, 2), context.Background()
	b, targets := training.Examples.Whole().Select(training.Train), training.Examples.Targets
	x, err := fit(t, e, b, training.Options.Network).Transform(ctx, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := standardOf(x)
	if err == nil {
		x, err = standardised(x, a)
	}
	if err != nil {
		t.Fatal(err)
	}
	classes := split.Select(targets.Classes, training.Train)
	folds, err := split.Stratified(classes, 5, training.Options.Network.Seed)
	if err != nil {
		t.Fatal(err)
	}
	best, most := 0.0, -1
	for _, decay := range []float64{10, 0.1, 0.001} {
		right := 0
		for _, f := range folds {
			l, err := svm.FitLinear(ctx, x, f.Train, svm.LinearProblem{Loss: svm.CrossEntropy, Outputs: 2, Classes: classes,
				Decay: decay * float64(len(f.Train))})
			if err != nil {
				t.Fatal(err)
			}
			outputs, err := l.Outputs(x, f.Test)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range slices.Collect(slices.Chunk(outputs.Float64s(), 2)) {
				if (row[1] > row[0]) == (classes[f.Test[i]] == 1) {
					right++
				}
			}
		}
		if right > most {
			best, most = decay, right
		}
	}
	m := supervise(t, e, training)
	if m.Options.Decay != best {
		t.Errorf("chosen %g, best is %g", m.Options.Decay, best)
	}
	training.Options.Decay, training.Options.Decays = best, nil
	given := supervise(t, e, training)
	if err := closeTo(outputsOf(t, m, b), outputsOf(t, given, b), 1e-12); err != nil {
		t.Errorf("the decay given: %v", err)
	}
}

// A training that was stopped goes on with the decay that its start chose, to the same bits.
func TestChosenDecayOutlastsAStop(t *testing.T) {
	_, training := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40}, "gckn-path")
	training.Options = TunedSupervised(training.Options.Network)
	training.Options.Epochs = 4
	want := bytesOf(t, supervise(t, enginetest.Open(t, 1), training))
	training.Checkpoint = autodiff.Checkpoint{Path: filepath.Join(t.TempDir(), "state"), Every: 1}
	ctx, stop := context.WithCancel(context.Background())
	training.Watch = func(r autodiff.Record) {
		if r.Epoch == 2 {
			stop()
		}
	}
	if _, err := Supervise(ctx, enginetest.Open(t, 1), training); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	training.Watch = nil
	if got := bytesOf(t, supervise(t, enginetest.Open(t, 1), training)); got != want {
		t.Error("other bits than without the stop")
	}
}
