package cgmm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

func molecules(t testing.TB) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 40, Vertices: 12, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func smallEstimator() Estimator {
	opt := DefaultOptions()
	opt.States, opt.Layers = 6, 3
	return Estimator{Options: opt, ArcLabels: true}
}

// work returns the work that sees some graphs of d with their classes.
func work(d *dataset.Dataset, seen []int) *model.Work {
	return model.NewWork(d, engine.NewCPU(1)).InFold(seen)
}

// blind returns the work on all graphs of d without their classes.
func blind(d *dataset.Dataset) *model.Work { return model.NewWork(d, engine.NewCPU(1)).Whole() }

// layersOf fits the layers of an estimator.
func layersOf(t *testing.T, s Estimator, w *model.Work) *grown {
	t.Helper()
	g, err := s.grow(context.Background(), w, false)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// An estimator learns from the graphs that it is shown alone.
func TestEstimatorLearnsFromItsTrainingPart(t *testing.T) {
	d := molecules(t)
	var train, others []int
	for g := range d.NumGraphs() {
		if g%3 > 0 {
			train = append(train, g)
		} else {
			others = append(others, g)
		}
	}
	changed := *d
	changed.Classes = slices.Clone(d.Classes)
	for _, g := range others {
		changed.Classes[g] = 1 - d.Classes[g]
	}
	opts := []func(o *Options){func(*Options) {}, func(o *Options) { o.Pool = 3 }, func(o *Options) { o.Patience = 1 }}
	for _, change := range opts {
		s := smallEstimator()
		change(&s.Options)
		a, b := layersOf(t, s, work(d, train)).model, layersOf(t, s, work(&changed, train)).model
		if contents(t, a) != contents(t, b) {
			t.Errorf("%s: the classes of other graphs change the model", s)
		}
		l, err := s.Learner(t.Context(), work(d, train))
		if err != nil {
			t.Fatal(err)
		}
		if columns, _ := l.(*learner).fingerprints.Width(); columns != a.Dim() {
			t.Errorf("%s: representations of %d columns", s, columns)
		}
		// Where no targets may be looked at no class is.
		for g := range changed.Classes {
			changed.Classes[g] = 0
		}
		if contents(t, layersOf(t, s, blind(d)).model) != contents(t, layersOf(t, s, blind(&changed)).model) {
			t.Errorf("%s: classes change a model that must not see them", s)
		}
		copy(changed.Classes, d.Classes)
	}
	unclassed := *d
	unclassed.Classes = nil
	s := smallEstimator()
	s.Options.Pool = 2
	if _, err := s.grow(t.Context(), work(&unclassed, train), false); err == nil ||
		!strings.Contains(err.Error(), "its graphs have none") {
		t.Errorf("a pool without classes: %v", err)
	}
}

// An encoding numbers labels of vertices and arcs as in the data that it was fitted on.
func TestEncodingOfOtherData(t *testing.T) {
	d := molecules(t)
	g := layersOf(t, smallEstimator(), blind(d))
	e, m := g.encoding, g.model
	if m.Input().ArcLabels != len(d.ArcLabelNames) {
		t.Errorf("input %+v", m.Input())
	}
	shuffled := *d
	b := *d.Batch
	labels, arcs := int32(b.NumLabels), int32(len(d.ArcLabelNames))
	b.Labels, b.ArcLabels = slices.Clone(b.Labels), slices.Clone(b.ArcLabels)
	for v := range b.Labels {
		b.Labels[v] = labels - 1 - b.Labels[v]
	}
	for a := range b.ArcLabels {
		b.ArcLabels[a] = arcs - 1 - b.ArcLabels[a]
	}
	shuffled.Batch = &b
	shuffled.LabelCodes, shuffled.LabelNames = slices.Clone(d.LabelCodes), slices.Clone(d.LabelNames)
	shuffled.ArcLabelNames = slices.Clone(d.ArcLabelNames)
	slices.Reverse(shuffled.LabelCodes)
	slices.Reverse(shuffled.LabelNames)
	slices.Reverse(shuffled.ArcLabelNames)
	var outputs [2]*tensor.Dense
	for i, set := range []*dataset.Dataset{d, &shuffled} {
		batch, err := e.Apart(set)
		if err != nil {
			t.Fatal(err)
		}
		if outputs[i], err = m.Transform(context.Background(), batch, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(outputs[0].Float64s(), outputs[1].Float64s()) {
		t.Error("the numbers of labels change the fingerprints")
	}
}

// Attributes and labels stay columns of their own.
func TestAttributesAndLabels(t *testing.T) {
	d := molecules(t)
	b := *d.Batch
	b.AttributeDim = 1
	b.Attributes = make([]float64, b.NumVertices())
	for v := range b.Attributes {
		b.Attributes[v] = float64(b.Degree(int32(v)))
	}
	s := smallEstimator()
	s.Features = dataset.AttributesAndLabels
	attributed := d.WithBatch(&b)
	g := layersOf(t, s, blind(attributed))
	if in := g.model.Input(); in.Attributes != 1 || in.Labels != b.NumLabels || in.ArcLabels != len(d.ArcLabelNames) {
		t.Errorf("input %+v", in)
	}
	batch, err := g.encoding.Apart(attributed)
	if err != nil || batch.AttributeDim != 1 || batch.Labels == nil {
		t.Fatalf("%v, %d attributes", err, batch.AttributeDim)
	}
}

func TestAccuracy(t *testing.T) {
	classes := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	told, silent := make([]float64, 12), make([]float64, 12)
	for g, c := range classes {
		told[g] = float64(c)
	}
	matrix := func(x []float64) *tensor.Dense { return tensor.New(tensor.WithShape(12, 1), tensor.WithBacking(x)) }
	a := Accuracy{Classes: classes}
	if v, err := a.Score(context.Background(), matrix(told)); err != nil || v != 1 {
		t.Errorf("score %g, %v of the classes themselves", v, err)
	}
	if v, err := a.Score(context.Background(), matrix(silent)); err != nil || v > 0.5 {
		t.Errorf("score %g, %v of nothing", v, err)
	}
	for i, test := range a.deal() {
		if len(test) != 2 && len(test) != 3 {
			t.Errorf("part %d has %d graphs", i, len(test))
		}
	}
	other := a
	other.Classes = slices.Clone(classes)
	other.Classes[3] = 0
	if fmt.Sprint(a) == fmt.Sprint(other) {
		t.Error("criteria of other classes have one name")
	}
	few := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking(told[:3]))
	for x, bad := range map[*tensor.Dense]Accuracy{matrix(told): {Classes: classes[:7]}, few: {Classes: classes[:3]}} {
		if _, err := bad.Score(context.Background(), x); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// A supervised pool is at least as good on its criterion as a single candidate.
func TestPoolHelpsItsCriterion(t *testing.T) {
	d := molecules(t)
	all := make([]int, d.NumGraphs())
	for g := range all {
		all[g] = g
	}
	one, pool := smallEstimator(), smallEstimator()
	one.Options.Patience, pool.Options.Patience, pool.Options.Pool = 5, 5, 6
	a, b := layersOf(t, one, work(d, all)).model, layersOf(t, pool, work(d, all)).model
	if b.history[0].Score < a.history[0].Score {
		t.Errorf("scores %+v of a pool, %+v of one candidate", b.history[0].Scores, a.history[0].Score)
	}
}

// What labels of vertices and arcs are called changes no bit.
func TestNamesOfLabelsDoNotMatter(t *testing.T) {
	d := molecules(t)
	b := *d.Batch
	b.Labels, b.ArcLabels = slices.Clone(b.Labels), slices.Clone(b.ArcLabels)
	for v := range b.Labels {
		b.Labels[v] = int32(b.NumLabels) - 1 - b.Labels[v]
	}
	for a := range b.ArcLabels {
		b.ArcLabels[a] = int32(len(d.ArcLabelNames)) - 1 - b.ArcLabels[a]
	}
	renamed := d.WithBatch(&b)
	for _, change := range []func(o *Options){func(*Options) {}, func(o *Options) { o.Smoothing, o.Soft = 0.1, true },
		func(o *Options) { o.Pool, o.Patience = 2, 2 }} {
		s := smallEstimator()
		change(&s.Options)
		for _, seen := range [][]int{nil, {0, 1, 2, 3, 5, 8, 13, 21, 22, 23, 24, 25}} {
			one, two := work(d, seen), work(renamed, seen)
			if contents(t, layersOf(t, s, one).model) != contents(t, layersOf(t, s, two).model) {
				t.Errorf("%s: other names of labels make another model", s)
			}
		}
	}
}
