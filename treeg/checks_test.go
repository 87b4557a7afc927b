package treeg

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// small returns a few molecules.
func small(t testing.TB, graphs int) *dataset.Dataset {
	t.Helper()
	set, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func eachEnsemble(t *testing.T, test func(t *testing.T, opt Options)) {
	for _, ensemble := range []Ensemble{Boosting, Forest, ExtraTrees, Single} {
		t.Run(string(ensemble), func(t *testing.T) {
			opt := Defaults(Graphs, ensemble)
			opt.Estimators = min(opt.Estimators, 8)
			test(t, opt)
		})
	}
}

// predicted returns what a model says of a batch.
func predicted(t *testing.T, m *Model, b *graph.Batch) *model.Predictions {
	t.Helper()
	said, err := m.Predict(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// explanation returns that of one example.
func explanation(t *testing.T, m *Model, b *graph.Batch, example int) (out *Explanation) {
	t.Helper()
	err := m.Explain(context.Background(), b, []int{example}, func(_ int, x *Explanation) error {
		out = x
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestModelsLearn(t *testing.T) {
	set := small(t, 200)
	eachEnsemble(t, func(t *testing.T, opt Options) {
		m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: set.Classes}, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := predicted(t, m, set.Batch)
		p, classes := said.Probabilities.Float64s(), said.Classes
		right := 0
		for i, c := range set.Classes {
			if !treegtest.Near(p[2*i]+p[2*i+1], 1, 1e-12) || p[2*i] < 0 || p[2*i+1] < 0 {
				t.Fatalf("probabilities %v", p[2*i:2*i+2])
			}
			if classes[i] == c {
				right++
			}
		}
		if right < 190 {
			t.Errorf("%d of 200 training graphs are right", right)
		}
	})
}

func TestMultiClass(t *testing.T) {
	set, err := dataset.Synth("rings-cliques", dataset.SynthOptions{Graphs: 160, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []Loss{Softmax, OneVsAll} {
		for _, scheme := range []Scheme{Newton, Reference} {
			opt := Defaults(Graphs, Boosting)
			opt.Loss, opt.Scheme, opt.Estimators = loss, scheme, 15
			m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: set.Classes}, opt, nil)
			if loss == Softmax && scheme == Reference {
				if err == nil {
					t.Error("the reference scheme has no softmax")
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := accuracy(predicted(t, m, set.Batch).Classes, set.Classes, treegtest.Ints(all(160))); a < 0.95 {
				t.Errorf("%s, %s: training accuracy %g", loss, scheme, a)
			}
		}
	}
}

// Data that say little must not stop a fit: one class, one graph, graphs without vertices, isolated vertices, a single
// feature, missing values, examples without a target.
func TestDegenerateData(t *testing.T) {
	nothing := graph.Graph{}
	lonely := graph.Graph{NumVertices: 3}
	edge := graph.Graph{NumVertices: 2}
	edge.AddArc(0, 1)
	batch := func(graphs ...graph.Graph) *graph.Batch {
		b, err := graph.NewBatch(graphs)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	missing := batch(edge, edge, lonely, edge)
	missing.AttributeDim = 2
	missing.Attributes = slices.Repeat([]float64{math.NaN(), 1}, missing.NumVertices())
	for name, c := range map[string]struct {
		b       *graph.Batch
		classes []int
	}{
		"one class":        {batch(edge, lonely, edge), []int{0, 0, 0}},
		"one graph":        {batch(edge), []int{1}},
		"no vertices":      {batch(nothing, edge, nothing, edge), []int{0, 1, 0, 1}},
		"isolated":         {batch(lonely, lonely, edge, edge), []int{0, 0, 1, 1}},
		"missing feature":  {missing, []int{0, 1, 0, 1}},
		"unlabelled":       {batch(edge, lonely, edge, lonely), []int{0, -1, -1, 1}},
		"a class is empty": {batch(edge, lonely, edge, lonely), []int{0, 3, 0, 3}},
	} {
		eachEnsemble(t, func(t *testing.T, opt Options) {
			opt.MinSplit = 2
			m, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), c.b, Targets{Classes: c.classes}, opt, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			said := predicted(t, m, c.b)
			p, classes := said.Probabilities.Float64s(), said.Classes
			for _, x := range p {
				if !(x >= 0 && x <= 1) {
					t.Errorf("%s: probabilities %v", name, p)
				}
			}
			if name == "isolated" && opt.Ensemble != Forest && opt.Ensemble != ExtraTrees {
				if !slices.Equal(classes, c.classes) {
					t.Errorf("%s: classes %v", name, classes)
				}
			}
		})
	}
}

// What cannot be fitted is refused with one line that says why.
func TestRefusals(t *testing.T) {
	set := small(t, 12)
	infinite := *set.Batch
	infinite.AttributeDim, infinite.Attributes = 1, slices.Repeat([]float64{math.Inf(1)}, set.Batch.NumVertices())
	values := make([]float64, 12)
	values[3] = math.Inf(-1)
	for want, c := range map[string]struct {
		b       *graph.Batch
		targets Targets
		change  func(*Options)
	}{
		"classes or values":   {set.Batch, Targets{}, nil},
		"3 targets for 12":    {set.Batch, Targets{Classes: []int{0, 1, 0}}, nil},
		"finite":              {&infinite, Targets{Classes: set.Classes}, nil},
		"target of example 3": {set.Batch, Targets{Values: values}, nil},
		"no example":          {set.Batch, Targets{Classes: slices.Repeat([]int{-1}, 12)}, nil},
		"given twice":         {set.Batch, Targets{Classes: set.Classes, Train: []int{1, 1}}, nil},
		"example 12 of 12":    {set.Batch, Targets{Classes: set.Classes, Train: []int{12}}, nil},
		"learning rate":       {set.Batch, Targets{Classes: set.Classes}, func(o *Options) { o.LearningRate = 0 }},
		"walk type":           {set.Batch, Targets{Classes: set.Classes}, func(o *Options) { o.Walks = nil }},
		"loss":                {set.Batch, Targets{Classes: set.Classes}, func(o *Options) { o.Loss = Squared }},
		"too few to hold out": {set.Batch, Targets{Classes: set.Classes, Train: []int{1}},
			func(o *Options) { o.Patience = 2 }},
		"use the constant": {&graph.Batch{Offsets: []int32{0, 1}, RowPtr: []int32{0, 0}}, Targets{Classes: []int{0}},
			func(o *Options) { o.Constant = false }},
		"class 7: want -1": {set.Batch, Targets{Classes: []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 7}, NumClasses: 2}, nil},
		"source and cycle": {set.Batch, Targets{Classes: make([]int, set.Batch.NumVertices())},
			func(o *Options) { o.Level = Vertices }},
	} {
		opt := Defaults(Graphs, Boosting)
		if c.change != nil {
			c.change(&opt)
		}
		_, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), c.b, c.targets, opt, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
	var unfitted Model
	if _, err := unfitted.Scores(context.Background(), set.Batch); err == nil {
		t.Error("a model that is not fitted predicts")
	}
	m, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), set.Batch, Targets{Values: make([]float64, 12)},
		Defaults(Graphs, Single), nil)
	if err != nil {
		t.Fatal(err)
	}
	if said := predicted(t, m, set.Batch); said.Classes != nil || said.Values == nil {
		t.Errorf("a regression says %+v", said)
	}
	bare := *set.Batch
	bare.Labels = nil
	if _, err := m.Scores(context.Background(), &bare); err == nil {
		t.Error("a model of labels predicts graphs without any")
	}
}

func TestCancellation(t *testing.T) {
	set := small(t, 60)
	eachEnsemble(t, func(t *testing.T, opt Options) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Fit(ctx, treegtest.OpenCPU(t, 1), set.Batch, Targets{Classes: set.Classes}, opt, nil); err == nil {
			t.Error("a cancelled fit has no error")
		}
	})
}

// Fitting leaves the batch and the options alone, and fitting again gives the same model.
func TestFitTwice(t *testing.T) {
	set := small(t, 60)
	labels, offsets := slices.Clone(set.Batch.Labels), slices.Clone(set.Batch.Offsets)
	eachEnsemble(t, func(t *testing.T, opt Options) {
		before, _ := json.Marshal(opt)
		var raw [2][]byte
		for i := range raw {
			m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: set.Classes}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			raw[i], _ = json.Marshal(m)
		}
		after, _ := json.Marshal(opt)
		if !slices.Equal(raw[0], raw[1]) || !slices.Equal(before, after) || !slices.Equal(labels, set.Batch.Labels) ||
			!slices.Equal(offsets, set.Batch.Offsets) {
			t.Error("a second fit is different, or something was changed")
		}
	})
}

// A stored model predicts the same bits.
func TestModelFile(t *testing.T) {
	set := small(t, 80)
	eachEnsemble(t, func(t *testing.T, opt Options) {
		m, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), set.Batch, Targets{Classes: set.Classes}, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := modelfile.Encode("treeg", m, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := modelfile.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load(treegtest.OpenCPU(t, 2), f.Model)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Scores(context.Background(), set.Batch)
		if err != nil {
			t.Fatal(err)
		}
		got, err := back.Scores(context.Background(), set.Batch)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Error("a stored model predicts something else")
		}
		again, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		if first, _ := json.Marshal(m); !slices.Equal(first, again) {
			t.Error("a stored model is stored differently")
		}
	})
}

// A description that is not of a model is refused, and none makes the program panic.
func TestDamagedModels(t *testing.T) {
	set := small(t, 40)
	opt := Defaults(Graphs, Boosting)
	opt.Estimators = 3
	m, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), set.Batch, Targets{Classes: set.Classes}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"trees":[[`, `"trees":[[null],[`}, {`"lte":1`, `"lte":0`}, {`"lte":1`, `"lte":99`}, {`"gt":2`, `"gt":1`},
		{`"pointer":0`, `"pointer":1`},
		{`"split":{"feature":`, `"split":{"feature":99`}, {`"split":{"feature":`, `"split":{"feature":-1`},
		{`"walk":"`, `"walk":"un`}, {`"level":"graph"`, `"level":"vertex"`},
		{`"labels":`, `"labels":9`}, {`"start":[`, `"start":[1,`}, {`"classes":2`, `"classes":3`},
		{`"classes":2`, `"classes":-1`}, {`"value":[`, `"value":[1,`},
		{`"aggregation":"sum"`, `"aggregation":"none"`}, {`"length":1`, `"length":17`},
		{`"estimators":3`, `"estimators":0`}, {`"feature_grids":[`, `"feature_grids":[5000,`},
		{`{`, `[`}, {`"trees":`, `"forest":`}, {`"arcs":[{"type":-1}]`, `"arcs":[]`},
		{`"arcs":[{"type":-1}]`, `"arcs":[{"type":-7}]`}, {`"loss":"logistic"`, `"loss":"squared"`},
	} {
		damaged := strings.Replace(string(raw), change[0], change[1], 1)
		if damaged == string(raw) {
			t.Errorf("nothing to damage: %s", change[0])
			continue
		}
		if _, err := Load(treegtest.OpenCPU(t, 1), json.RawMessage(damaged)); err == nil {
			t.Errorf("%s in place of %s is accepted", change[1], change[0])
		}
	}
	for at := 0; at < len(raw); at += 37 {
		if _, err := Load(treegtest.OpenCPU(t, 1), json.RawMessage(raw[:at])); err == nil {
			t.Errorf("a model cut at byte %d is accepted", at)
		}
	}
}

// FuzzLoad wants every description to be refused or to predict.
func FuzzLoad(f *testing.F) {
	set := small(f, 12)
	for _, ensemble := range []Ensemble{Boosting, Forest, ExtraTrees} {
		opt := Defaults(Graphs, ensemble)
		opt.Estimators, opt.MinSplit = 2, 2
		m, err := Fit(context.Background(), treegtest.OpenCPU(f, 1), set.Batch, Targets{Classes: set.Classes}, opt, nil)
		if err != nil {
			f.Fatal(err)
		}
		raw, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	e := treegtest.OpenCPU(f, 1)
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Load(e, raw)
		if err != nil {
			return
		}
		if _, err := m.Scores(context.Background(), set.Batch); err != nil {
			return
		}
		explanation(t, m, set.Batch, 0)
		var text strings.Builder
		if err := m.Dump(&text, -1, Names{}); err != nil {
			t.Error(err)
		}
	})
}
