package autodiff

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// golden is a file of kind "supervised" or "training".
type golden struct {
	Kind      string
	Walk      bool
	Pooling   string `json:"global_pooling"`
	Aggregate bool   `json:"aggregation"`
	Graphs    []struct {
		NumNodes int         `json:"num_nodes"`
		Features [][]float64 `json:"features"`
		Edges    [][2]int32  `json:"edges"`
	}
	Layers []struct {
		PathSize int `json:"path_size"`
		Alpha    float64
		Pooling  string
		Weight   [][][]float64
	}
	Representation [][]float64 `json:"graph_representation"`
	TrueMax        [][]float64 `json:"graph_representation_true_max"`

	Supervised json.RawMessage

	Labels     []int32
	Weight     [][]float64 `json:"classifier_weight"`
	Bias       []float64   `json:"classifier_bias"`
	Rate       float64     `json:"lr"`
	Decay      float64     `json:"classifier_weight_decay"`
	Loss       string
	LossBefore []float64        `json:"loss_before_step"`
	LossFinal  float64          `json:"loss_final"`
	Logits     [][]float64      `json:"logits_final"`
	AfterFirst goldenParameters `json:"after_first_step"`
	AfterLast  goldenParameters `json:"after_last_step"`
}

type goldenParameters struct {
	Raw        [][][][]float64 `json:"weight_raw"`
	Normalised [][][][]float64 `json:"weight_normalised"`
	Weight     [][]float64     `json:"classifier_weight"`
	Bias       []float64       `json:"classifier_bias"`
}

// goldenLoss holds the numbers of one loss.
type goldenLoss struct {
	Logits any
	Loss   float64
	Grads  struct {
		Anchors        [][][][]float64 `json:"weight"`
		Weight         [][]float64     `json:"classifier_weight"`
		Bias           []float64       `json:"classifier_bias"`
		Representation [][]float64     `json:"graph_representation"`
	}
	Exact struct {
		Anchors [][][][]float64 `json:"weight"`
	} `json:"grads_exact"`
	Weight [][]float64 `json:"classifier_weight"` // of its own classifier
	Bias   []float64   `json:"classifier_bias"`
}

func (g *golden) graphs(t testing.TB) *graph.Batch {
	var graphs []graph.Graph
	for _, in := range g.Graphs {
		one := graph.Graph{NumVertices: in.NumNodes, AttributeDim: len(in.Features[0])}
		for _, f := range in.Features {
			one.Attributes = append(one.Attributes, f...)
		}
		for _, edge := range in.Edges {
			one.AddArc(edge[0], edge[1])
		}
		graphs = append(graphs, one)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (g *golden) options(t testing.TB, loss Loss, gradient InvSqrtGradient) Options {
	opt := Options{Epsilon: 0.01, Loss: loss, InvSqrtGradient: gradient}
	var err error
	if opt.GlobalPooling, err = engine.ParsePooling(g.Pooling); err != nil {
		t.Fatal(err)
	}
	for _, l := range g.Layers {
		pool, err := engine.ParsePooling(l.Pooling)
		if err != nil {
			t.Fatal(err)
		}
		layer := Layer{Size: l.PathSize, AllLengths: g.Aggregate, Kernel: engine.Kernel{Alpha: l.Alpha}, Pool: pool}
		if g.Walk {
			layer.Route = graph.Walks
		}
		opt.Layers = append(opt.Layers, layer)
	}
	return opt
}

func (g *golden) network(
	t testing.TB, e engine.Engine, dtype tensor.Dtype, opt Options, weight [][]float64, bias []float64,
) *KernelNetwork {
	var p Parameters
	for _, l := range g.Layers {
		p.Anchors = append(p.Anchors, upload(t, e, dtype, flatten(l.Weight), l.PathSize, len(l.Weight[0]),
			len(l.Weight[0][0])))
	}
	p.Weight = upload(t, e, dtype, flatten(weight), len(weight), len(weight[0]))
	p.Bias = upload(t, e, dtype, bias, 1, len(bias))
	net, err := NewKernelNetwork(e, opt, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { net.Release(); e.Release(net.Parameters().List()...) })
	return net
}

// attributes returns the attributes of the vertices as features.
func attributes(t testing.TB, e engine.Engine, dtype tensor.Dtype, b *graph.Batch) Features {
	return Features{Rows: upload(t, e, dtype, b.Attributes, b.NumVertices(), b.AttributeDim)}
}

// TestGoldenGradients compares losses, logits and gradients, the published ones and the true ones.
func TestGoldenGradients(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("supervised"), func(t *testing.T, raw []byte) {
		var g golden
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		var labels struct{ Labels []int32 }
		var shared goldenLoss
		for _, v := range []any{&fields, &labels, &shared} {
			if err := json.Unmarshal(g.Supervised, v); err != nil {
				t.Fatal(err)
			}
		}
		names := map[string]Loss{"cross_entropy": CrossEntropy, "bce_onehot": Logistic, "squared_hinge": SquaredHinge,
			"bce_single": Logistic}
		found := 0
		for name, loss := range names {
			if fields[name] == nil {
				continue
			}
			found++
			var want goldenLoss
			if err := json.Unmarshal(fields[name], &want); err != nil {
				t.Fatal(err)
			}
			if want.Weight == nil {
				want.Weight, want.Bias = shared.Weight, shared.Bias
			}
			for engineName, e := range engines(t) {
				for _, dtype := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
					for _, gradient := range []InvSqrtGradient{Published, Exact} {
						err := g.checkLoss(t, e, dtype, loss, gradient, labels.Labels, &want)
						if err != nil {
							t.Errorf("%s, %s, %v, gradient %d: %v", name, engineName, dtype, gradient, err)
						}
					}
				}
			}
		}
		if found < 3 {
			t.Errorf("%d losses", found)
		}
	})
}

func (g *golden) checkLoss(
	t *testing.T, e engine.Engine, dtype tensor.Dtype, loss Loss, gradient InvSqrtGradient, labels []int32,
	want *goldenLoss,
) error {
	tolerance := 1e-8
	if dtype == tensor.Float32 {
		tolerance = 1e-4
	}
	net := g.network(t, e, dtype, g.options(t, loss, gradient), want.Weight, want.Bias)
	graphs := g.graphs(t)
	b, err := net.Prepare(graphs, attributes(t, e, dtype, graphs), Targets{Classes: labels}, nil)
	if err != nil {
		return err
	}
	if err := net.Step(b); err != nil {
		return err
	}
	got, err := net.Loss()
	if err != nil {
		return err
	}
	if math.Abs(got-want.Loss) > tolerance*math.Abs(want.Loss) {
		return fmt.Errorf("loss %.17g, want %.17g", got, want.Loss)
	}
	representation := g.Representation
	if g.TrueMax != nil {
		representation = g.TrueMax
	}
	if err := closeTo(download(t, net.Representation()), flatten(representation), tolerance); err != nil {
		return fmt.Errorf("representation: %w", err)
	}
	if err := closeTo(download(t, net.Logits()), flatten(want.Logits), tolerance); err != nil {
		return fmt.Errorf("logits: %w", err)
	}
	grads, err := net.Gradients()
	if err != nil {
		return err
	}
	anchors := want.Grads.Anchors
	if gradient == Exact {
		anchors = want.Exact.Anchors
	}
	for l, z := range grads.Anchors {
		if err := closeTo(download(t, z), flatten(anchors[l]), tolerance); err != nil {
			return fmt.Errorf("gradient of the anchors of layer %d: %w", l+1, err)
		}
	}
	if err := closeTo(download(t, grads.Weight), flatten(want.Grads.Weight), tolerance); err != nil {
		return fmt.Errorf("gradient of the weight: %w", err)
	}
	if err := closeTo(download(t, grads.Bias), want.Grads.Bias, tolerance); err != nil {
		return fmt.Errorf("gradient of the bias: %w", err)
	}
	toRepresentation := net.programs[training].value(net.programs[training].representation.Deriv())
	if err := closeTo(download(t, toRepresentation), flatten(want.Grads.Representation), tolerance); err != nil {
		return fmt.Errorf("gradient of the representation: %w", err)
	}
	if err := net.Forward(b); err != nil {
		return err
	}
	if err := closeTo(download(t, net.Logits()), flatten(want.Logits), tolerance); err != nil {
		return fmt.Errorf("logits of Forward: %w", err)
	}
	return nil
}

// TestGoldenTraining follows full-batch Adam steps.
func TestGoldenTraining(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("training"), func(t *testing.T, raw []byte) {
		var g golden
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		loss := map[string]Loss{"cross_entropy": CrossEntropy, "squared_hinge": SquaredHinge, "bce_onehot": Logistic}[g.Loss]
		for name, e := range engines(t) {
			for dtype, tolerance := range map[tensor.Dtype]float64{tensor.Float64: 1e-8, tensor.Float32: 1e-4} {
				if err := g.follow(t, e, dtype, loss, tolerance); err != nil {
					t.Errorf("%s, %v: %v", name, dtype, err)
				}
			}
		}
	})
}

func (g *golden) follow(t *testing.T, e engine.Engine, dtype tensor.Dtype, loss Loss, tolerance float64) error {
	net := g.network(t, e, dtype, g.options(t, loss, Published), g.Weight, g.Bias)
	graphs := g.graphs(t)
	b, err := net.Prepare(graphs, attributes(t, e, dtype, graphs), Targets{Classes: g.Labels}, nil)
	if err != nil {
		return err
	}
	var moments [2][]*tensor.Dense
	for _, p := range net.Parameters().List() {
		for i := range moments {
			moments[i] = append(moments[i], e.New(dtype, p.Shape()...))
		}
	}
	compare := func(what string, want goldenParameters, anchors [][][][]float64) error {
		for l, z := range net.Parameters().Anchors {
			if err := closeTo(download(t, z), flatten(anchors[l]), tolerance); err != nil {
				return fmt.Errorf("%s: anchors of layer %d: %w", what, l+1, err)
			}
		}
		if err := closeTo(download(t, net.Parameters().Weight), flatten(want.Weight), tolerance); err != nil {
			return fmt.Errorf("%s: weight: %w", what, err)
		}
		if err := closeTo(download(t, net.Parameters().Bias), want.Bias, tolerance); err != nil {
			return fmt.Errorf("%s: bias: %w", what, err)
		}
		return nil
	}
	for step, want := range append(g.LossBefore, g.LossFinal) {
		if err := net.Step(b); err != nil {
			return err
		}
		got, err := net.Loss()
		if err != nil {
			return err
		}
		if math.Abs(got-want) > tolerance*math.Abs(want) {
			return fmt.Errorf("step %d: loss %.12g, want %.12g", step, got, want)
		}
		if step == len(g.LossBefore) {
			break
		}
		grads, err := net.Gradients()
		if err != nil {
			return err
		}
		gradients := grads.List()
		var states []engine.AdamState
		for i, p := range net.Parameters().List() {
			of := engine.AdamState{Parameter: p, Moment1: moments[0][i], Moment2: moments[1][i], Gradient: gradients[i]}
			if i >= len(grads.Anchors) {
				of.Decay = g.Decay
			}
			states = append(states, of)
		}
		adam := engine.Adam{Rate: g.Rate, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: step + 1}
		if err := e.Adam(states, adam); err != nil {
			return err
		}
		if step == 0 {
			if err := compare("after the first step", g.AfterFirst, g.AfterFirst.Raw); err != nil {
				return err
			}
		}
	}
	if err := closeTo(download(t, net.Logits()), flatten(g.Logits), tolerance); err != nil {
		return fmt.Errorf("logits: %w", err)
	}
	return compare("after the last step", g.AfterLast, g.AfterLast.Normalised)
}

// engines returns the engines that the tests run on.
func engines(t testing.TB) map[string]engine.Engine {
	return map[string]engine.Engine{"reference": engine.Reference{}, "tested": enginetest.Open(t, 2)}
}

// upload returns a tensor with the given numbers on an engine.
func upload(t testing.TB, e engine.Engine, dtype tensor.Dtype, values []float64, shape ...int) *tensor.Dense {
	t.Helper()
	out := e.New(dtype, shape...)
	if err := e.Convert(out, tensor.New(tensor.WithShape(shape...),
		tensor.WithBacking(slices.Clone(values)))); err != nil {
		t.Fatal(err)
	}
	return out
}

// download returns the numbers of a tensor.
func download(t testing.TB, x *tensor.Dense) []float64 {
	t.Helper()
	x, err := engine.ToHost(x)
	if err != nil {
		t.Fatal(err)
	}
	out := engine.Reference{}.New(tensor.Float64, x.Shape()...)
	if err := (engine.Reference{}).Convert(out, x); err != nil {
		t.Fatal(err)
	}
	return out.Float64s()
}

// flatten lists the numbers of nested slices.
func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []float64:
		return v
	case []any:
		return join(v)
	case [][]float64:
		return join(v)
	case [][][]float64:
		return join(v)
	}
	panic(fmt.Sprintf("flatten %T", v))
}

func join[T any](parts []T) []float64 {
	var all []float64
	for _, p := range parts {
		all = append(all, flatten(p)...)
	}
	return all
}

// closeTo wants the largest difference to be at most tolerance times the largest magnitude wanted.
func closeTo(got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tolerance*largest) {
			return fmt.Errorf("number %d is %.17g, want %.17g (difference %.2g of the largest)", i, got[i], w, d/largest)
		}
	}
	return nil
}
