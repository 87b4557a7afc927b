package gckn

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// molecules returns small random labelled graphs: a tree with a few extra edges, isolated vertices too.
func molecules(t *testing.T, n int, seed uint64) []graph.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	graphs := make([]graph.Graph, n)
	for i := range graphs {
		g := &graphs[i]
		g.NumVertices = 1 + rng.IntN(14)
		for v := 1; v < g.NumVertices; v++ {
			if rng.Float64() < 0.93 {
				g.AddArc(int32(v), rng.Int32N(int32(v)))
			}
			if rng.Float64() < 0.2 {
				g.AddArc(int32(v), rng.Int32N(int32(v)))
			}
		}
		for range g.NumVertices {
			g.Labels = append(g.Labels, rng.Int32N(4))
		}
	}
	graphs[0].Labels[0] = 3 // every batch has four labels
	return graphs
}

func batch(t *testing.T, graphs []graph.Graph) *graph.Batch {
	t.Helper()
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func options(t *testing.T, variant string) Options {
	t.Helper()
	opt, err := Preset(variant, 3, 8, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	opt.Double = true
	return opt
}

func fit(t *testing.T, e engine.Engine, b *graph.Batch, opt Options) *Model {
	t.Helper()
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Fit(context.Background(), e, b, input, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func represent(t *testing.T, m *Model, b *graph.Batch) []float64 {
	t.Helper()
	x, err := m.Transform(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return float64s(m.engine, x)
}

// float64s returns a float64 copy of the elements of t, which may lie on e or in host memory.
func float64s(e engine.Engine, t *tensor.Dense) []float64 {
	out := make([]float64, t.Shape().TotalSize())
	if err := e.Convert(tensor.New(tensor.WithShape(t.Shape()...), tensor.WithBacking(out)), t); err != nil {
		panic(err) // same number of elements, both floats
	}
	return out
}

// relabel returns g with vertex v moved to place[v].
func relabel(g graph.Graph, place []int) graph.Graph {
	out := g
	out.Arcs = graph.ArcList{}
	for i := range g.Arcs.From {
		out.AddArc(int32(place[g.Arcs.From[i]]), int32(place[g.Arcs.To[i]]))
	}
	out.Labels = make([]int32, len(g.Labels))
	for v, l := range g.Labels {
		out.Labels[place[v]] = l
	}
	return out
}

func TestRepresentationIgnoresVertexAndGraphOrder(t *testing.T) {
	graphs := molecules(t, 30, 1)
	rng := rand.New(rand.NewPCG(5, 5))
	order := rng.Perm(len(graphs))
	shuffled := make([]graph.Graph, len(graphs))
	for i, g := range order {
		shuffled[i] = relabel(graphs[g], rng.Perm(graphs[g].NumVertices))
	}
	b := batch(t, graphs)
	for _, variant := range Variants() {
		m := fit(t, enginetest.Open(t, 1), b, options(t, variant))
		want, got := represent(t, m, b), represent(t, m, batch(t, shuffled))
		dim := m.opt.Dim()
		for i, g := range order {
			if err := closeTo(got[i*dim:(i+1)*dim], want[g*dim:(g+1)*dim], 1e-10); err != nil {
				t.Errorf("%s: graph %d: %v", variant, g, err)
			}
		}
	}
}

// With sums the representation of a disjoint union is the sum of the representations.
func TestSumOverDisjointUnion(t *testing.T) {
	graphs := molecules(t, 12, 2)
	var union graph.Graph
	for _, g := range graphs {
		shift := int32(union.NumVertices)
		for i := range g.Arcs.From {
			union.AddArc(g.Arcs.From[i]+shift, g.Arcs.To[i]+shift)
		}
		union.NumVertices += g.NumVertices
		union.Labels = append(union.Labels, g.Labels...)
	}
	b := batch(t, graphs)
	for _, variant := range Variants() {
		m := fit(t, enginetest.Open(t, 1), b, options(t, variant))
		parts, got := represent(t, m, b), represent(t, m, batch(t, []graph.Graph{union}))
		want := make([]float64, len(got))
		for i, v := range parts {
			want[i%len(want)] += v
		}
		if err := closeTo(got, want, 1e-10); err != nil {
			t.Errorf("%s: %v", variant, err)
		}
	}
}

// Labels as one-hot attributes take the general way without shared rows; the result is the same.
func TestSharedRowsChangeNothing(t *testing.T) {
	labelled := batch(t, molecules(t, 40, 3))
	written := *labelled
	written.Labels, written.NumLabels, written.AttributeDim = nil, 0, labelled.NumLabels
	written.Attributes = make([]float64, labelled.NumVertices()*labelled.NumLabels)
	for v, l := range labelled.Labels {
		written.Attributes[v*labelled.NumLabels+int(l)] = 1
	}
	for _, variant := range Variants() {
		for _, pool := range []Pooling{Sum, Mean, Max, GeneralizedMax} {
			opt := options(t, variant)
			for l := range opt.Layers {
				opt.Layers[l].Pooling = pool
			}
			opt.GlobalPooling = pool
			m := fit(t, enginetest.Open(t, 2), labelled, opt)
			general, err := New(m.engine, train.Input{Attributes: labelled.NumLabels}, opt, anchorsOf(m))
			if err != nil {
				t.Fatal(err)
			}
			if err := closeTo(represent(t, general, &written), represent(t, m, labelled), 1e-9); err != nil {
				t.Errorf("%s, %s: %v", variant, pool, err)
			}
		}
	}
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	b := batch(t, molecules(t, 60, 4))
	for _, variant := range Variants() {
		opt := options(t, variant)
		opt.Double = false
		var first []float64
		for _, workers := range []int{1, 2, 8} {
			got := represent(t, fit(t, enginetest.Open(t, workers), b, opt), b)
			if first == nil {
				first = got
			}
			for i := range got {
				if got[i] != first[i] {
					t.Fatalf("%s: entry %d is %v with %d workers, %v with one", variant, i, got[i], workers, first[i])
				}
			}
		}
	}
}

func TestRunsOfGraphsAgreeWithTheWhole(t *testing.T) {
	b := batch(t, molecules(t, 25, 6))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-3layer"))
	var parts []float64
	for g := range b.NumGraphs() {
		parts = append(parts, represent(t, m, b.Slice(g, g+1))...)
	}
	if err := closeTo(parts, represent(t, m, b), 1e-12); err != nil {
		t.Error(err)
	}
}

// restored returns a model after its way through a file.
func restored(t *testing.T, m *Model) *Model {
	t.Helper()
	raw, err := modelfile.Encode("gckn", m, m.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	file, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(m.engine, file.Model, file)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func TestStoredModelHasTheSameBits(t *testing.T) {
	b := batch(t, molecules(t, 25, 7))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-subtree"))
	want, got := represent(t, m, b), represent(t, restored(t, m), b)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("entry %d is %v, stored as %v", i, got[i], want[i])
		}
	}
}

func TestContributionsAddUp(t *testing.T) {
	b := batch(t, molecules(t, 10, 8))
	for _, pool := range []Pooling{Sum, Mean, Max} {
		opt := options(t, "gckn-subtree")
		opt.GlobalPooling = pool
		opt.Concat = true
		m := fit(t, enginetest.Open(t, 1), b, opt)
		weight := make([]float64, opt.Dim())
		for i := range weight {
			weight[i] = math.Sin(float64(i))
		}
		all := represent(t, m, b)
		for g := range b.NumGraphs() {
			features, err := m.VertexFeatures(context.Background(), b.Slice(g, g+1))
			if err != nil {
				t.Fatal(err)
			}
			parts, err := Contributions(features, weight, pool)
			if err != nil {
				t.Fatal(err)
			}
			got, want := 0.0, 0.0
			for _, p := range parts {
				got += p
			}
			for i, w := range weight {
				want += w * all[g*len(weight)+i]
			}
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: graph %d: contributions sum to %v, the function is %v", pool, g, got, want)
			}
		}
	}
}

func TestLabelsNeverSeenDifferFromAllOthers(t *testing.T) {
	graphs := molecules(t, 20, 9)
	m := fit(t, enginetest.Open(t, 1), batch(t, graphs), options(t, "gckn-path"))
	odd := graph.Graph{NumVertices: 1, Labels: []int32{9}}
	x := represent(t, m, batch(t, []graph.Graph{odd, {NumVertices: 1, Labels: []int32{0}}}))
	dim := m.opt.Dim()
	norm := func(row []float64) float64 {
		sum := 0.0
		for _, v := range row {
			sum += v * v
		}
		return sum
	}
	if a, b := norm(x[:dim]), norm(x[dim:]); !(a < b) || math.IsNaN(a) {
		t.Errorf("an unknown vertex has squared norm %v, a known one %v", a, b)
	}
}

func TestImpossibleRequestsAreRefused(t *testing.T) {
	b := batch(t, []graph.Graph{{NumVertices: 3, Labels: []int32{0, 1, 0}}})
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	opt := options(t, "gckn-path")
	if _, err := Fit(context.Background(), enginetest.Open(t, 1), b, input, opt, nil); err == nil ||
		!strings.Contains(err.Error(), "no path of 3 vertices") {
		t.Errorf("graphs without arcs: error %v", err)
	}
	clique := graph.Graph{NumVertices: 60, Labels: make([]int32, 60)}
	for v := range int32(60) {
		for u := range v {
			clique.AddArc(v, u)
		}
	}
	long := opt
	long.Layers = []LayerOptions{opt.Layers[0]}
	long.Layers[0].PathSize = 12
	dense := batch(t, []graph.Graph{clique})
	if _, err := Fit(context.Background(), enginetest.Open(t, 1), dense, input, long, nil); err == nil ||
		!strings.Contains(err.Error(), "2^48 paths of 12 vertices") {
		t.Errorf("paths of a clique: error %v", err)
	}
	for name, change := range map[string]func(o *Options){
		"no layers":       func(o *Options) { o.Layers = nil },
		"sigma":           func(o *Options) { o.Layers[0].Sigma = math.NaN() },
		"huge sigma":      func(o *Options) { o.Layers[0].Sigma = math.Inf(1) },
		"tiny sigma":      func(o *Options) { o.Layers[0].Sigma = 1e-30 },
		"huge samples":    func(o *Options) { o.Samples = math.MaxInt },
		"path size":       func(o *Options) { o.Layers[0].PathSize = 0 },
		"filters":         func(o *Options) { o.Layers[0].Filters = -1 },
		"local pooling":   func(o *Options) { o.Layers[0].Pooling = "median" },
		"global pooling":  func(o *Options) { o.GlobalPooling = "" },
		"samples":         func(o *Options) { o.Samples = 0 },
		"regularisation":  func(o *Options) { o.Epsilon = 0 },
		"rule":            func(o *Options) { o.Rule = 7 },
		"gmp regulariser": func(o *Options) { o.MaxLambda = 0 },
	} {
		bad := options(t, "gckn-path")
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := train.InputOf(batch(t, []graph.Graph{{NumVertices: 2}})); err == nil {
		t.Error("vertices without labels and attributes were accepted")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	b = batch(t, molecules(t, 5, 1))
	input, _ = train.InputOf(b)
	if _, err := Fit(cancelled, enginetest.Open(t, 1), b, input, opt, nil); err == nil {
		t.Error("a cancelled fit returned a model")
	}
}

func anchorsOf(m *Model) []*tensor.Dense {
	var anchors []*tensor.Dense
	for _, y := range m.layers {
		anchors = append(anchors, y.stored)
	}
	return anchors
}
