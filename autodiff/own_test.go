package autodiff

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// sums is a network of two layers over three labels: sums over neighbours, linear layers with batch normalisation, all
// layers pooled.
func sums(t testing.TB, e engine.Engine, dtype tensor.Dtype, pool engine.Pooling, rate float64) *Network {
	t.Helper()
	d := Definition{Loss: CrossEntropy, Seed: 3}
	add := func(name string, shape ...int) {
		seed := uint64(len(d.Parameters) + 21)
		values := normal(seed, tensor.Shape(shape).TotalSize())
		d.Parameters = append(d.Parameters, Parameter{Name: name, Value: upload(t, e, dtype, values, shape...)})
	}
	norms := make([]engine.BatchNorm, 2)
	width := 3
	for l := range norms {
		add(fmt.Sprint("weight ", l), 4, width)
		add(fmt.Sprint("scale ", l), 1, 4)
		add(fmt.Sprint("shift ", l), 1, 4)
		mean, variance := upload(t, e, dtype, make([]float64, 4), 1, 4), upload(t, e, dtype, []float64{1, 1, 1, 1}, 1, 4)
		norms[l] = engine.BatchNorm{Mean: mean, Variance: variance, Momentum: 0.1, Epsilon: 1e-5, Rectify: l == 0}
		d.State = append(d.State, mean, variance)
		width = 4
	}
	add("weight", 2, 8)
	add("bias", 1, 2)
	d.Build = func(g *Graph, p []*G.Node) (logits, representation *G.Node) {
		var layers []*G.Node
		x := g.Vertices(3)
		for l, norm := range norms {
			x = g.Linear(g.Neighbours(x, SumWithSelf), p[3*l], nil)
			x = g.BatchNorm(x, p[3*l+1], p[3*l+2], norm)
			layers = append(layers, x)
		}
		items := g.Dropout(g.Items(pool, layers...), rate)
		return g.Linear(items, p[6], p[7]), items
	}
	return own(t, e, d)
}

// convolutions is a network of two layers over three labels with the renormalised adjacency.
func convolutions(t testing.TB, e engine.Engine, dtype tensor.Dtype, shared bool) *Network {
	t.Helper()
	d := Definition{Loss: CrossEntropy, Shared: shared}
	for i, shape := range [][]int{{4, 3}, {1, 4}, {2, 4}, {1, 2}} {
		value := upload(t, e, dtype, normal(uint64(i+31), shape[0]*shape[1]), shape...)
		d.Parameters = append(d.Parameters, Parameter{fmt.Sprint("parameter ", i), value, i < 2})
	}
	d.Build = func(g *Graph, p []*G.Node) (logits, representation *G.Node) {
		x := g.ReLU(g.Neighbours(g.Linear(g.Vertices(3), p[0], nil), SymmetricWithSelf), p[1])
		x = g.Items(engine.Sum, g.Neighbours(x, SymmetricWithSelf))
		return g.Linear(x, p[2], p[3]), x
	}
	return own(t, e, d)
}

func own(t testing.TB, e engine.Engine, d Definition) *Network {
	t.Helper()
	n, err := New(e, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Release(); e.Release(n.tensors()...) })
	return n
}

func layOut(t testing.TB, n *Network, b *graph.Batch, f Features, targets Targets, vertices []int32) *Batch {
	t.Helper()
	out, err := n.Layout(b, f, targets, vertices)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Release(n.engine) })
	return out
}

// TestOwnNetworkGradients compares every gradient with central differences of the loss, for labels and for rows of
// vertices.
func TestOwnNetworkGradients(t *testing.T) {
	e, b := enginetest.Open(t, 2), rings(t)
	networks := map[string]*Network{
		"convolutions":                    convolutions(t, e, tensor.Float64, false),
		"convolutions of shared features": convolutions(t, e, tensor.Float64, true),
	}
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		networks["sums, "+pool.String()] = sums(t, e, tensor.Float64, pool, 0.3)
	}
	for name, n := range networks {
		for input, f := range map[string]Features{
			"labels": labels(t, e, tensor.Float64, b), "attributes": oneHot(t, e, tensor.Float64, b),
		} {
			for _, vertices := range [][]int32{nil, {8, 2, 4, 0}} {
				t.Run(fmt.Sprint(name, ", ", input, " ", len(vertices)), func(t *testing.T) {
					targets := Targets{Classes: []int32{0, 1, 1}}
					if vertices != nil {
						targets.Classes = []int32{1, 0, 1, 0}
					}
					batch := layOut(t, n, b, f, targets, vertices)
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
					loss()
					gradients, err := n.Gradients()
					if err != nil {
						t.Fatal(err)
					}
					var got [][]float64
					for _, g := range gradients {
						got = append(got, slices.Clone(download(t, g)))
					}
					for i, p := range n.Parameters() {
						if err := closeTo(got[i], central(t, e, p.Value, loss), 1e-6); err != nil {
							t.Errorf("%s: %v", p.Name, err)
						}
					}
				})
			}
		}
	}
}

// What a network says of an item has the same bits whatever else is in the batch.
func TestOwnNetworkItemsApart(t *testing.T) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		e, b := enginetest.Open(t, 2), manyRings(t, 40)
		for name, n := range map[string]*Network{
			"sums": sums(t, e, dtype, engine.Sum, 0.5), "convolutions": convolutions(t, e, dtype, false),
			"shared": convolutions(t, e, dtype, true),
		} {
			forward := func(b *graph.Batch) []float64 {
				if err := n.Forward(layOut(t, n, b, labels(t, e, dtype, b), Targets{}, nil)); err != nil {
					t.Fatal(err)
				}
				return download(t, n.Logits())
			}
			all := forward(b)
			for _, items := range [][]int{{0}, {7, 8}, {39, 3, 3, 17, 11}} {
				for i, x := range forward(b.Select(items)) {
					if want := all[2*items[i/2]+i%2]; math.Float64bits(x) != math.Float64bits(want) {
						t.Errorf("%s, %v: logit %d of item %d is %g alone, %g among all", name, dtype, i%2, items[i/2], x, want)
					}
				}
			}
		}
	}
}

// TestOwnNetworkExplained compares the gradients of logits with respect to features with central differences.
func TestOwnNetworkExplained(t *testing.T) {
	e, b := enginetest.Open(t, 2), rings(t)
	for name, n := range map[string]*Network{
		"sums": sums(t, e, tensor.Float64, engine.Sum, 0.5), "convolutions": convolutions(t, e, tensor.Float64, false),
		"shared": convolutions(t, e, tensor.Float64, true),
	} {
		f := oneHot(t, e, tensor.Float64, b)
		weights := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(normal(8, 6)))
		gradient, err := n.Explain(b, f, weights, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(download(t, gradient))
		want := central(t, e, f.Rows, func() float64 {
			if err := n.Forward(layOut(t, n, b, f, Targets{}, nil)); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, x := range download(t, n.Logits()) {
				sum += x * weights.Float64s()[i]
			}
			return sum
		})
		if err := closeTo(got, want, 1e-6); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		of, err := n.Explain(b, labels(t, e, tensor.Float64, b), weights, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := closeTo(download(t, of), got, 1e-12); err != nil {
			t.Errorf("%s, labels: %v", name, err)
		}
	}
}

// laidOut is a source of graphs with classes for a network of one's own.
type laidOut struct {
	t      *testing.T
	net    *Network
	graphs *graph.Batch
}

func (s laidOut) Batch(items []int) (*Batch, error) {
	b, classes := s.graphs.Select(items), make([]int32, len(items))
	for i, item := range items {
		classes[i] = int32(item % 2)
	}
	return s.net.Layout(b, labels(s.t, s.net.engine, s.net.dtype, b), Targets{Classes: classes}, nil)
}

// A training with dropout and moving averages that is stopped after any step goes on to the same bits.
func TestOwnNetworkResumes(t *testing.T) {
	make := func() *Trainer {
		e := enginetest.Open(t, 1)
		n := sums(t, e, tensor.Float32, engine.Mean, 0.5)
		source := laidOut{t, n, manyRings(t, 23)}
		held := n.NewEvaluator(source, []int{20, 21, 22}, 2, true)
		t.Cleanup(held.Release)
		return &Trainer{
			Network: n, Source: source, Items: ascendingItems(20), Choose: true,
			Options: TrainOptions{Epochs: 3, BatchSize: 6, Rate: 0.05, MaxLoss: 1e4, Seed: 5},
			Score: func(ctx context.Context, _ int) ([]float64, error) {
				s, err := held.Score(ctx)
				return []float64{s}, err
			},
		}
	}
	want := run(t, make())
	for stop := 1; stop <= 12; stop++ {
		path := filepath.Join(t.TempDir(), "checkpoint")
		trainer := make()
		trainer.Checkpoint.Path = path
		ctx, cancel := context.WithCancel(context.Background())
		done := 0
		trainer.Step = func(int, int) {
			if done++; done == stop {
				cancel()
			}
		}
		if err := trainer.Run(ctx); err == nil && stop < 12 {
			t.Fatalf("stopped after %d steps: no error", stop)
		}
		cancel()
		trainer = make()
		trainer.Checkpoint.Path = path
		if got := run(t, trainer); got != want {
			t.Errorf("after %d steps: %s\nwant %s", stop, got, want)
		}
	}
}

// What does not fit is refused in a line, before anything runs.
func TestLayoutRefused(t *testing.T) {
	e, b := enginetest.Open(t, 1), rings(t)
	n := convolutions(t, e, tensor.Float64, false)
	rows := labels(t, e, tensor.Float64, b).Rows
	for want, c := range map[string]struct {
		features Features
		targets  Targets
		vertices []int32
	}{
		"features without rows":    {},
		"features of 3 vertices":   {features: Features{Rows: rows}},
		"row 3 of features":        {features: Features{Rows: rows, Index: slices.Repeat([]int32{3}, b.NumVertices())}},
		"features of float32":      {features: labels(t, e, tensor.Float32, b)},
		"vertex 77 of":             {features: labels(t, e, tensor.Float64, b), vertices: []int32{77}},
		"classes of 1 items for 3": {features: labels(t, e, tensor.Float64, b), targets: Targets{Classes: []int32{0}}},
		"want a matrix":            {features: Features{Raw: tensor.New(tensor.WithBacking([]float64{1, 2}))}},
	} {
		_, err := n.Layout(b, c.features, c.targets, c.vertices)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %q", err, want)
		}
	}
}

// Weights that do not add up to a positive number leave a vertex out of the renormalised adjacency.
func TestSymmetricWithSelfOfNegativeWeights(t *testing.T) {
	g := graph.Graph{NumVertices: 2}
	g.AddArc(0, 1)
	g.AddArc(1, 0)
	g.Arcs.Weights = []float64{-1, 3}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	if got := SymmetricWithSelf.matrix(b).Values; !slices.Equal(got, []float64{0, 0, 0, 0.25}) {
		t.Errorf("%v, want one weight of vertex 1 on itself", got)
	}
}
