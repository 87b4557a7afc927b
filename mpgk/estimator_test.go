package mpgk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

func TestOneGraph(t *testing.T) {
	for _, s := range settings(t) {
		s.GraphLandmarks = 3
		b := batch(t, molecules(1, 33, s.content))
		m := fit(t, enginetest.Open(t, 1), b, s.Options)
		if got := grams(t, m); len(got) != s.Iterations || math.IsNaN(got[0]) {
			t.Errorf("%s: kernels %v", s, got)
		}
		if x, err := m.Features(t.Context(), b, nil); err != nil || x.Shape()[0] != 1 {
			t.Errorf("%s: features %v, error %v", s, x, err)
		}
	}
}

// A graph without vertices has zeros, whether it is there in Fit or later; isolated vertices have empty sums.
func TestEmptyGraphsAndIsolatedVertices(t *testing.T) {
	for _, s := range settings(t) {
		graphs := molecules(8, 34, s.content)
		empty := graph.Graph{AttributeDim: graphs[0].AttributeDim}
		lonely := graph.Graph{NumVertices: 3, AttributeDim: graphs[0].AttributeDim}
		if s.content == labelled {
			empty.Labels, lonely.Labels = []int32{}, []int32{0, 1, 2}
		} else if s.content == attributed {
			empty.Attributes, lonely.Attributes = []float64{}, []float64{1, 2, 3, 4, 5, 6}
		}
		b := batch(t, append(graphs, empty, lonely))
		m := fit(t, enginetest.Open(t, 1), b, s.Options)
		n := b.NumGraphs()
		for i, v := range grams(t, m) {
			row, column := i/n%n, i%n
			if math.IsNaN(v) || (row == 8 || column == 8) && v != 0 {
				t.Fatalf("%s: kernel of graphs %d and %d is %v", s, row, column, v)
			}
		}
		only := batch(t, []graph.Graph{empty})
		for _, v := range crosses(t, transform(t, m, only), m.train) {
			if v != 0 {
				t.Fatalf("%s: the empty graph has the kernel %v", s, v)
			}
		}
		if g := transform(t, m, b.Select(nil)); g.Len() != 0 || len(crosses(t, g, m.train)) != 0 {
			t.Errorf("%s: no graphs have %d rows", s, g.Len())
		}
	}
}

func TestSingleFeature(t *testing.T) {
	for _, name := range Variants() {
		opt, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []float64{0, 1, -2.5} {
			graphs := molecules(10, 35, bare)
			for i := range graphs {
				graphs[i].AttributeDim = 1
				for range graphs[i].NumVertices {
					graphs[i].Attributes = append(graphs[i].Attributes, value)
				}
			}
			for _, opt.Landmarks = range []int{0, 5} {
				for _, k := range grams(t, fit(t, enginetest.Open(t, 1), batch(t, graphs), opt)) {
					if math.IsNaN(k) || math.IsInf(k, 0) {
						t.Fatalf("%s with all attributes %v: kernel %v", name, value, k)
					}
				}
			}
		}
	}
}

// A label that Fit did not see is like no other.
func TestLabelsNeverSeenResembleNothing(t *testing.T) {
	opt, err := Preset("mpgk-rr")
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, enginetest.Open(t, 1), batch(t, molecules(10, 36, labelled)), opt)
	pair := graph.Graph{NumVertices: 2, Labels: []int32{9, 4}, Arcs: graph.ArcList{From: []int32{0}, To: []int32{1}}}
	odd := batch(t, []graph.Graph{pair})
	for _, v := range crosses(t, transform(t, m, odd), m.train) {
		if v != 0 {
			t.Errorf("kernel %v with a graph of unknown labels", v)
		}
	}
}

func TestFitTwiceIsFitOnce(t *testing.T) {
	for _, s := range settings(t) {
		b := batch(t, molecules(30, 37, s.content))
		before := fmt.Sprint(b.Labels, b.Attributes, b.Col)
		once, twice := fit(t, enginetest.Open(t, 2), b, s.Options), fit(t, enginetest.Open(t, 2), b, s.Options)
		wantSameBits(t, s, grams(t, twice), grams(t, once))
		if fmt.Sprint(b.Labels, b.Attributes, b.Col) != before {
			t.Errorf("%s: Fit changed the graphs", s)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	opt, err := Preset("mpgk-aa")
	if err != nil {
		t.Fatal(err)
	}
	e := enginetest.Open(t, 1)
	if _, err := Preset("mpgk-xy"); err == nil || !strings.Contains(err.Error(), "mpgk-rr") {
		t.Errorf("unknown variant: %v", err)
	}
	if _, err := Preset("aa"); err == nil {
		t.Error("a variant without mpgk- was accepted")
	}
	for want, change := range map[string]func(o *Options){
		"variant": func(o *Options) { o.Variant = "ab" }, "iterations": func(o *Options) { o.Iterations = 0 },
		"alpha": func(o *Options) { o.Alpha = -1 }, "beta": func(o *Options) { o.Beta = math.NaN() },
		"both 0": func(o *Options) { o.Alpha, o.Beta = 0, 0 }, "landmarks": func(o *Options) { o.Landmarks = -2 },
		"branching": func(o *Options) { o.Branching = 1 }, "depth": func(o *Options) { o.Depth = 0 },
		"weights": func(o *Options) { o.Weights = "" }, "graph landmarks": func(o *Options) { o.GraphLandmarks = -1 },
	} {
		o := opt
		change(&o)
		_, err := Fit(t.Context(), e, batch(t, molecules(3, 1, bare)), o, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}

	nan := molecules(4, 38, attributed)
	nan[2].Attributes[0] = math.NaN()
	if _, err := Fit(t.Context(), e, batch(t, nan), opt, nil); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN: error %v", err)
	}
	none := &graph.Batch{Offsets: []int32{0, 0}, RowPtr: []int32{0}}
	if _, err := Fit(t.Context(), e, none, opt, nil); err == nil || !strings.Contains(err.Error(), "no vertices") {
		t.Errorf("no vertices: error %v", err)
	}

	m := fit(t, e, batch(t, molecules(5, 39, attributed)), opt)
	_, err = m.Transform(t.Context(), batch(t, molecules(2, 1, labelled)), nil)
	if err == nil || !strings.Contains(err.Error(), "2 attributes") {
		t.Errorf("labels for attributes: error %v", err)
	}
	if _, err := m.Transform(t.Context(), batch(t, nan), nil); err == nil || !strings.Contains(err.Error(), "vertex") {
		t.Errorf("NaN in new graphs: error %v", err)
	}
	if _, err := m.Features(t.Context(), m.batch, nil); err == nil || !strings.Contains(err.Error(), "landmarks") {
		t.Errorf("features without landmarks: error %v", err)
	}
	l := fit(t, e, batch(t, molecules(5, 39, labelled)), opt)
	_, err = l.Transform(t.Context(), batch(t, molecules(2, 1, bare)), nil)
	if err == nil || !strings.Contains(err.Error(), "labels") {
		t.Errorf("no labels: error %v", err)
	}
	if _, err := m.train.Gram(5); err == nil {
		t.Error("a fifth iteration of four was given")
	}
	if _, err := m.train.Cross(l.train, 1); err == nil {
		t.Error("graphs of two models were compared")
	}
	if _, err := EmbedVertices(t.Context(), e, m.batch, opt, 0, nil); err == nil {
		t.Error("vertices were embedded in 0 dimensions")
	}
}

// Work stops wherever the context is done.
func TestCancellation(t *testing.T) {
	b := batch(t, molecules(50, 40, attributed))
	opt, err := Preset("mpgk-aa")
	if err != nil {
		t.Fatal(err)
	}
	for stop := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Fit(ctx, engine.NewCPU(1), b, opt, func(_ string, done, _ int) {
			if done == stop {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d iterations: error %v", stop, err)
		}
		cancel()
	}
	m := fit(t, engine.NewCPU(1), b, opt)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Transform(ctx, b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("transform: error %v", err)
	}
	if _, err := m.Gram(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("gram: error %v", err)
	}
}
