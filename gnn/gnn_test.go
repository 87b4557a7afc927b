package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// random returns labelled graphs of two classes: those of class 1 have more edges and higher labels.
func random(t testing.TB, n int) (*graph.Batch, *model.Targets) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 5))
	var graphs []graph.Graph
	targets := &model.Targets{Task: model.GraphTask, Names: []string{"few", "many"}}
	for i := range n {
		g := graph.Graph{NumVertices: 5 + rng.IntN(4)}
		for v := range g.NumVertices {
			g.Labels = append(g.Labels, int32(rng.IntN(2)+i%2))
			for u := range v {
				if rng.IntN(4) <= i%2 {
					g.AddArc(int32(u), int32(v))
					g.AddArc(int32(v), int32(u))
				}
			}
		}
		graphs, targets.Classes = append(graphs, g), append(targets.Classes, i%2)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b, targets
}

func training(t testing.TB, b *graph.Batch, targets *model.Targets) train.Training {
	t.Helper()
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	return train.Training{Examples: train.Examples{Graphs: train.InMemory(b), Input: input, Targets: targets}}
}

// small returns options of a small network.
func small(kind Kind) Options {
	o := Default(kind, model.GraphTask)
	o.Layers, o.Width, o.Epochs, o.BatchSize, o.Double, o.Seed = 2, 4, 6, 8, true, 3
	return o
}

func fit(t testing.TB, e engine.Engine, run train.Training, o Options) *Model {
	t.Helper()
	m, err := Train(context.Background(), e, run, o)
	if err != nil {
		t.Fatal(err)
	}
	if m.Task = run.Examples.Targets.Task; run.Examples.Targets.Classes != nil {
		m.Classes = run.Examples.Targets.Names
	}
	return m
}

func logits(t testing.TB, m *Model, b *graph.Batch) []float64 {
	t.Helper()
	x, err := m.logits(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x.Float64s()
}

// plain holds the tensors of a network in host memory.
type plain map[string]*tensor.Dense

// linear returns W x + b; b may have no name.
func (p plain) linear(t *testing.T, x []float64, weight, bias string) []float64 {
	w, err := engine.Float64s(p[weight])
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, p[weight].Shape()[0])
	for k := range out {
		for j, v := range x {
			out[k] += w[k*len(x)+j] * v
		}
		if bias != "" {
			out[k] += p[bias].Float64s()[k]
		}
	}
	return out
}

// reference is what a network of [Options] predicts for the vertices of a graph, pooled, by the definitions.
func reference(t *testing.T, o *Options, p plain, b *graph.Batch, g int) []float64 {
	from, to := b.Vertices(g)
	n := int(to - from)
	x := make([][]float64, n)
	for v := range x {
		x[v] = make([]float64, 3)
		x[v][b.Labels[int(from)+v]] = 1
	}
	degree := func(v int) float64 { return float64(1 + b.Degree(from+int32(v))) }
	mix := func(x [][]float64) [][]float64 {
		out := make([][]float64, n)
		for v := range out {
			out[v] = make([]float64, len(x[v]))
			add := func(u int) {
				weight := 1.0
				if o.Kind == GCN {
					weight = 1 / math.Sqrt(degree(u)*degree(v))
				}
				for j := range out[v] {
					out[v][j] += weight * x[u][j]
				}
			}
			add(v)
			for _, u := range b.Neighbors(from + int32(v)) {
				add(int(u - from))
			}
		}
		return out
	}
	pool := func(x [][]float64) []float64 {
		out := make([]float64, len(x[0]))
		for _, row := range x {
			for j, v := range row {
				if o.Pooling == engine.Mean {
					v /= float64(n)
				}
				out[j] += v
			}
		}
		return out
	}
	normalise := func(x [][]float64, at string) {
		for v := range x {
			for j, y := range x[v] {
				y = (y - p["mean "+at].Float64s()[j]) / math.Sqrt(p["variance "+at].Float64s()[j]+epsilon)
				x[v][j] = max(0, y*p["scale "+at].Float64s()[j]+p["shift "+at].Float64s()[j])
			}
		}
	}
	var items []float64
	if o.Kind == GCN {
		for l := 1; l < o.Layers; l++ {
			for v := range x {
				x[v] = p.linear(t, x[v], fmt.Sprintf("weight %d", l), "")
			}
			x = mix(x)
			if o.Normalise {
				normalise(x, fmt.Sprint(l))
				continue
			}
			for v := range x {
				for j, bias := range p[fmt.Sprintf("bias %d", l)].Float64s() {
					x[v][j] = max(0, x[v][j]+bias)
				}
			}
		}
		items = pool(mix(x))
	} else {
		for l := 1; l <= o.Layers; l++ {
			x = mix(x)
			for half := 1; half <= 2; half++ {
				at := fmt.Sprintf("%d.%d", l, half)
				for v := range x {
					x[v] = p.linear(t, x[v], "weight "+at, "")
				}
				normalise(x, at)
			}
			items = append(items, pool(x)...)
		}
	}
	return p.linear(t, items, "weight", "bias")
}

// A trained network predicts what its definition says.
func TestNetworksAreThoseOfThePapers(t *testing.T) {
	e := enginetest.Open(t, 2)
	b, targets := random(t, 20)
	for _, kind := range []Kind{GCN, GIN} {
		for _, pooling := range []engine.Pooling{engine.Sum, engine.Mean} {
			o := small(kind)
			o.Pooling, o.Normalise = pooling, kind == GCN && pooling == engine.Sum
			m := fit(t, e, training(t, b, targets), o)
			_, tensors, err := m.Parts()
			if err != nil {
				t.Fatal(err)
			}
			got := logits(t, m, b)
			for g := range b.NumGraphs() {
				for k, want := range reference(t, &o, tensors, b, g) {
					if math.Abs(got[2*g+k]-want) > 1e-10*max(1, math.Abs(want)) {
						t.Errorf("%s, %s: logit %d of graph %d is %g, want %g", kind, pooling, k, g, got[2*g+k], want)
					}
				}
			}
		}
	}
}

// Networks learn to tell the classes, and what they learn has the same bits for any number of workers.
func TestNetworksLearn(t *testing.T) {
	b, targets := random(t, 60)
	for _, kind := range []Kind{GCN, GIN} {
		o := small(kind)
		o.Epochs, o.Rate, o.Dropout, o.Double = 80, 0.05, 0.1, false
		m := fit(t, enginetest.Open(t, 1), training(t, b, targets), o)
		got, right := logits(t, m, b), 0
		for g, class := range targets.Classes {
			if got[2*g+class] > got[2*g+1-class] {
				right++
			}
		}
		if right < 54 {
			t.Errorf("%s: %d of 60 right", kind, right)
		}
		if other := logits(t, fit(t, enginetest.Open(t, 3), training(t, b, targets), o), b); !slices.Equal(got, other) {
			t.Errorf("%s: three workers learn something else", kind)
		}
	}
}

// A training on vertices looks at what is around them alone.
func TestVertexBatchesAreNeighbourhoods(t *testing.T) {
	e := enginetest.Open(t, 1)
	b, _ := random(t, 20)
	targets := &model.Targets{Task: model.NodeTask, Names: []string{"a", "b", "c"}}
	for _, l := range b.Labels {
		targets.Classes = append(targets.Classes, int(l))
	}
	for _, kind := range []Kind{GCN, GIN} {
		o := small(kind)
		o.Dropout = 0
		n, err := newTrainee(e, training(t, b, targets), o)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Release()
		var all [2][]float64
		for i, items := range [][]int{{5}, n.run.Train} {
			batch, err := n.source.Batch(items)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.source.network.Forward(batch); err != nil {
				t.Fatal(err)
			}
			if all[i], err = engine.Float64s(n.source.network.Logits()); err != nil {
				t.Fatal(err)
			}
			batch.Release(e)
		}
		if alone, among := all[0], all[1][15:18]; !slices.Equal(alone, among) {
			t.Errorf("%s: logits %v of a vertex alone, %v among all", kind, alone, among)
		}
	}
}

// A training that is stopped goes on from its checkpoint to the same bits.
func TestTrainingResumes(t *testing.T) {
	b, targets := random(t, 20)
	for _, kind := range []Kind{GCN, GIN} {
		o := small(kind)
		want := logits(t, fit(t, enginetest.Open(t, 1), training(t, b, targets), o), b)
		for _, stop := range []int{1, 7, 17} {
			run := training(t, b, targets)
			run.Checkpoint = autodiff.Checkpoint{Path: filepath.Join(t.TempDir(), "checkpoint")}
			ctx, cancel := context.WithCancel(context.Background())
			run.Progress = func(_ string, done, _ int) {
				if done == stop {
					cancel()
				}
			}
			if _, err := Train(ctx, enginetest.Open(t, 1), run, o); err == nil {
				t.Fatalf("%s: not stopped after step %d", kind, stop)
			}
			cancel()
			run.Progress = nil
			if got := logits(t, fit(t, enginetest.Open(t, 1), run, o), b); !slices.Equal(got, want) {
				t.Errorf("%s, stopped after step %d: %v, want %v", kind, stop, got, want)
			}
		}
	}
}

// Importance is gradient times input: of a network that is linear in its input, the share in its output.
func TestImportanceOfALinearNetwork(t *testing.T) {
	e := enginetest.Open(t, 1)
	b, targets := random(t, 20)
	o := small(GCN)
	o.Layers, o.Pooling = 1, engine.Sum
	m := fit(t, e, training(t, b, targets), o)
	weight, err := engine.Float64s(m.tensors.tensors()["weight"])
	if err != nil {
		t.Fatal(err)
	}
	for g := range 5 {
		one := b.Select([]int{g})
		got, err := m.importance(one, []float64{-0.5, 0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		total, shares := 0.0, make([]float64, len(got))
		for v := range shares {
			spread := 0.0 // of the vertex over all that see it
			for _, u := range append(slices.Clone(one.Neighbors(int32(v))), int32(v)) {
				spread += 1 / math.Sqrt(float64((1+one.Degree(u))*(1+one.Degree(int32(v)))))
			}
			label := one.Labels[v]
			shares[v] = math.Abs(spread * (weight[3+label] - weight[label]) / 2)
			total += shares[v]
		}
		for v := range shares {
			if want := shares[v] / total; math.Abs(got[v]-want) > 1e-12 {
				t.Errorf("graph %d: importance %g of vertex %d, want %g", g, got[v], v, want)
			}
		}
	}
}

// Options that make no sense are refused in a line.
func TestOptionsRefused(t *testing.T) {
	for want, change := range map[string]func(*Options){
		`network "gat"`:       func(o *Options) { o.Kind = "gat" },
		"0 layers":            func(o *Options) { o.Layers = 0 },
		"layers of 0":         func(o *Options) { o.Width = 0 },
		"dropout 1":           func(o *Options) { o.Dropout = 1 },
		"unknown pooling 7":   func(o *Options) { o.Pooling = 7 },
		"-1 epochs":           func(o *Options) { o.Epochs = -1 },
		`loss "none"`:         func(o *Options) { o.Loss = "none" },
		"squared loss does n": func(o *Options) { o.Loss = autodiff.Squared },
	} {
		b, targets := random(t, 4)
		o := small(GIN)
		change(&o)
		_, err := Train(context.Background(), engine.NewCPU(1), training(t, b, targets), o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %q", err, want)
		}
	}
}

// No batch of an epoch is much smaller than the others.
func TestBatchesAreEven(t *testing.T) {
	for size := 16; size <= 128; size++ {
		for items := 1; items < 600; items++ {
			s := evenBatch(items, size)
			last := items % s
			if s < 1 || s > size || last > 0 && 2*last < s || 2*s < min(size, items) {
				t.Fatalf("%d items in batches of %d, at most %d: the last has %d", items, s, size, last)
			}
		}
	}
	if s := evenBatch(3329, 128); s != 125 {
		t.Errorf("batches of %d", s)
	}
}
