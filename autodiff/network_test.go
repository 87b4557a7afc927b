package autodiff

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// example is a network over three labels with random parameters.
func example(t testing.TB, e engine.Engine, dtype tensor.Dtype, opt Options, outputs int) *KernelNetwork {
	t.Helper()
	var p Parameters
	d := 3
	for l, layer := range opt.Layers {
		z := upload(t, e, dtype, normal(uint64(l+1), layer.Size*2*d), layer.Size, 2, d)
		flat := engine.View(z, 0, layer.Size*2, d)
		if err := e.NormalizeRows(flat, nil, flat, NormEps); err != nil {
			t.Fatal(err)
		}
		p.Anchors, d = append(p.Anchors, z), 2
	}
	width := opt.width(p.Anchors)
	p.Weight, p.Bias = upload(t, e, dtype, normal(11, outputs*width), outputs, width),
		upload(t, e, dtype, normal(12, outputs), 1, outputs)
	n, err := NewKernelNetwork(e, opt, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Release(); e.Release(n.Parameters().List()...) })
	return n
}

// labels returns the labels of the vertices as features.
func labels(t testing.TB, e engine.Engine, dtype tensor.Dtype, b *graph.Batch) Features {
	return Features{Rows: upload(t, e, dtype, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3), Index: b.Labels, Unit: true}
}

// oneHot returns the labels of the vertices as attributes.
func oneHot(t testing.TB, e engine.Engine, dtype tensor.Dtype, b *graph.Batch) Features {
	values := make([]float64, 3*b.NumVertices())
	for v, l := range b.Labels {
		values[3*v+int(l)] = 1
	}
	return Features{Rows: upload(t, e, dtype, values, b.NumVertices(), 3)}
}

func layers(all bool, route graph.Route, pool engine.Pooling, sizes ...int) []Layer {
	var out []Layer
	for _, size := range sizes {
		out = append(out, Layer{Size: size, AllLengths: all, Route: route, Pool: pool, Kernel: engine.Kernel{Alpha: 1.2}})
	}
	return out
}

// withRidge makes layers of paths pool by generalised maxima.
func withRidge(layers []Layer, ridge float64) []Layer {
	for l := range layers {
		if layers[l].Size > 1 {
			layers[l].Ridge = ridge
		}
	}
	return layers
}

// withPathNorms gives layers the norms of whole paths.
func withPathNorms(layers []Layer) []Layer {
	for l := range layers {
		layers[l].PathNorms = true
	}
	return layers
}

// TestNetworkGradients compares every gradient of whole networks with central differences of the loss.
func TestNetworkGradients(t *testing.T) {
	type kind struct {
		opt     Options
		outputs int
	}
	kinds := map[string]kind{
		"path, hinge": {Options{Layers: layers(true, graph.Paths, engine.Sum, 3), Loss: SquaredHinge, asGiven: true}, 2},
		"subtree":     {Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, asGiven: true}, 3},
		"three layers, mean": {Options{Layers: layers(true, graph.Paths, engine.Mean, 2, 3, 1), Loss: Logistic,
			asGiven: true, GlobalPooling: engine.Mean, Rule: engine.InsideRoot}, 2},
		"three layers, max": {Options{Layers: layers(false, graph.Paths, engine.Max, 2, 2, 1), Loss: CrossEntropy,
			asGiven: true}, 2},
		"global max": {Options{Layers: layers(true, graph.NonBacktracking, engine.Sum, 3, 2), Loss: CrossEntropy,
			asGiven: true, GlobalPooling: engine.Max}, 2},
		"whole paths": {Options{Layers: withPathNorms(layers(true, graph.Paths, engine.Sum, 3, 2, 1)), Loss: CrossEntropy,
			asGiven: true}, 2},
		"generalised maxima": {Options{Layers: withRidge(layers(true, graph.Paths, engine.Sum, 3, 2, 1), 0.5),
			Loss: CrossEntropy, asGiven: true, Ridge: 1}, 2},
		"walks, single output": {Options{Layers: layers(true, graph.Walks, engine.Sum, 3, 1), Loss: Logistic,
			asGiven: true}, 1},
	}
	for name, k := range kinds {
		for _, input := range []string{"labels", "attributes"} {
			for _, items := range []string{"graphs", "vertices"} {
				t.Run(fmt.Sprint(name, ", ", input, ", ", items), func(t *testing.T) {
					e, b := enginetest.Open(t, 2), rings(t)
					k.opt.Epsilon, k.opt.InvSqrtGradient = 0.1, Exact
					n := example(t, e, tensor.Float64, k.opt, k.outputs)
					features := labels(t, e, tensor.Float64, b)
					if input == "attributes" {
						features = Features{Rows: upload(t, e, tensor.Float64, normal(77, 3*b.NumVertices()), b.NumVertices(), 3)}
					}
					classes, vertices := []int32{0, 1, 1}, []int32(nil)
					if items == "vertices" {
						classes, vertices = []int32{1, 0, 1, 0}, []int32{8, 2, 4, 0}
					}
					batch, err := n.Prepare(b, features, Targets{Classes: classes}, vertices)
					if err != nil {
						t.Fatal(err)
					}
					if err := n.Step(batch); err != nil {
						t.Fatal(err)
					}
					grads, err := n.Gradients()
					if err != nil {
						t.Fatal(err)
					}
					var got [][]float64
					for _, g := range grads.List() {
						got = append(got, slices.Clone(download(t, g)))
					}
					loss := func() float64 {
						if err := n.Step(batch); err != nil {
							t.Fatal(err)
						}
						l, err := n.Loss()
						if err != nil {
							t.Fatal(err)
						}
						return l
					}
					for i, p := range n.Parameters().List() {
						if err := closeTo(got[i], central(t, e, p, loss), 1e-6); err != nil {
							t.Errorf("parameter %d: %v", i, err)
						}
					}
				})
			}
		}
	}
}

// numbers returns the loss, the logits and all gradients of a step.
func numbers(t testing.TB, n *KernelNetwork, b *Batch) []float64 {
	t.Helper()
	if err := n.Step(b); err != nil {
		t.Fatal(err)
	}
	loss, err := n.Loss()
	if err != nil {
		t.Fatal(err)
	}
	all := append([]float64{loss}, download(t, n.Logits())...)
	grads, err := n.Gradients()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grads.List() {
		all = append(all, download(t, g)...)
	}
	return all
}

func prepare(t testing.TB, n *KernelNetwork, b *graph.Batch, f Features) *Batch {
	t.Helper()
	classes := make([]int32, b.NumGraphs())
	for i := range classes {
		classes[i] = int32(i % 2)
	}
	out, err := n.Prepare(b, f, Targets{Classes: classes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Labels that share rows give what the same labels as attributes give, in every layer.
func TestSharedRowsChangeNothing(t *testing.T) {
	for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
		for _, global := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			e, b := enginetest.Open(t, 1), rings(t)
			n := example(t, e, tensor.Float64, Options{Layers: layers(true, route, engine.Mean, 3, 2), Loss: CrossEntropy,
				Epsilon: 0.01, GlobalPooling: global}, 2)
			shared := numbers(t, n, prepare(t, n, b, labels(t, e, tensor.Float64, b)))
			apart := numbers(t, n, prepare(t, n, b, oneHot(t, e, tensor.Float64, b)))
			if err := closeTo(shared, apart, 1e-11); err != nil {
				t.Errorf("%v, %v: %v", route, global, err)
			}
			if route == graph.NonBacktracking {
				continue
			}
			known := labels(t, e, tensor.Float64, b)
			known.Classes = b.PathClasses(b.Labels, nil, 3, true, route == graph.Walks, 1).Class
			for _, classes := range known.Classes { // any numbers do
				for v := range classes {
					classes[v] = classes[v]*65536 + 7
				}
			}
			if got := numbers(t, n, prepare(t, n, b, known)); closeTo(got, shared, 1e-13) != nil {
				t.Errorf("%v, %v: classes known before: %v, want %v", route, global, got, shared)
			}
		}
	}
}

// One compiled network runs batches of any size, in any order, with the bits of a fresh one; so does one with
// another number of workers.
func TestStepsHaveNoMemory(t *testing.T) {
	whole := rings(t)
	batches := []*graph.Batch{whole, whole.Select([]int{2}), whole.Select([]int{1}), whole.Select([]int{0, 1, 2, 0, 2, 2}),
		whole.Select([]int{1, 0}), whole}
	for _, global := range []engine.Pooling{engine.Sum, engine.Max} {
		opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, Epsilon: 0.01,
			GlobalPooling: global, asGiven: true}
		e := enginetest.Open(t, 1)
		used := example(t, e, tensor.Float32, opt, 2)
		for i, b := range batches {
			got := numbers(t, used, prepare(t, used, b, labels(t, e, tensor.Float32, b)))
			for workers := 1; workers <= 3; workers += 2 {
				e := enginetest.Open(t, workers)
				fresh := example(t, e, tensor.Float32, opt, 2)
				if want := numbers(t, fresh, prepare(t, fresh, b, labels(t, e, tensor.Float32, b))); !slices.Equal(got, want) {
					t.Errorf("batch %d, %d workers: %v, want %v", i, workers, got, want)
				}
			}
		}
	}
}

// Anchors get unit rows at the start of a run, in their own memory; otherwise they are left alone.
func TestAnchorNorms(t *testing.T) {
	for _, asGiven := range []bool{false, true} {
		e, b := enginetest.Open(t, 1), rings(t)
		n := example(t, e, tensor.Float64, Options{Layers: layers(true, graph.Paths, engine.Sum, 2), Loss: CrossEntropy,
			Epsilon: 0.01, asGiven: asGiven}, 2)
		z := n.Parameters().Anchors[0]
		unit := slices.Clone(download(t, z))
		double := slices.Clone(unit)
		for i := range double {
			double[i] *= 2
		}
		plain := numbers(t, n, prepare(t, n, b, labels(t, e, tensor.Float64, b)))
		if err := e.Convert(z, tensor.New(tensor.WithShape(z.Shape()...),
			tensor.WithBacking(slices.Clone(double)))); err != nil {
			t.Fatal(err)
		}
		longer := numbers(t, n, prepare(t, n, b, labels(t, e, tensor.Float64, b)))
		want := unit
		if asGiven {
			want = double
		}
		if err := closeTo(download(t, z), want, 1e-15); err != nil {
			t.Errorf("as given %t: %v", asGiven, err)
		}
		if same := math.Abs(plain[0]-longer[0]) < 1e-12; same == asGiven {
			t.Errorf("as given %t: loss %g with unit rows, %g with rows of length 2", asGiven, plain[0], longer[0])
		}
	}
}

// What does not fit is an error of one line that says what is wanted.
func TestErrors(t *testing.T) {
	e, b := enginetest.Open(t, 1), rings(t)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 2), Loss: CrossEntropy, Epsilon: 0.01}
	n := example(t, e, tensor.Float64, opt, 2)
	f := labels(t, e, tensor.Float64, b)
	if _, err := n.Loss(); err == nil {
		t.Error("a loss before the first step")
	}
	if _, err := n.Gradients(); err == nil {
		t.Error("gradients before the first step")
	}
	unaimed, err := n.Prepare(b, f, Targets{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Forward(unaimed); err != nil {
		t.Errorf("forward without targets: %v", err)
	}
	hinge := opt
	hinge.Loss = SquaredHinge
	other := example(t, e, tensor.Float64, hinge, 2)
	for want, err := range map[string]error{
		"prepare it with targets":             n.Step(unaimed),
		"prepared for the squared-hinge loss": n.Step(prepare(t, other, b, f)),
		"classes of 2 items for 3":            prepareError(n, b, f, Targets{Classes: []int32{0, 1}}),
		"add up to 0": prepareError(n, b, f,
			Targets{Classes: []int32{0, 1, 1}, Weights: []float64{0, 0, 0}}),
		"features of 2 vertices, the graphs have 10": prepareError(n, b,
			Features{Rows: f.Rows, Index: []int32{0, 1}, Unit: true}, Targets{}),
		"the network wants 3 columns": prepareError(n, b, Features{Rows: upload(t, e, tensor.Float64, normal(1, 40), 10, 4)},
			Targets{}),
		"convert them":       prepareError(n, b, labels(t, e, tensor.Float32, b), Targets{}),
		"item 2 has class 2": prepareError(other, b, f, Targets{Classes: []int32{0, 1, 2}}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with: %s", err, want)
		}
	}
	// A failed step leaves nothing to read, and the next one works.
	if n.Logits() != nil {
		t.Error("logits of a failed step")
	}
	numbers(t, n, prepare(t, n, b, f))
	p := n.Parameters()
	p.Weight = upload(t, e, tensor.Float64, normal(1, 6), 2, 3)
	if _, err := NewKernelNetwork(e, opt, p); err == nil {
		t.Error("a classifier of another width")
	}
}

func prepareError(n *KernelNetwork, b *graph.Batch, f Features, targets Targets) error {
	_, err := n.Prepare(b, f, targets, nil)
	return err
}

// Graphs without vertices have a representation of zeros, and batches without graphs no loss.
func TestEmptyGraphs(t *testing.T) {
	for _, global := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		e := enginetest.Open(t, 1)
		opt := Options{Layers: layers(true, graph.Paths, engine.Mean, 3, 2), Loss: CrossEntropy, Epsilon: 0.01,
			GlobalPooling: global}
		n := example(t, e, tensor.Float64, opt, 2)
		empty := &graph.Batch{Offsets: []int32{0, 0, 0}, RowPtr: []int32{0}, Labels: []int32{}}
		b := prepare(t, n, empty, labels(t, e, tensor.Float64, empty))
		got := numbers(t, n, b)
		if math.IsNaN(got[0]) || slices.ContainsFunc(download(t, n.Representation()),
			func(v float64) bool { return v != 0 }) {
			t.Errorf("%v: %v, representation %v", global, got, download(t, n.Representation()))
		}
		none := &graph.Batch{Offsets: []int32{0}, RowPtr: []int32{0}, Labels: []int32{}}
		got = numbers(t, n, prepare(t, n, none, labels(t, e, tensor.Float64, none)))
		if slices.ContainsFunc(got, math.IsNaN) {
			t.Errorf("%v, no graphs: %v", global, got)
		}
		numbers(t, n, prepare(t, n, rings(t), labels(t, e, tensor.Float64, rings(t))))
	}
}

// Networks of several goroutines do not disturb each other.
func TestNetworksSideBySide(t *testing.T) {
	e, b := enginetest.Open(t, 1), rings(t)
	opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, Epsilon: 0.01, asGiven: true}
	var nets []*KernelNetwork
	var batches []*Batch
	for range 4 {
		n := example(t, e, tensor.Float64, opt, 2)
		nets, batches = append(nets, n), append(batches, prepare(t, n, b, labels(t, e, tensor.Float64, b)))
	}
	got := make([][]float64, len(nets))
	var wg sync.WaitGroup
	for i, n := range nets {
		wg.Go(func() {
			for range 3 {
				got[i] = numbers(t, n, batches[i])
			}
		})
	}
	wg.Wait()
	for i := range got {
		if !slices.Equal(got[i], got[0]) {
			t.Errorf("network %d: %v, want %v", i, got[i], got[0])
		}
	}
}
