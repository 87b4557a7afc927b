package autodiff

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// normal returns n standard normal numbers.
func normal(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

// weigh adds the scalar sum_i w_i x_i with fixed random weights, so that every element of x has a gradient
// of its own.
func (g *Graph) weigh(t testing.TB, x *G.Node) *G.Node {
	op := &operation{name: "weighing", wrt: []bool{true}}
	op.compute = func(in []G.Value) (G.Value, error) {
		sum := 0.0
		values := download(t, dense(in[0]))
		for i, w := range normal(99, len(values)) {
			sum += w * values[i]
		}
		return upload(t, g.engine, g.dtype, []float64{sum}, 1, 1), nil
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of weighing", shape: in[0].Shape(), dtype: in[0].Dtype()}
		back.compute = func(v []G.Value) (G.Value, error) {
			shape := v[0].Shape()
			weights := normal(99, shape.TotalSize())
			for i := range weights {
				weights[i] *= number(v[1])
			}
			return upload(t, g.engine, back.dtype, weights, shape...), nil
		}
		return G.Nodes{g.add(back, in[0], grad)}
	}
	return g.add(op, x)
}

// ran returns a machine of the graph after a run.
func ran(t *testing.T, g *Graph) *Machine {
	t.Helper()
	m, err := g.Machine()
	if err == nil {
		err = m.Run()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// differentiate builds a scalar from parameters of the given shapes and compares its gradients with central
// differences, in float64, to 1e-6 of the largest.
func differentiate(t *testing.T, shapes []tensor.Shape, b *Batch, build func(g *Graph, p []*G.Node) *G.Node) {
	t.Helper()
	differentiateOn(t, enginetest.Open(t, 2), shapes, b, build)
}

func differentiateOn(
	t *testing.T, e engine.Engine, shapes []tensor.Shape, b *Batch, build func(g *Graph, p []*G.Node) *G.Node,
) {
	t.Helper()
	g := NewGraph(e, tensor.Float64)
	defer g.Release()
	g.SetBatch(b)
	var tensors []*tensor.Dense
	var nodes []*G.Node
	for i, s := range shapes {
		x := upload(t, e, tensor.Float64, normal(uint64(i+1), s.TotalSize()), s...)
		tensors, nodes = append(tensors, x), append(nodes, g.Parameter(fmt.Sprint("p", i), x))
	}
	cost := build(g, nodes)
	if g.Err() != nil {
		t.Fatal(g.Err())
	}
	if !cost.IsScalar() {
		cost = g.weigh(t, cost)
	}
	grads, err := G.Grad(cost, nodes...)
	if err != nil {
		t.Fatal(err)
	}
	if !g.unique() {
		t.Fatal("two nodes have one hash")
	}
	m, err := g.Machine()
	if err != nil {
		t.Fatal(err)
	}
	run := func() float64 {
		if err := m.Run(); err != nil {
			t.Fatal(err)
		}
		return elements(t, m.Value(cost))[0]
	}
	run()
	var got [][]float64
	for _, grad := range grads {
		got = append(got, slices.Clone(download(t, dense(m.Value(grad)))))
	}
	for i, x := range tensors {
		if err := closeTo(got[i], central(t, e, x, run), 1e-6); err != nil {
			t.Errorf("parameter %d: %v", i, err)
		}
	}
}

// central returns the central differences of f with respect to the elements of x.
func central(t *testing.T, e engine.Engine, x *tensor.Dense, f func() float64) []float64 {
	const h = 1e-5
	values := slices.Clone(download(t, x))
	out := make([]float64, len(values))
	set := func() {
		if err := e.Convert(x, tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(values))); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range values {
		values[i] = v + h
		set()
		up := f()
		values[i] = v - h
		set()
		out[i] = (up - f()) / (2 * h)
		values[i] = v
	}
	set()
	return out
}

// rings returns rings with a tail, graphs whose paths and walks differ, and an isolated vertex.
func rings(t *testing.T) *graph.Batch {
	var graphs []graph.Graph
	for _, n := range []int{4, 1, 5} {
		g := graph.Graph{NumVertices: n}
		for v := range n {
			g.Labels = append(g.Labels, int32(v%3))
			if v > 1 {
				g.AddArc(int32(v-1), int32(v))
			}
		}
		if n > 3 {
			g.AddArc(0, 1)
			g.AddArc(int32(n-2), 0)
		}
		graphs = append(graphs, g)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Where several operations use one node its gradients add up.
func TestSharedNodeGradients(t *testing.T) {
	differentiate(t, []tensor.Shape{{3, 3}, {1, 3}}, nil,
		func(g *Graph, p []*G.Node) *G.Node { return g.Linear(p[0], p[0], p[1]) })
	differentiate(t, []tensor.Shape{{3, 3}, {3, 3}}, nil, func(g *Graph, p []*G.Node) *G.Node {
		return g.Linear(g.Linear(p[0], p[1], nil), p[1], nil)
	})
}

func TestSparseMatMulGradients(t *testing.T) {
	for _, a := range []*engine.Sparse{engine.Adjacency(rings(t)),
		{Cols: 4, RowPtr: []int32{0, 2, 2, 5}, Col: []int32{3, 0, 1, 1, 2}, Values: []float64{2, -1, 0.5, 3, 1}}} {
		differentiate(t, []tensor.Shape{{a.Cols, 3}}, nil,
			func(g *Graph, p []*G.Node) *G.Node { return g.SparseMatMul(a, p[0]) })
	}
	g := NewGraph(enginetest.Open(t, 1), tensor.Float64)
	defer g.Release()
	x := g.Parameter("x", upload(t, g.engine, tensor.Float64, normal(1, 6), 3, 2))
	if g.SparseMatMul(&engine.Sparse{Cols: 4, RowPtr: []int32{0}}, x); g.Err() == nil {
		t.Error("a product of four columns and three rows")
	}
}

// Grove's operations and gorgonia's own stand in one graph in any order: two convolutions that share their weights, the
// loss of one and the penalty of the other.
func TestMixedGradients(t *testing.T) {
	b := rings(t)
	n, a := b.NumVertices(), engine.Adjacency(b)
	differentiate(t, []tensor.Shape{{n, 3}, {3, 3}, {1, 3}, {2, 3}, {1, 2}}, nil,
		func(g *Graph, p []*G.Node) *G.Node {
			layer := func(x *G.Node) *G.Node {
				mixed := G.Must(G.Mul(g.SparseMatMul(a, x), p[1]))
				return G.Must(G.Tanh(G.Must(G.BroadcastAdd(mixed, p[2], nil, []byte{0}))))
			}
			first := layer(p[0])
			second := G.Must(G.Add(layer(first), first))
			outputs := g.Linear(second, p[3], p[4])
			penalty := G.Must(G.Mul(half(p[1]), G.Must(G.Sum(G.Must(G.Square(p[1]))))))
			return G.Must(G.Add(g.weigh(t, outputs), penalty))
		})
}

// UnitRows adds, for the kernel matrices of tests, z (p x q x d) with every row divided by max(norm, eps).
func (g *Graph) UnitRows(z *G.Node, eps float64) *G.Node {
	shape := g.dims("UnitRows", z, 3)
	op := &operation{name: "normalize anchors", shape: shape, wrt: []bool{true}}
	unit, norms, rows := op.newMemory(), op.newMemory(), shape[0]*shape[1]
	var last struct{ unit, norms *tensor.Dense }
	op.compute = func(in []G.Value) (G.Value, error) {
		out := unit.tensor(g.engine, g.dtype, shape...)
		last.unit, last.norms = unit.view(out, 0, rows, shape[2]), norms.tensor(g.engine, g.dtype, rows)
		return out, g.engine.NormalizeRows(last.unit, last.norms, unit.view(dense(in[0]), 0, rows, shape[2]), eps)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of normalize anchors", shape: shape}
		m := back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			dst := m.tensor(g.engine, g.dtype, shape...)
			err := g.engine.NormalizeRowsGrad(m.view(dst, 0, rows, shape[2]), m.view(dense(in[1]), 0, rows, shape[2]), nil,
				last.unit, last.norms, eps)
			return dst, err
		}
		return G.Nodes{g.add(back, out, grad)} // out: the norms of this run are known
	}
	return g.add(op, z)
}

func TestAnchorGradients(t *testing.T) {
	differentiate(t, []tensor.Shape{{2, 3, 4}}, nil, func(g *Graph, p []*G.Node) *G.Node { return g.UnitRows(p[0], 1e-4) })
	differentiate(t, []tensor.Shape{{2, 3, 4}}, nil, func(g *Graph, p []*G.Node) *G.Node { return g.UnitRows(p[0], 1.5) })
	for _, sum := range []bool{false, true} {
		for _, size := range []int{1, 3} {
			for _, all := range []bool{false, true} {
				kernel := engine.Kernel{Alpha: 0.7, SumExponent: sum}
				differentiate(t, []tensor.Shape{{size, 3, 4}}, nil, func(g *Graph, p []*G.Node) *G.Node {
					return g.Gram(g.UnitRows(p[0], 1e-4), kernel, all)
				})
				differentiate(t, []tensor.Shape{{size, 3, 4}}, nil, func(g *Graph, p []*G.Node) *G.Node {
					return g.Gram(p[0], kernel, all)
				})
			}
		}
	}
}

func TestPathPoolGradients(t *testing.T) {
	b := rings(t)
	for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			for _, size := range []int{1, 3} {
				for _, all := range []bool{false, true} {
					layer := Layer{Size: size, AllLengths: all, Route: route, Pool: pool, Kernel: engine.Kernel{Alpha: 0.8}}
					for _, labelled := range []bool{false, true} {
						e := enginetest.Open(t, 1)
						n := &KernelNetwork{Network: &Network{engine: e, dtype: tensor.Float64}, opt: Options{Layers: []Layer{layer}}}
						in, rows := []block{{rows: b.NumVertices()}, {first: b.NumVertices(), rows: b.NumVertices()}}, 2*b.NumVertices()
						if labelled {
							in, rows = []block{{rows: 3, index: b.Labels}}, 3
						}
						batch := &Batch{Graphs: b, stages: []stage{n.stage(&layer, b, in, nil, nil)}}
						t.Run(fmt.Sprint(route, pool, size, all, labelled), func(t *testing.T) {
							differentiate(t, []tensor.Shape{{rows, 4}, {size, 2, 4}, {layer.lengths(), 2, 2}}, batch,
								func(g *Graph, p []*G.Node) *G.Node {
									scores := g.Scores(g.Normalize(p[0], 1e-4), p[1], false)
									return g.project(g.PathPool(0, layer, scores), p[2], leaving(0), 0)
								})
						})
					}
				}
			}
		}
	}
}

func TestReadoutGradients(t *testing.T) {
	b := rings(t)
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, vertices := range [][]int32{nil, {7, 0, 3}} {
			for _, labelled := range []bool{false, true} {
				channels := []block{{rows: 10}, {first: 10, rows: 10}}
				if labelled {
					channels = []block{{rows: 3, index: b.Labels}, {first: 3, rows: 10}}
				}
				r := newReadout(b, channels, vertices)
				if pool != engine.Max {
					r.transposed = transpose(&r.segments, rowsOf(channels), pool)
				}
				batch := &Batch{Graphs: b, stages: []stage{{readout: r}}}
				differentiate(t, []tensor.Shape{{rowsOf(channels), 3}, {2, 3, 3}}, batch, func(g *Graph, p []*G.Node) *G.Node {
					return g.project(g.Readout(0, p[0], pool, 0), p[1], pooled(0), 2)
				})
			}
		}
	}
}

// The column of filter f of channel c is f*channels + c.
func TestInterleaving(t *testing.T) {
	e := enginetest.Open(t, 1)
	g := NewGraph(e, tensor.Float64)
	defer g.Release()
	x := g.Interleave(g.Parameter("x", upload(t, e, tensor.Float64, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)), 2)
	m := ran(t, g)
	if got, want := download(t, dense(m.Value(x))), []float64{1, 5, 2, 6, 3, 7, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLossGradients(t *testing.T) {
	e := enginetest.Open(t, 1)
	for _, loss := range []Loss{CrossEntropy, Logistic, SquaredHinge, Squared} {
		for _, outputs := range []int{1, 3} {
			if loss == CrossEntropy && outputs == 1 {
				continue
			}
			n := &Network{engine: e, dtype: tensor.Float64, loss: loss}
			n.outputs = outputs
			given := Targets{Classes: []int32{1, 0, 1, 1, 0}, Weights: []float64{1, 2, 0, 0.5, 1}}
			if loss == Squared {
				given = Targets{Values: tensor.New(tensor.WithShape(5, outputs), tensor.WithBacking(normal(5, 5*outputs)))}
			}
			batch := &Batch{}
			if err := errors.Join(n.aim(batch, given, 5), batch.arrive()); err != nil {
				t.Fatal(err)
			}
			differentiateOn(t, e, []tensor.Shape{{5, 4}, {outputs, 4}, {1, outputs}}, batch,
				func(g *Graph, p []*G.Node) *G.Node { return g.Loss(g.Linear(p[0], p[1], p[2]), loss) })
		}
	}
}

// A mean by weights is that of the items repeated as often.
func TestWeightsRepeatItems(t *testing.T) {
	for _, loss := range []Loss{CrossEntropy, Logistic, SquaredHinge} {
		var got [2]float64
		for i, weighted := range []bool{true, false} {
			e := enginetest.Open(t, 1)
			x, targets := []float64{1, 2, -1, 0.5}, Targets{Classes: []int32{0, 1}, Weights: []float64{2, 1}}
			if !weighted {
				x, targets = []float64{1, 2, 1, 2, -1, 0.5}, Targets{Classes: []int32{0, 0, 1}}
			}
			n := &Network{engine: e, dtype: tensor.Float64, loss: loss}
			n.outputs = 2
			batch := &Batch{}
			if err := errors.Join(n.aim(batch, targets, len(targets.Classes)), batch.arrive()); err != nil {
				t.Fatal(err)
			}
			g := NewGraph(e, tensor.Float64)
			defer g.Release()
			g.SetBatch(batch)
			cost := g.Loss(g.Parameter("x", upload(t, e, tensor.Float64, x, len(x)/2, 2)), loss)
			got[i] = download(t, dense(ran(t, g).Value(cost)))[0]
		}
		if math.Abs(got[0]-got[1]) > 1e-14 {
			t.Errorf("%s: %g weighted, %g repeated", loss, got[0], got[1])
		}
	}
}

// Mean pooling over more walks than an integer counts stays a mean of kernel values.
func TestMeanOverManyWalks(t *testing.T) {
	complete := graph.Graph{NumVertices: 60}
	for u := range int32(60) {
		complete.Labels = append(complete.Labels, u%3)
		for v := range u {
			complete.AddArc(u, v)
		}
	}
	b, err := graph.NewBatch([]graph.Graph{complete})
	if err != nil {
		t.Fatal(err)
	}
	e := enginetest.Open(t, 1)
	n := example(t, e, tensor.Float64, Options{Layers: layers(false, graph.Walks, engine.Mean, 13), Loss: CrossEntropy,
		Epsilon: 0.01}, 2)
	g := NewGraph(e, tensor.Float64)
	defer g.Release()
	anchors := g.Parameter("anchors", n.Parameters().Anchors[0])
	pooled := g.PathPool(0, n.opt.Layers[0], g.Scores(g.Input(3), anchors, true))
	g.SetBatch(prepare(t, n, b, labels(t, e, tensor.Float64, b)))
	for _, v := range download(t, dense(ran(t, g).Value(pooled))) {
		if !(v > 0 && v <= 1) {
			t.Errorf("mean kernel value %v, want one between 0 and 1", v)
		}
	}
}
