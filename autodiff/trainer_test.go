package autodiff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// selected is a source of graphs with classes or values.
type selected struct {
	net      *KernelNetwork
	graphs   *graph.Batch
	features func(*graph.Batch) Features
	classes  []int32
	values   []float64
}

func (s *selected) Batch(items []int) (*Batch, error) {
	b := s.graphs.Select(items)
	var t Targets
	for _, i := range items {
		if i < len(s.classes) {
			t.Classes = append(t.Classes, s.classes[i])
		}
	}
	if s.values != nil {
		var y []float64
		for _, i := range items {
			y = append(y, s.values[i])
		}
		t.Values = tensor.New(tensor.WithShape(len(items), 1), tensor.WithBacking(y))
	}
	return s.net.Prepare(b, s.features(b), t, nil)
}

// TestGoldenTrainer follows the published code's full-batch steps with the trainer.
func TestGoldenTrainer(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("training"), func(t *testing.T, raw []byte) {
		var g golden
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		loss := map[string]Loss{"cross_entropy": CrossEntropy, "squared_hinge": SquaredHinge,
			"bce_onehot": Logistic}[g.Loss]
		for name, e := range engines(t) {
			for dtype, tolerance := range map[tensor.Dtype]float64{tensor.Float64: 1e-8, tensor.Float32: 1e-4} {
				for _, epochs := range []int{1, len(g.LossBefore)} {
					if err := g.train(t, e, dtype, loss, epochs, tolerance); err != nil {
						t.Errorf("%s, %v, %d epochs: %v", name, dtype, epochs, err)
					}
				}
			}
		}
	})
}

func (g *golden) train(
	t *testing.T, e engine.Engine, dtype tensor.Dtype, loss Loss, epochs int, tolerance float64,
) error {
	net, graphs := g.network(t, e, dtype, g.options(t, loss, Published), g.Weight, g.Bias), g.graphs(t)
	source := &selected{net: net, graphs: graphs, classes: g.Labels,
		features: func(b *graph.Batch) Features { return attributes(t, e, dtype, b) }}
	var losses []float64
	trainer := &Trainer{
		Network: net.Network, Source: source, Items: ascendingItems(graphs.NumGraphs()),
		Options: TrainOptions{Epochs: epochs, BatchSize: graphs.NumGraphs(), Rate: g.Rate, Decay: g.Decay,
			MaxLoss: 1e4},
		Watch: func(r Record) {
			if r.Epoch > 0 {
				losses = append(losses, r.Loss)
			}
		},
	}
	if err := trainer.Run(context.Background()); err != nil {
		return err
	}
	if err := closeTo(losses, g.LossBefore[:epochs], tolerance); err != nil {
		return fmt.Errorf("losses: %w", err)
	}
	want, anchors := g.AfterFirst, g.AfterFirst.Raw
	if epochs == len(g.LossBefore) {
		// A last look brings the rows of the anchors back to norm 1.
		logits, err := net.NewEvaluator(source, trainer.Items, 3, false).Logits(context.Background())
		if err != nil {
			return err
		}
		if err := closeTo(download(t, logits), flatten(g.Logits), tolerance); err != nil {
			return fmt.Errorf("logits: %w", err)
		}
		want, anchors = g.AfterLast, g.AfterLast.Normalised
	}
	p := net.Parameters()
	for l, z := range p.Anchors {
		if err := closeTo(download(t, z), flatten(anchors[l]), tolerance); err != nil {
			return fmt.Errorf("anchors of layer %d: %w", l+1, err)
		}
	}
	if err := closeTo(download(t, p.Weight), flatten(want.Weight), tolerance); err != nil {
		return fmt.Errorf("weight: %w", err)
	}
	return closeTo(download(t, p.Bias), want.Bias, tolerance)
}

func ascendingItems(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}

// manyRings returns n graphs, each of them one of rings.
func manyRings(t *testing.T, n int) *graph.Batch {
	pick := make([]int, n)
	for i := range pick {
		pick[i] = i * i % 3
	}
	return rings(t).Select(pick)
}

// trainee returns a trainer of a small network on 20 graphs in batches of 6, with three of them held out.
func trainee(t *testing.T, workers int) *Trainer {
	e := enginetest.Open(t, workers)
	graphs := manyRings(t, 23)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, Epsilon: 0.01}
	net := example(t, e, tensor.Float32, opt, 2)
	source := &selected{net: net, graphs: graphs, features: func(b *graph.Batch) Features {
		return labels(t, e, tensor.Float32, b)
	}}
	for i := range graphs.NumGraphs() {
		source.classes = append(source.classes, int32(i%2))
	}
	held := net.NewEvaluator(source, []int{20, 21, 22}, 2, true)
	t.Cleanup(held.Release)
	return &Trainer{
		Network: net.Network, Source: source, Items: ascendingItems(20),
		Options: TrainOptions{Epochs: 4, BatchSize: 6, Rate: 0.05, HalveEvery: 2, Decay: 1e-3, MaxLoss: 1e4, Seed: 5},
		Choose:  true,
		Score: func(ctx context.Context, _ int) ([]float64, error) {
			s, err := held.Score(ctx)
			return []float64{s}, err
		},
	}
}

// outcome is what a training leaves behind, but for the seconds.
func outcome(t *testing.T, trainer *Trainer) string {
	t.Helper()
	var text strings.Builder
	for _, r := range trainer.Records() {
		fmt.Fprint(&text, r.Epoch, r.Loss, r.Accuracy, r.Scores, r.Rate, "\n")
	}
	fmt.Fprintln(&text, trainer.Best())
	for _, p := range trainer.Network.tensors() {
		fmt.Fprintln(&text, download(t, p))
	}
	return text.String()
}

func run(t *testing.T, trainer *Trainer) string {
	t.Helper()
	if err := trainer.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return outcome(t, trainer)
}

// The same seed gives the same bits for any number of workers, another seed others; the loss falls.
func TestTrainingRepeats(t *testing.T) {
	first := trainee(t, 1)
	want := run(t, first)
	for workers := 1; workers <= 3; workers++ {
		if got := run(t, trainee(t, workers)); got != want {
			t.Errorf("%d workers: %s\nwant %s", workers, got, want)
		}
	}
	other := trainee(t, 1)
	other.Options.Seed++
	if run(t, other) == want {
		t.Error("the seed does not matter")
	}
	records := first.Records()
	if len(records) != 5 || !(records[4].Loss < records[1].Loss) || records[1].Accuracy == 0 {
		t.Errorf("records %+v", records)
	}
	for i, rate := range []float64{0.05, 0.05, 0.025, 0.025} {
		if records[i+1].Rate != rate {
			t.Errorf("rate %g in epoch %d, want %g", records[i+1].Rate, i+1, rate)
		}
	}
}

// Training stops when the score has not become better for the given number of epochs, and the best
// parameters are those of the network.
func TestEarlyStopping(t *testing.T) {
	trainer := trainee(t, 1)
	trainer.Options.Epochs, trainer.Options.Patience = 20, 3
	var after [][]float64
	scores := []float64{0.5, 0.6, 0.7, 0.6, 0.7, 0.1, 0.9}
	trainer.Score = func(context.Context, int) ([]float64, error) {
		after = append(after, slices.Clone(download(t, trainer.Network.Parameter("weight"))))
		return scores[len(after)-1 : len(after)], nil
	}
	run(t, trainer)
	if n := len(trainer.Records()); n != 6 || trainer.Best() != 2 {
		t.Fatalf("%d records, epoch %d is the best; want 6 and 2", n, trainer.Best())
	}
	if !slices.Equal(download(t, trainer.Network.Parameter("weight")), after[2]) {
		t.Error("the network has not the parameters of the best epoch")
	}
}

// failing fails for one item.
type failing struct {
	Source
	item int
}

func (f failing) Batch(items []int) (*Batch, error) {
	if slices.Contains(items, f.item) {
		return nil, errors.New("no such graph")
	}
	return f.Source.Batch(items)
}

// An error of a batch names epoch and batch, and options that make no sense are refused.
func TestTrainerErrors(t *testing.T) {
	trainer := trainee(t, 1)
	trainer.Source = failing{trainer.Source, trainer.order(1)[7]}
	if err := trainer.Run(context.Background()); err == nil || err.Error() != "epoch 1, batch 2: no such graph" {
		t.Errorf("error %v", err)
	}
	for want, change := range map[string]func(*Trainer){
		"-1 epochs":           func(x *Trainer) { x.Options.Epochs = -1 },
		"batches of 0":        func(x *Trainer) { x.Options.BatchSize = 0 },
		"rate NaN":            func(x *Trainer) { x.Options.Rate = math.NaN() },
		"decay -1":            func(x *Trainer) { x.Options.Decay = -1 },
		"patience of -2":      func(x *Trainer) { x.Options.Patience = -2 },
		"halved every -1":     func(x *Trainer) { x.Options.HalveEvery = -1 },
		"largest loss 0":      func(x *Trainer) { x.Options.MaxLoss = 0 },
		"nothing to train on": func(x *Trainer) { x.Items = nil },
		"nothing is scored":   func(x *Trainer) { x.Score = nil },
	} {
		trainer := trainee(t, 1)
		change(trainer)
		if err := trainer.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want: %s", err, want)
		}
	}
}

// The score of a regression is the share of the variance that is explained.
func TestRegressionScore(t *testing.T) {
	e, graphs := enginetest.Open(t, 1), manyRings(t, 12)
	net := example(t, e, tensor.Float64, Options{Layers: layers(true, graph.Paths, engine.Sum, 2), Loss: Squared,
		Epsilon: 0.01}, 1)
	source := &selected{net: net, graphs: graphs, values: normal(3, 12),
		features: func(b *graph.Batch) Features { return labels(t, e, tensor.Float64, b) }}
	part := net.NewEvaluator(source, ascendingItems(12), 5, false)
	logits, err := part.Logits(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := 1.0
	for i, x := range download(t, logits) {
		want -= math.Pow(x-source.values[i], 2) / 12
	}
	for range 2 {
		if got, err := part.Score(context.Background()); err != nil || math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("score %.15g, %v; want %.15g", got, err, want)
		}
	}
	trainer := &Trainer{
		Network: net.Network, Source: source, Items: part.items,
		Options: TrainOptions{Epochs: 30, BatchSize: 12, Rate: 0.05, MaxLoss: 1e4},
	}
	run(t, trainer)
	first, last := trainer.Records()[1], trainer.Records()[30]
	if math.Abs(first.Accuracy-want) > 1e-9*math.Abs(want) || !(last.Accuracy > first.Accuracy) {
		t.Errorf("scores while training %g to %g, before %g", first.Accuracy, last.Accuracy, want)
	}
}
