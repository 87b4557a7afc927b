package gckn

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// attributed returns small random graphs whose vertices have d attributes of all sizes.
func attributed(t *testing.T, n, d int, seed uint64) []graph.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	graphs := molecules(t, n, seed)
	for i := range graphs {
		g := &graphs[i]
		g.Labels, g.AttributeDim = nil, d
		for range g.NumVertices {
			size := math.Exp(rng.NormFloat64())
			for range d {
				g.Attributes = append(g.Attributes, size*rng.NormFloat64())
			}
		}
	}
	return graphs
}

// The golden values are those of testdata/whole_paths.py, which follows the definition.
func TestWholePathsAsDefinedElsewhere(t *testing.T) {
	raw, err := os.ReadFile("testdata/whole_paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name            string
		Walk, All, Sum  bool
		Local, Global   Pooling
		Sigmas          []float64
		Edges           [][2]int32
		Attributes      [][]float64
		Anchors         [][][][]float64
		Representations []float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		g := graph.Graph{NumVertices: len(c.Attributes), AttributeDim: len(c.Attributes[0])}
		g.Attributes = slices.Concat(c.Attributes...)
		for _, edge := range c.Edges {
			g.AddArc(edge[0], edge[1])
		}
		opt := Options{AllLengths: c.All, Walk: c.Walk, SumExponent: c.Sum, GlobalPooling: c.Global, Epsilon: 0.01,
			MaxLambda: 1, Samples: 1, Double: true, PathNorms: true}
		var anchors []*tensor.Dense
		for l, z := range c.Anchors {
			p, q, d := len(z), len(z[0]), len(z[0][0])
			opt.Layers = append(opt.Layers, LayerOptions{PathSize: p, Filters: q, Sigma: c.Sigmas[l], Pooling: c.Local})
			anchors = append(anchors, tensor.New(tensor.WithShape(p, q, d), tensor.WithBacking(flatten(z))))
		}
		for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "cpu": enginetest.Open(t, 2)} {
			m, err := New(e, train.Input{Attributes: g.AttributeDim}, opt, anchors)
			if err != nil {
				t.Fatal(err)
			}
			if err := closeTo(represent(t, m, batch(t, []graph.Graph{g})), c.Representations, 1e-8); err != nil {
				t.Errorf("%s, %s: %v", c.Name, name, err)
			}
		}
	}
}

// wholeKernels pools the kernel values of the paths of so many vertices from v with all anchors, by the definition.
func wholeKernels(b *graph.Batch, v int32, size int, alpha float64, anchors [][]float64) []float64 {
	out := make([]float64, len(anchors))
	b.VisitPaths(v, size, func(path []int32) {
		if len(path) != size {
			return
		}
		var x []float64
		for _, u := range path {
			x = append(x, b.Attribute(u)...)
		}
		length := norm(x)
		for f, z := range anchors {
			out[f] += length / math.Sqrt(float64(size)) * math.Exp(alpha*(dot(x, z[:len(x)])/length/norm(z[:len(x)])-1))
		}
	})
	return out
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

// Anchors are unit vectors as a whole, and the representation, multiplied by the root of the kernel matrix of the
// anchors, is the sum of the kernel values of all paths.
func TestRepresentationOfWholePaths(t *testing.T) {
	b, opt := batch(t, attributed(t, 12, 3, 4)), options(t, "gckn-path")
	opt.PathNorms, opt.Rule, opt.Epsilon, opt.Layers[0].Filters = true, engine.InsideRoot, 1e-3, 5
	for _, double := range []bool{true, false} {
		opt.Double = double
		tolerance := 1e-10
		if !double {
			tolerance = 2e-4
		}
		e := enginetest.Open(t, 2)
		m := fit(t, e, b, opt)
		p, q, d := 3, 5, 3
		z, anchors := float64s(e, m.Anchors(0)), make([][]float64, q)
		for f := range anchors {
			for j := range p {
				anchors[f] = append(anchors[f], z[(j*q+f)*d:][:d]...)
			}
			if length := norm(anchors[f]); math.Abs(length-1) > 1e-6 {
				t.Errorf("anchor %d has length %g", f, length)
			}
		}
		alpha, x := 1/(0.7*0.7), represent(t, m, b)
		roots := float64s(e, m.layers[0].invSqrt)
		for g := range b.NumGraphs() {
			for i := range p {
				kappa := make([]float64, q)
				for v := b.Offsets[g]; v < b.Offsets[g+1]; v++ {
					for f, k := range wholeKernels(b, v, i+1, alpha, anchors) {
						kappa[f] += k
					}
				}
				var got, want []float64
				for f := range q {
					got = append(got, x[g*q*p+f*p+i])
					want = append(want, dot(kappa, roots[(i*q+f)*q:][:q]))
				}
				if err := closeTo(got, want, tolerance); err != nil {
					t.Errorf("graph %d, %d vertices: %v", g, i+1, err)
				}
			}
		}
	}
}

// A model of whole paths does not depend on how graphs are cut into runs, on workers or on its way through a file.
func TestWholePathsInRuns(t *testing.T) {
	b, opt := batch(t, attributed(t, 40, 3, 5)), options(t, "gckn-3layer")
	opt.PathNorms, opt.Double = true, false
	m := fit(t, enginetest.Open(t, 2), b, opt)
	want := represent(t, m, b)
	for _, workers := range []int{1, 3} {
		other := fit(t, enginetest.Open(t, workers), b, opt)
		for g := range b.NumGraphs() {
			got := represent(t, other, b.Slice(g, g+1))
			if !slices.Equal(got, want[g*opt.Dim():(g+1)*opt.Dim()]) {
				t.Fatalf("%d workers: graph %d has other bits by itself", workers, g)
			}
		}
	}
	if limit := m.runWhole(b, 1<<20); limit < 1 || limit >= m.runVertices(1<<20) {
		t.Errorf("%d vertices in a megabyte, %d without paths", limit, m.runVertices(1<<20))
	}
	if got := represent(t, restored(t, m), b); !slices.Equal(got, want) {
		t.Error("a model from its file has other bits")
	}
}

// A training of whole paths lowers its loss, and its model is read again.
func TestTrainingOfWholePaths(t *testing.T) {
	graphs := attributed(t, 40, 3, 6)
	training := small(t, graphs, classesOf(len(graphs)))
	training.Options = TunedSupervised(options(t, "gckn-subtree"))
	training.Options.Network.PathNorms, training.Options.Epochs = true, 5
	s, b := supervise(t, enginetest.Open(t, 1), training), batch(t, graphs)
	first, last := s.Records[1].Loss, s.Records[5].Loss
	if !(last < first) {
		t.Errorf("loss %g after five epochs, %g in the first", last, first)
	}
	if got, want := represent(t, restored(t, s.Model), b), represent(t, s.Model, b); !slices.Equal(got, want) {
		t.Error("a trained model from its file has other bits")
	}
}

// What does not go with whole paths is refused in one line.
func TestWholePathsRefuse(t *testing.T) {
	opt := options(t, "gckn-path")
	opt.PathNorms, opt.Layers[0].Pooling = true, GeneralizedMax
	if err := opt.Check(); err == nil || !strings.Contains(err.Error(), "norms of whole paths") {
		t.Errorf("generalised max pooling: %v", err)
	}
	opt.Layers[0].Pooling = Sum
	b := batch(t, attributed(t, 3, 2, 7))
	m := fit(t, enginetest.Open(t, 1), b, opt)
	n, err := m.network(tensor.Float64, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := samplingFeatures(m.engine, tensor.Float64, m.input, b)
	if err != nil {
		t.Fatal(err)
	}
	of := autodiff.Sampling{FanOut: []int{1, 1}, Draw: opt.drawOf(0)}
	if _, err := n.PrepareSampled(b.Sampler(), of, f, autodiff.Targets{}, []int32{0}); err == nil ||
		!strings.Contains(err.Error(), "no samples") {
		t.Errorf("samples: %v", err)
	}
}
