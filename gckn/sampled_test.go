package gckn

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
)

// fannedOut returns a training on vertices with a fan-out.
func fannedOut(t *testing.T, variant string, fanOut, predicted []int) *Training {
	t.Helper()
	_, training := synthetic(t, "communities", dataset.SynthOptions{Vertices: 400, Communities: 4, Seed: 2}, variant)
	training.Options.FanOut, training.Options.PredictFanOut = fanOut, predicted
	training.Options.Epochs, training.Options.BatchSize = 4, 64
	return training
}

// A fan-out that covers all degrees predicts what all paths predict.
func TestFanOutOfAllArcs(t *testing.T) {
	for _, variant := range []string{"gckn-path", "gckn-3layer", "gckn-walk"} {
		training := fannedOut(t, variant, []int{1000}, nil)
		training.Options.Network.Double, training.Options.Epochs = true, 1
		training.Options.Network.Layers[0].PathSize = 2
		m, b := supervise(t, enginetest.Open(t, 2), training), training.Examples.Whole()
		want := outputsOf(t, m, b)
		m.Options.PredictFanOut = []int{1000}
		if err := closeTo(outputsOf(t, m, b), want, 1e-9); err != nil {
			t.Errorf("%s: %v", variant, err)
		}
	}
}

// A training that draws paths learns, gives the same bits for any number of workers, and after an interruption.
func TestFanOutRepeats(t *testing.T) {
	train := func(workers int, path string, stopAfter int) (*Supervised, error) {
		training := fannedOut(t, "gckn-path", []int{3, 2}, []int{4})
		training.Checkpoint = autodiff.Checkpoint{Path: path, Every: 1}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		training.Progress = func(stage string, done, _ int) {
			if stage == "train" && done == stopAfter {
				stop()
			}
		}
		return Supervise(ctx, enginetest.Open(t, workers), training)
	}
	first, err := train(1, "", -1)
	if err != nil {
		t.Fatal(err)
	}
	if r := first.Records[len(first.Records)-1]; !(r.Scores[0] > 0.6) {
		t.Errorf("records %+v", first.Records)
	}
	other, err := train(3, "", -1)
	if err != nil {
		t.Fatal(err)
	}
	if bytesOf(t, first) != bytesOf(t, other) {
		t.Error("3 workers give other bits")
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	for _, steps := range []int{3, 7} { // in the middle of epochs
		if _, err := train(2, path, steps); err == nil {
			t.Fatal("an interrupted training gives a model")
		}
	}
	resumed, err := train(2, path, -1)
	if err != nil {
		t.Fatal(err)
	}
	if bytesOf(t, first) != bytesOf(t, resumed) {
		t.Error("a training that was interrupted gives other bits")
	}
	all := fannedOut(t, "gckn-path", nil, nil)
	if bytesOf(t, supervise(t, enginetest.Open(t, 1), all)) == bytesOf(t, first) {
		t.Error("the fan-out changes nothing")
	}
}

// Epochs draw other paths, the scores always the same ones; and a model predicts by the draw of the scores.
func TestDrawsOfEpochs(t *testing.T) {
	e, training := enginetest.Open(t, 1), fannedOut(t, "gckn-path", []int{2}, []int{3})
	training.Options.Network.Double = true
	s, err := newSupervision(e, training)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if err := s.start(context.Background()); err != nil {
		t.Fatal(err)
	}
	source, items := s.source.ofSteps().(autodiff.Sampler), []int{5, 17, 399, 2}
	logits := func(b *autodiff.Batch, err error) []float64 {
		if err != nil {
			t.Fatal(err)
		}
		defer b.Release(e)
		if err := s.network.Forward(b); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(float64s(e, s.network.Logits()))
	}
	one := logits(source.Sample(1, items)) // every run divides the anchors by their norms, in place
	if err := closeTo(logits(source.Sample(1, items)), one, 1e-9); err != nil {
		t.Errorf("an epoch draws the same paths every time: %v", err)
	}
	if closeTo(logits(source.Sample(2, items)), one, 1e-3) == nil {
		t.Error("two epochs draw the same paths")
	}
	scored, m := logits(source.Batch(items)), new(Supervised)
	if m, err = s.result(); err != nil {
		t.Fatal(err)
	}
	predicted, outputs := outputsOf(t, m, training.Examples.Whole()), training.Examples.Outputs()
	var some []float64
	for _, v := range items {
		some = append(some, predicted[v*outputs:(v+1)*outputs]...)
	}
	if err := closeTo(some, scored, 1e-9); err != nil {
		t.Errorf("predictions and scores: %v", err)
	}
}

// What a fan-out cannot be is refused.
func TestFanOutErrors(t *testing.T) {
	for want, change := range map[string]func(*Training){
		"3 numbers for a network that sees 2 steps far": func(x *Training) { x.Options.FanOut = []int{1, 2, 3} },
		"a fan-out of 0 arcs":                           func(x *Training) { x.Options.PredictFanOut = []int{0} },
		"for tasks on vertices": func(x *Training) {
			_, graphs := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 10}, "gckn-path")
			x.Training = graphs.Training
		},
	} {
		training := fannedOut(t, "gckn-path", []int{2}, nil)
		change(training)
		if _, err := Supervise(context.Background(), enginetest.Open(t, 1), training); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
