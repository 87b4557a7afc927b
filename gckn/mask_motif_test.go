package gckn

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
)

// share returns which share of the edges of the highest score lies in the planted motif of graph g, as many edges as
// the motif has.
func share(d *dataset.Dataset, g int, edges []model.MaskedEdge) float64 {
	from, to := d.Batch.Vertices(g)
	planted := map[[2]int32]bool{}
	for u := from; u < to; u++ {
		for at := d.Batch.RowPtr[u]; at < d.Batch.RowPtr[u+1]; at++ {
			if v := d.Batch.Col[at]; d.Motif.Arcs[at] && u < v {
				planted[[2]int32{u - from, v - from}] = true
			}
		}
	}
	inside := 0.0
	for _, e := range edges[:len(planted)] {
		if planted[[2]int32{e.From, e.To}] {
			inside++
		}
	}
	return inside / float64(len(planted))
}

// The generated molecules of class 1 have a nitro group on a ring, of three bonds. In 50 that no model
// was trained on, at least 90 % of the three best edges of each must lie there.
func TestMasksFindThePlantedMotif(t *testing.T) {
	const graphs, training = 500, 400
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var train, held []int
	for g := range graphs {
		if g < training {
			train = append(train, g)
		} else if d.Classes[g] == 1 {
			held = append(held, g)
		}
	}
	e := enginetest.Open(t, 2)
	for _, c := range []struct {
		name, variant string
		global        Pooling
		learn         func(*testing.T, engine.Engine, *dataset.Dataset, []int, Options) (*Model, *svm.Linear)
	}{
		{"unsupervised", "gckn-path", Sum, unsupervised},
		{"unsupervised", "gckn-subtree", Sum, unsupervised},
		{"supervised", "gckn-subtree", Mean, supervisedOn},
	} {
		opt, err := Preset(c.variant, 4, 32, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		opt.Samples, opt.GlobalPooling = 20000, c.global
		m, classifier := c.learn(t, e, d, train, opt)
		found, err := m.Explain(context.Background(), d.Batch.Select(held), ones(len(held)), classifier, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for i, x := range found {
			total += share(d, held[i], x.Edges) / float64(len(held))
		}
		t.Logf("%s %s: %.1f %% of the best edges are in the motif", c.name, c.variant, 100*total)
		if total < 0.9 {
			t.Errorf("%s %s: %.1f %% of the best edges are in the motif, want 90", c.name, c.variant, 100*total)
		}
	}
}

func ones(n int) []int {
	classes := make([]int, n)
	for i := range classes {
		classes[i] = 1
	}
	return classes
}

// unsupervised returns a network with a support vector machine, as a classifier of features that are not
// standardised.
func unsupervised(t *testing.T, e engine.Engine, d *dataset.Dataset, train []int, opt Options) (*Model, *svm.Linear) {
	t.Helper()
	ctx := context.Background()
	m := fit(t, e, d.Batch.Select(train), opt)
	x, err := m.Transform(ctx, d.Batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	classifier, err := svm.FitClassifier(ctx, x, train, d.Classes, []float64{0.01}, svm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := classifier.Model(0)
	weights, constant := make([]float64, m.opt.Dim()), s.Bias[0]
	for j, w := range s.Weights[0] {
		weights[j] = w / s.Scaler.Scale[j]
		constant -= weights[j] * s.Scaler.Mean[j]
	}
	return m, &svm.Linear{Weight: [][]float64{weights}, Bias: []float64{constant}}
}

func supervisedOn(t *testing.T, e engine.Engine, d *dataset.Dataset, items []int, opt Options) (*Model, *svm.Linear) {
	t.Helper()
	o := DefaultSupervised(opt)
	o.Epochs = 20
	b := d.Batch
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	training := train.Training{
		Examples: train.Examples{Graphs: train.InMemory(b), Input: input, Targets: model.TargetsOf(d)}, Train: items,
	}
	s, err := Supervise(context.Background(), e, &Training{Training: training, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	return s.Model, s.Classifier
}
