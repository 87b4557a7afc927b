package cgmm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
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

func smallSetting(d *dataset.Dataset) *Setting {
	opt := DefaultOptions()
	opt.States, opt.Layers = 6, 3
	return &Setting{Data: d, Features: dataset.AutoFeatures, ArcLabels: true, Options: opt, Engine: engine.NewCPU(1)}
}

// A setting learns from its training part alone.
func TestSettingLearnsFromItsTrainingPart(t *testing.T) {
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
		one, two := smallSetting(d), smallSetting(&changed)
		change(&one.Options)
		change(&two.Options)
		_, a, err := one.Fit(context.Background(), train)
		if err != nil {
			t.Fatal(err)
		}
		_, b, err := two.Fit(context.Background(), train)
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, a) != contents(t, b) {
			t.Errorf("%s: the classes of other graphs change the model", one.Options)
		}
		// Without a training part no class is looked at.
		for g := range changed.Classes {
			changed.Classes[g] = 0
		}
		_, a, err = one.Fit(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, b, err = two.Fit(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if contents(t, a) != contents(t, b) {
			t.Errorf("%s: classes change a model that must not see them", one.Options)
		}
		copy(changed.Classes, d.Classes)
	}
	unclassed := *d
	unclassed.Classes = nil
	s := smallSetting(&unclassed)
	s.Options.Pool = 2
	if _, _, err := s.Fit(context.Background(), train); err == nil || !strings.Contains(err.Error(),
		"its graphs have none") {
		t.Errorf("a pool without classes: %v", err)
	}
}

// An encoding numbers labels of vertices and arcs as in the data that it was fitted on.
func TestEncodingOfOtherData(t *testing.T) {
	d := molecules(t)
	s := smallSetting(d)
	e, m, err := s.Fit(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
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
	s := smallSetting(d.WithBatch(&b))
	s.Features = dataset.AttributesAndLabels
	e, m, err := s.Fit(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if in := m.Input(); in.Attributes != 1 || in.Labels != b.NumLabels || in.ArcLabels != len(d.ArcLabelNames) {
		t.Errorf("input %+v", in)
	}
	batch, err := e.Apart(s.Data)
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
	a := Accuracy{Classes: classes, Parts: 3}
	for _, held := range []bool{false, true} {
		a.HoldOut = held
		if v, err := a.Score(context.Background(), matrix(told)); err != nil || v != 1 {
			t.Errorf("hold-out %v: score %g, %v of the classes themselves", held, v, err)
		}
		if v, err := a.Score(context.Background(), matrix(silent)); err != nil || v != 0.5 {
			t.Errorf("hold-out %v: score %g, %v of nothing", held, v, err)
		}
	}
	for i, part := range a.deal() {
		if len(part) != 4 {
			t.Errorf("part %d has %d graphs", i, len(part))
		}
	}
	other := a
	other.Classes = slices.Clone(classes)
	other.Classes[3] = 0
	if fmt.Sprint(a) == fmt.Sprint(other) {
		t.Error("criteria of other classes have one name")
	}
	for _, bad := range []Accuracy{{Classes: classes[:3]}, {Classes: classes, Parts: 1}, {Classes: classes, Parts: 13}} {
		if _, err := bad.Score(context.Background(), matrix(told)); err == nil {
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
	one, pool := smallSetting(d), smallSetting(d)
	one.Options.Patience, pool.Options.Patience, pool.Options.Pool = 5, 5, 6
	_, a, err := one.Fit(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	_, b, err := pool.Fit(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	if b.History()[0].Score < a.History()[0].Score {
		t.Errorf("scores %+v of a pool, %+v of one candidate", b.History()[0].Scores, a.History()[0].Score)
	}
}
