package gckn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
)

// randomLinear returns a classifier with random weights.
func randomLinear(rng *rand.Rand, outputs, dim int) *svm.Linear {
	c := &svm.Linear{}
	for range outputs {
		w := make([]float64, dim)
		for i := range w {
			w[i] = rng.NormFloat64() / math.Sqrt(float64(dim))
		}
		c.Weight, c.Bias = append(c.Weight, w), append(c.Bias, rng.NormFloat64()/2)
	}
	return c
}

// maskModels returns models of all variants and poolings, fitted on b.
func maskModels(t *testing.T, b *graph.Batch) map[string]*Model {
	models := map[string]*Model{}
	for _, variant := range Variants() {
		for _, pools := range [][2]Pooling{{Sum, Sum}, {Mean, Mean}, {Max, Sum}, {Sum, Max}} {
			for _, all := range []bool{true, false} {
				opt := options(t, variant)
				opt.AllLengths, opt.GlobalPooling, opt.Concat = all, pools[1], all && pools[1] == Mean
				for l := range opt.Layers {
					opt.Layers[l].Pooling, opt.Layers[l].Filters = pools[0], 5
				}
				name := fmt.Sprintf("%s, %s/%s, all lengths %v", variant, pools[0], pools[1], all)
				models[name] = fit(t, enginetest.Open(t, 1), b, opt)
			}
		}
	}
	return models
}

// masked returns the only graph of b laid out for masks below a classifier.
func masked(t *testing.T, m *Model, b *graph.Batch, c *svm.Linear, class int) *maskedGraph {
	t.Helper()
	n, err := m.maskNetwork(c)
	if err != nil {
		t.Fatal(err)
	}
	w, err := m.mask(n, b, class)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// of returns the loss with the given masks and its gradient.
func (w *maskedGraph) of(t *testing.T, masks []float64) (loss float64, gradient []float64) {
	t.Helper()
	gradient = make([]float64, len(masks))
	loss = w.loss(masks, gradient)
	if w.err != nil {
		t.Fatal(w.err)
	}
	return loss, gradient
}

// represent returns the representation of the graph with the given masks.
func (w *maskedGraph) represent(t *testing.T, masks []float64) []float64 {
	t.Helper()
	w.of(t, masks)
	return slices.Clone(w.network.Representation().Float64s())
}

func TestMasksOfOneGiveTheRepresentation(t *testing.T) {
	b := batch(t, molecules(t, 8, 3))
	rng := rand.New(rand.NewPCG(4, 4))
	for name, m := range maskModels(t, b) {
		want, dim := represent(t, m, b), m.opt.Dim()
		for g := range b.NumGraphs() {
			w := masked(t, m, b.Slice(g, g+1), randomLinear(rng, 2, dim), 0)
			ones := slices.Repeat([]float64{1}, w.batch.Masks())
			if err := closeTo(w.represent(t, ones), want[g*dim:(g+1)*dim], 1e-10); err != nil {
				t.Errorf("%s, graph %d: %v", name, g, err)
			}
		}
	}
}

// Central differences with a step of 1e-5 leave about 1e-8 of the largest derivative of a graph in float64;
// a smaller share can be lost where all derivatives are small.
func TestMaskGradientIsTheDerivative(t *testing.T) {
	b := batch(t, molecules(t, 6, 4))
	rng := rand.New(rand.NewPCG(1, 1))
	models := maskModels(t, b)
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := models[name]
		for g := range b.NumGraphs() {
			w := masked(t, m, b.Slice(g, g+1), randomLinear(rng, 1+g%3, m.opt.Dim()), g%2)
			mask := make([]float64, w.batch.Masks())
			for i := range mask {
				mask[i] = rng.Float64()
			}
			_, grad := w.of(t, mask)
			want := make([]float64, len(mask))
			for i, v := range mask {
				const h = 1e-5
				mask[i] = v + h
				up, _ := w.of(t, mask)
				mask[i] = v - h
				down, _ := w.of(t, mask)
				mask[i], want[i] = v, (up-down)/(2*h)
			}
			for i := range want {
				if d := math.Abs(grad[i] - want[i]); !(d <= 1e-6*maxAbs(want)+1e-10) {
					t.Errorf("%s, graph %d: derivative %d is %g, want %g", name, g, i, grad[i], want[i])
				}
			}
		}
	}
}

func maxAbs(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// The masks of a file stand for the paths that it lists, whatever their layer: the published code has one
// mask for a path in all layers.
func TestGoldenMask(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("mask"), func(t *testing.T, raw []byte) {
		var g goldenModel
		var golden struct {
			Paths        [][][]int32 `json:"paths"`
			Mask         [][]float64 `json:"mask"`
			Label        int         `json:"label"`
			Weight       [][]float64 `json:"classifier_weight"`
			Bias         []float64   `json:"classifier_bias"`
			Logits       []float64   `json:"logits"`
			CrossEntropy float64     `json:"cross_entropy"`
			MaskGrad     [][]float64 `json:"mask_grad"`
		}
		for _, into := range []any{&g, &golden} {
			if err := json.Unmarshal(raw, into); err != nil {
				t.Fatal(err)
			}
		}
		for _, double := range []bool{true, false} {
			tolerance := 1e-8
			if !double {
				tolerance = 1e-4 // the anchors are rounded to float32
			}
			m, b, err := g.model(enginetest.Open(t, 1), double)
			if err != nil {
				t.Fatal(err)
			}
			w := masked(t, m, b, &svm.Linear{Weight: golden.Weight, Bias: golden.Bias}, golden.Label)
			ones := slices.Repeat([]float64{1}, w.batch.Masks())
			place := map[string][]int{}
			for i, p := range w.list(ones) {
				place[fmt.Sprint(p.Vertices)] = append(place[fmt.Sprint(p.Vertices)], i)
			}
			mask := ones
			for j, paths := range golden.Paths {
				for i, p := range paths {
					for _, at := range place[fmt.Sprint(p)] {
						mask[at] = golden.Mask[j][i]
					}
				}
			}
			want := g.Representation
			if g.TrueMax != nil {
				want = g.TrueMax
			}
			check := func(what string, got, want []float64) {
				if err := closeTo(got, want, tolerance); err != nil {
					t.Errorf("double %v: %s: %v", double, what, err)
				}
			}
			check("representation", w.represent(t, mask), flatten(want))
			loss, grad := w.of(t, mask)
			check("cross-entropy", []float64{loss}, []float64{golden.CrossEntropy})
			var got []float64
			for _, paths := range golden.Paths {
				for _, p := range paths {
					sum := 0.0
					for _, at := range place[fmt.Sprint(p)] {
						sum += grad[at]
					}
					got = append(got, sum)
				}
			}
			check("gradient", got, flatten(golden.MaskGrad))
		}
	})
}

// The masks that are found are a minimum: no feasible change of a few of them makes the objective smaller by
// more than the tolerance leaves.
func TestExplainFindsAMinimum(t *testing.T) {
	b := batch(t, molecules(t, 6, 7))
	rng := rand.New(rand.NewPCG(2, 2))
	for _, variant := range Variants() {
		m := fit(t, enginetest.Open(t, 2), b, options(t, variant))
		c := randomLinear(rng, 2, m.opt.Dim())
		classes := []int{0, 1, 0, 1, 0, 1}
		const lambda = 0.003
		found, err := m.Explain(context.Background(), b, classes, c, lambda, nil)
		if err != nil {
			t.Fatal(err)
		}
		for g, x := range found {
			w := masked(t, m, b.Slice(g, g+1), c, classes[g])
			value := func(mask []float64) float64 {
				loss, _ := w.of(t, mask)
				for _, v := range mask {
					loss += lambda * v
				}
				return loss
			}
			mask := make([]float64, len(x.Paths))
			for i, p := range x.Paths {
				mask[i] = max(p.Mask, m.floor())
				if p.Mask < 0 || p.Mask > 1 {
					t.Fatalf("%s, graph %d: a mask of %g", variant, g, p.Mask)
				}
			}
			least := value(mask)
			if whole := value(slices.Repeat([]float64{1}, len(mask))); least > whole {
				t.Errorf("%s, graph %d: objective %g, with all paths %g", variant, g, least, whole)
			}
			for range 200 {
				i := rng.IntN(len(mask))
				old := mask[i]
				mask[i] = min(max(old+0.01*rng.NormFloat64(), m.floor()), 1)
				if v := value(mask); v < least-1e-6 {
					t.Errorf("%s, graph %d: objective %g, but %g with mask %d at %g instead of %g",
						variant, g, least, v, i, mask[i], old)
				}
				mask[i] = old
			}
			if !x.Converged {
				t.Errorf("%s, graph %d: not converged", variant, g)
			}
		}
	}
}

// The same graphs get the same bits for any number of workers and among any other graphs.
func TestExplainRepeats(t *testing.T) {
	b := batch(t, molecules(t, 20, 8))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-subtree"))
	c := randomLinear(rand.New(rand.NewPCG(3, 3)), 1, m.opt.Dim())
	want, err := m.Explain(context.Background(), b, make([]int, 20), c, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := *m
	other.engine = enginetest.Open(t, 3)
	got, err := other.Explain(context.Background(), b.Slice(5, 12), make([]int, 7), c, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got {
		if fmt.Sprint(*x) != fmt.Sprint(*want[5+i]) {
			t.Errorf("graph %d: another explanation", 5+i)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	b := batch(t, molecules(t, 4, 9))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-path"))
	single := options(t, "gckn-path")
	single.Layers[0].PathSize = 1
	gmp := options(t, "gckn-path")
	gmp.GlobalPooling = GeneralizedMax
	rng := rand.New(rand.NewPCG(3, 3))
	c := randomLinear(rng, 2, m.opt.Dim())
	cases := []struct {
		m       *Model
		classes []int
		c       *svm.Linear
		lambda  float64
		want    string
	}{
		{m, []int{0, 0, 0, 2}, c, 0, "class 2"},
		{m, []int{0}, c, 0, "1 classes for 4 graphs"},
		{m, make([]int, 4), &svm.Linear{}, 0, "0 weight vectors"},
		{m, make([]int, 4), randomLinear(rng, 2, 5), 0, "5 features"},
		{m, make([]int, 4), c, math.NaN(), "lambda"},
		{fit(t, enginetest.Open(t, 1), b, gmp), make([]int, 4), c, 0, "generalised max"},
		{fit(t, enginetest.Open(t, 1), b, single), make([]int, 4), randomLinear(rng, 2, 8), 0,
			"path sizes are all 1"},
	}
	for _, x := range cases {
		_, err := x.m.Explain(context.Background(), b, x.classes, x.c, x.lambda, nil)
		if err == nil || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %q, want one line with %q", err, x.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Explain(ctx, b, make([]int, 4), c, 0, nil); err == nil {
		t.Error("no error from a cancelled context")
	}
}

// A graph without vertices, one without edges and one of two vertices have explanations too.
func TestExplainSmallestGraphs(t *testing.T) {
	pair := graph.Graph{NumVertices: 2, Labels: []int32{0, 3}}
	pair.AddArc(0, 1)
	one := graph.Graph{NumVertices: 1, Labels: []int32{1}}
	b := batch(t, append(molecules(t, 4, 10), graph.Graph{Labels: []int32{}}, one, pair))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-subtree"))
	c := randomLinear(rand.New(rand.NewPCG(3, 3)), 2, m.opt.Dim())
	found, err := m.Explain(context.Background(), b, make([]int, 7), c, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := found[4]; len(x.Paths) != 0 || len(x.Edges) != 0 || x.Loss != x.EmptyLoss {
		t.Errorf("the graph without vertices: %+v", *x)
	}
	if x := found[5]; len(x.Paths) != 1 || len(x.Edges) != 0 {
		t.Errorf("the graph of one vertex: %+v", *x)
	}
	if x := found[6]; len(x.Paths) != 4 || len(x.Edges) != 1 || x.Edges[0].From != 0 || x.Edges[0].To != 1 {
		t.Errorf("the graph of two vertices: %+v", *x)
	}
}

func TestMaskEdges(t *testing.T) {
	path := func(layer int, mask float64, vertices ...int32) model.MaskedPath {
		return model.MaskedPath{Layer: layer, Vertices: vertices, Mask: mask}
	}
	edge := func(from, to int32, score, sum float64) model.MaskedEdge {
		return model.MaskedEdge{From: from, To: to, Score: score, Sum: sum}
	}
	var g graph.Graph
	g.NumVertices = 6
	for _, e := range [][2]int32{{0, 1}, {1, 2}, {2, 3}, {4, 5}} {
		g.AddArc(e[0], e[1])
	}
	b := batch(t, []graph.Graph{g})
	edges := scoreEdges(b, []model.MaskedPath{
		path(1, 1, []int32{0}...), path(1, 0.5, []int32{0, 1}...), path(1, 1, []int32{2, 1, 0}...),
		path(2, 0, []int32{1, 2}...), path(1, 0.6, []int32{5, 4}...),
	})
	want := []model.MaskedEdge{edge(0, 1, 0.75, 1.5), edge(4, 5, 0.6, 0.6), edge(1, 2, 0.5, 1), edge(2, 3, 0, 0)}
	if !slices.Equal(edges, want) {
		t.Fatalf("edges %v, want %v", edges, want)
	}
	if top := TopEdges(edges, 10); !slices.Equal(top, want[:3]) {
		t.Errorf("ten edges: %v, want those with a score", top)
	}
	if top := TopEdges(edges, 2); !slices.Equal(top, want[:2]) {
		t.Errorf("two edges: %v", top)
	}
	if top := TopEdges([]model.MaskedEdge{edge(0, 1, 0.8, 1), edge(1, 2, 0.4, 1), edge(2, 3, 0.3, 1)}, 0); len(top) != 2 {
		t.Errorf("edges of half the highest score: %v", top)
	}
	if part := LargestComponent(want[:3]); !slices.Equal(part, []model.MaskedEdge{want[0], want[2]}) {
		t.Errorf("the largest component is %v", part)
	}
	if part := LargestComponent(nil); part != nil {
		t.Errorf("the largest component of nothing is %v", part)
	}
	if part := LargestComponent(want[:2]); !slices.Equal(part, want[:1]) {
		t.Errorf("of two components of one edge: %v, want that with the higher score", part)
	}
}
