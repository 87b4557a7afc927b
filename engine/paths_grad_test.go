package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// The reference's gradient is the derivative of the reference's PathPool: central differences of a random
// weighting of the outputs agree to 1e-6, which is what a step of 1e-5 leaves in float64.
func TestPathPoolGradIsTheDerivative(t *testing.T) {
	var g graph.Graph
	g.NumVertices = 6
	for _, arc := range [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 4}} {
		g.AddArc(arc[0], arc[1])
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	const size, q, rows = 4, 3, 5
	for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			t.Run(fmt.Sprint(route, pool), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				random := func(shape ...int) *tensor.Dense {
					x := engine.Reference{}.New(tensor.Float64, shape...)
					for i := range x.Float64s() {
						x.Float64s()[i] = rng.NormFloat64() / 2
					}
					return x
				}
				p := &engine.PathPooling{
					Graph: b, Index: []int32{0, 1, 2, 3, 4, 1}, Size: size, AllLengths: true, Route: route, Pool: pool,
					Roots: [][]int32{nil, {0, 3}, nil, nil}, Kernel: engine.Kernel{Alpha: 1.3},
				}
				scores, norms := random(rows, size*q), random(rows)
				var outGrad []*tensor.Dense
				for i := range size {
					n := 6
					if p.Roots[i] != nil {
						n = len(p.Roots[i])
					}
					outGrad = append(outGrad, random(n, q))
				}
				scoreGrad, normGrad := random(rows, size*q), random(rows)
				if err := (engine.Reference{}).PathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p); err != nil {
					t.Fatal(err)
				}
				weighted := func() float64 {
					var out []*tensor.Dense
					for _, o := range outGrad {
						out = append(out, random(o.Shape()...))
					}
					if err := (engine.Reference{}).PathPool(out, scores, norms, p); err != nil {
						t.Fatal(err)
					}
					sum := 0.0
					for i, o := range out {
						for e, x := range o.Float64s() {
							sum += x * outGrad[i].Float64s()[e]
						}
					}
					return sum
				}
				check := func(name string, x, gradient []float64) {
					largest := 0.0
					for _, v := range gradient {
						largest = max(largest, math.Abs(v))
					}
					for i := range x {
						const step = 1e-5
						old := x[i]
						x[i] = old + step
						up := weighted()
						x[i] = old - step
						down := weighted()
						x[i] = old
						if got := (up - down) / (2 * step); math.Abs(got-gradient[i]) > 1e-6*largest {
							t.Errorf("%s %d: gradient %.9g, difference quotient %.9g", name, i, gradient[i], got)
						}
					}
				}
				check("score", scores.Float64s(), scoreGrad.Float64s())
				check("norm", norms.Float64s(), normGrad.Float64s())
			})
		}
	}
}

// A graph with more vertices than one run of work is cut by filters, and one with too many for that into
// runs; neither changes the result.
func TestPathPoolGradOfLargeGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	graphs := make([]graph.Graph, 3)
	for i, n := range []int{700, 300, 400} {
		graphs[i].NumVertices = n
		for range n * 5 / 4 {
			graphs[i].AddArc(rng.Int32N(int32(n)), rng.Int32N(int32(n)))
		}
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	const size, q, rows = 3, 70, 40
	index := make([]int32, b.NumVertices())
	for v := range index {
		index[v] = rng.Int32N(rows)
	}
	for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
		for _, pool := range []engine.Pooling{engine.Mean, engine.Max} {
			p := &engine.PathPooling{Graph: b, Index: index, Size: size, AllLengths: true, Route: route, Pool: pool,
				Kernel: engine.Kernel{Alpha: 1}}
			gradients := map[string][]float64{}
			for _, e := range []engine.Engine{engine.Reference{}, engine.NewCPU(1), engine.NewCPU(4)} {
				rng := rand.New(rand.NewPCG(5, 6))
				random := func(shape ...int) *tensor.Dense {
					x := e.New(tensor.Float64, shape...)
					for i := range x.Float64s() {
						x.Float64s()[i] = rng.NormFloat64() / 2
					}
					return x
				}
				scores, norms := random(rows, size*q), random(rows)
				var outGrad []*tensor.Dense
				for range size {
					outGrad = append(outGrad, random(b.NumVertices(), q))
				}
				scoreGrad, normGrad := random(rows, size*q), random(rows)
				if err := e.PathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p); err != nil {
					t.Fatal(err)
				}
				gradients[fmt.Sprint(e, e.Workers())] = append(scoreGrad.Float64s(), normGrad.Float64s()...)
			}
			want := gradients["reference1"]
			for i, x := range gradients["cpu1"] {
				if x != gradients["cpu4"][i] {
					t.Fatalf("%v %v: element %d differs between one worker and four", route, pool, i)
				}
				if math.Abs(x-want[i]) > 1e-9*(1+math.Abs(want[i])) {
					t.Fatalf("%v %v: element %d is %g, reference %g", route, pool, i, x, want[i])
				}
			}
		}
	}
}

// A mistake in a shape is an error that names the operation; so is a row or a root that does not exist, for
// those who ask.
func TestPathPoolGradRefusesWhatDoesNotFit(t *testing.T) {
	e := engine.NewCPU(1)
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 4}})
	if err != nil {
		t.Fatal(err)
	}
	matrix := func(shape ...int) *tensor.Dense { return e.New(tensor.Float32, shape...) }
	good := engine.PathPooling{Graph: b, Size: 2}
	grad := func(p engine.PathPooling, scoreGrad, normGrad, outGrad, norms *tensor.Dense) error {
		return e.PathPoolGrad(scoreGrad, normGrad, []*tensor.Dense{outGrad}, matrix(4, 6), norms, &p)
	}
	unknown := good
	unknown.Route = 7
	for want, err := range map[string]error{
		"PathPoolGrad: the gradient of the scores has shape (4, 3), want [4 6]": grad(good, matrix(4, 3), nil,
			matrix(4, 3), nil),
		"PathPoolGrad: out has shape (4, 2), want [4 3]": grad(good, matrix(4, 6), nil, matrix(4, 2), nil),
		"PathPoolGrad: a gradient is asked for norms that are nil": grad(good, matrix(4, 6), matrix(4),
			matrix(4, 3), nil),
		"PathPoolGrad: route 7 is unknown": grad(unknown, matrix(4, 6), nil, matrix(4, 3), nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := grad(good, matrix(4, 6), matrix(4), matrix(4, 3), matrix(4)); err != nil {
		t.Error(err)
	}
	bad := good
	bad.Index = []int32{0, 1, 2, 4}
	if _, err := engine.CheckPathPool([]*tensor.Dense{matrix(4, 3)}, matrix(4, 6), nil, &bad); err == nil {
		t.Error("a row of the index that does not exist is accepted")
	}
	bad = good
	bad.Roots = [][]int32{{2, 1}}
	if _, err := engine.CheckPathPool([]*tensor.Dense{matrix(2, 3)}, matrix(4, 6), nil, &bad); err == nil {
		t.Error("roots that descend are accepted")
	}
}
