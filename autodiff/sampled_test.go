package autodiff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// hub returns a graph of 14 vertices of three labels, one of which has many neighbours.
func hub(t testing.TB) *graph.Batch {
	t.Helper()
	rng, g := rand.New(rand.NewPCG(4, 4)), graph.Graph{NumVertices: 14}
	for v := range g.NumVertices {
		g.Labels = append(g.Labels, int32(v%3))
		if v > 0 && v != 9 {
			g.AddArc(0, int32(v))
		}
		g.AddArc(int32(v), rng.Int32N(14))
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sampledInputs returns features of the vertices of b as [KernelNetwork.Prepare] takes them and as samples do.
func sampledInputs(t testing.TB, e engine.Engine, b *graph.Batch) map[string][2]Features {
	t.Helper()
	shape := []int{b.NumVertices(), 3}
	values := normal(77, shape[0]*3)
	clear(values[12:15]) // a vertex of norm 0
	raw := Features{Rows: upload(t, e, tensor.Float64, values, shape...)}
	unit := Features{Rows: e.New(tensor.Float64, shape...), Norms: e.New(tensor.Float64, shape[0]), Unit: true}
	if err := e.NormalizeRows(unit.Rows, unit.Norms, raw.Rows, NormEps); err != nil {
		t.Fatal(err)
	}
	of := labels(t, e, tensor.Float64, b)
	return map[string][2]Features{"attributes": {raw, unit}, "labels": {of, of}}
}

// With a fan-out that covers all degrees samples give loss, logits and gradients of all paths.
func TestSamplesOfAllPathsChangeNothing(t *testing.T) {
	for name, opt := range map[string]Options{
		"path":                    {Layers: layers(true, graph.Paths, engine.Sum, 3)},
		"last length":             {Layers: layers(false, graph.Paths, engine.Sum, 3)},
		"walks, mean":             {Layers: layers(true, graph.Walks, engine.Mean, 3, 1)},
		"three layers":            {Layers: layers(true, graph.Paths, engine.Sum, 3, 2, 1), Rule: engine.InsideRoot},
		"three layers, mean":      {Layers: layers(true, graph.Paths, engine.Mean, 2, 3, 1), GlobalPooling: engine.Mean},
		"two layers, max":         {Layers: layers(true, graph.Paths, engine.Max, 2, 2), GlobalPooling: engine.Max},
		"one vertex, then a path": {Layers: layers(true, graph.Paths, engine.Sum, 1, 3)},
	} {
		for _, sum := range []bool{false, true} {
			e, b := enginetest.Open(t, 2), hub(t)
			opt.Loss, opt.Epsilon, opt.InvSqrtGradient = CrossEntropy, 0.1, Exact
			opt.Layers = slices.Clone(opt.Layers)
			for l := range opt.Layers {
				opt.Layers[l].Kernel.SumExponent = sum
			}
			n := example(t, e, tensor.Float64, opt, 2)
			for input, f := range sampledInputs(t, e, b) {
				vertices, targets := []int32{8, 2, 0, 5}, Targets{Classes: []int32{1, 0, 1, 0}}
				exact, err := n.Prepare(b, f[0], targets, vertices)
				if err != nil {
					t.Fatal(err)
				}
				of := Sampling{FanOut: slices.Repeat([]int{99}, opt.hops())}
				all, err := n.PrepareSampled(b.Sampler(), of, f[1], targets, vertices)
				if err != nil {
					t.Fatal(err)
				}
				if err := closeTo(numbers(t, n, all), numbers(t, n, exact), 1e-10); err != nil {
					t.Errorf("%s, %s, sum of exponents %v: %v", name, input, sum, err)
				}
				all.Release(e)
				exact.Release(e)
			}
		}
	}
}

// The gradients of a sample are those of its loss.
func TestSampledGradients(t *testing.T) {
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		e, b := enginetest.Open(t, 1), hub(t)
		n := example(t, e, tensor.Float64, Options{Layers: layers(true, graph.Paths, pool, 3, 2, 1), Loss: CrossEntropy,
			Epsilon: 0.1, InvSqrtGradient: Exact, asGiven: true}, 2)
		for input, f := range sampledInputs(t, e, b) {
			of := Sampling{FanOut: []int{2, 3, 2}, Draw: graph.NewDraw(3)}
			batch, err := n.PrepareSampled(b.Sampler(), of, f[1], Targets{Classes: []int32{1, 0, 1}}, []int32{0, 7, 3})
			if err != nil {
				t.Fatal(err)
			}
			loss := func() float64 { return numbers(t, n, batch)[0] }
			loss()
			grads, err := n.Gradients()
			if err != nil {
				t.Fatal(err)
			}
			var got [][]float64
			for _, g := range grads.List() {
				got = append(got, slices.Clone(download(t, g)))
			}
			for i, p := range n.Parameters().List() {
				if err := closeTo(got[i], central(t, e, p, loss), 1e-6); err != nil {
					t.Errorf("%v, %s, parameter %d: %v", pool, input, i, err)
				}
			}
		}
	}
}

// The mean of what a layer that sums computes from samples is what it computes from all paths.
func TestSampledRepresentationsAreUnbiased(t *testing.T) {
	e, b := enginetest.Open(t, 1), hub(t)
	n := example(t, e, tensor.Float64, Options{Layers: layers(true, graph.Paths, engine.Sum, 3), Loss: CrossEntropy,
		Epsilon: 0.1}, 2)
	vertices, f := []int32{0, 5, 9}, sampledInputs(t, e, b)["attributes"]
	represent := func(batch *Batch, err error) []float64 {
		if err != nil {
			t.Fatal(err)
		}
		defer batch.Release(e)
		if err := n.Forward(batch); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(download(t, n.Representation()))
	}
	exact := represent(n.Prepare(b, f[0], Targets{}, vertices))
	const draws = 6000
	sum, squares, sampler := make([]float64, len(exact)), make([]float64, len(exact)), b.Sampler()
	for seed := range uint64(draws) {
		of := Sampling{FanOut: []int{3, 2}, Draw: graph.NewDraw(seed)}
		for i, x := range represent(n.PrepareSampled(sampler, of, f[1], Targets{}, vertices)) {
			sum[i], squares[i] = sum[i]+x, squares[i]+x*x
		}
	}
	for i, want := range exact {
		mean := sum[i] / draws
		deviation := math.Sqrt(math.Max(squares[i]/draws-mean*mean, 0)/draws) + 1e-9
		if math.Abs(mean-want) > 4.5*deviation {
			t.Errorf("number %d: mean %g +- %g, want %g", i, mean, deviation, want)
		}
	}
}

// What cannot be sampled is refused.
func TestSampledErrors(t *testing.T) {
	e, b := enginetest.Open(t, 1), hub(t)
	for want, change := range map[string]func(o *Options, f *Features, of *Sampling){
		"wants unit rows": func(_ *Options, f *Features, _ *Sampling) { f.Unit = false },
		"fan-outs of 1":   func(_ *Options, _ *Features, of *Sampling) { of.FanOut = of.FanOut[1:] },
		"the network wants 3": func(_ *Options, f *Features, _ *Sampling) {
			f.Rows = upload(t, e, tensor.Float64, normal(1, 4), 2, 2)
		},
		"generalised max":        func(o *Options, _ *Features, _ *Sampling) { o.Layers[0].Ridge = 1 },
		"neither paths nor walk": func(o *Options, _ *Features, _ *Sampling) { o.Layers[0].Route = graph.NonBacktracking },
		"have no norms":          func(_ *Options, f *Features, _ *Sampling) { f.Norms = f.Rows },
	} {
		opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3), Loss: CrossEntropy, Epsilon: 0.1}
		f, of := labels(t, e, tensor.Float64, b), Sampling{FanOut: []int{2, 2}}
		change(&opt, &f, &of)
		n := example(t, e, tensor.Float64, opt, 2)
		if _, err := n.PrepareSampled(b.Sampler(), of, f, Targets{}, []int32{1}); err == nil ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
