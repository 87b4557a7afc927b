package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// maskedExample is a pooling over a small graph with cycles, with scores, norms and gradients of its outputs.
type maskedExample struct {
	e             engine.Engine
	pooling       *engine.PathPooling
	scores, norms *tensor.Dense
	outGrad       []*tensor.Dense
}

// eachMaskedExample calls body for every route, pooling and form of kernel, with and without norms.
func eachMaskedExample(t *testing.T, body func(t *testing.T, x *maskedExample, paths *engine.MaskedPaths)) {
	g := graph.Graph{NumVertices: 7}
	for _, arc := range [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}} {
		g.AddArc(arc[0], arc[1])
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	const q = 3
	for _, e := range []engine.Engine{engine.Reference{}, engine.NewCPU(2)} {
		for _, pooling := range []engine.PathPooling{
			{Size: 3, AllLengths: true},
			{Size: 3, AllLengths: true, Roots: [][]int32{nil, {0, 3, 6}, {2}}, Index: []int32{0, 1, 2, 0, 1, 3, 2}},
			{Size: 4, Kernel: engine.Kernel{SumExponent: true}},
			{Size: 1},
		} {
			for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
				for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
					for _, withNorms := range []bool{false, true} {
						p := pooling
						p.Graph, p.Route, p.Pool, p.Kernel.Alpha = b, route, pool, 1.3
						rng := rand.New(rand.NewPCG(5, uint64(p.Size)))
						random := func(shape ...int) *tensor.Dense {
							x := engine.New(e, tensor.Float64, shape...)
							for i := range x.Float64s() {
								x.Float64s()[i] = rng.Float64()
							}
							return x
						}
						rows := 7
						if p.Index != nil {
							rows = 4
						}
						x := &maskedExample{e: e, pooling: &p, scores: random(rows, p.Size*q)}
						if withNorms {
							x.norms = random(rows)
						}
						for i := range p.Lengths() {
							n := 7
							if p.Roots != nil && p.Roots[i] != nil {
								n = len(p.Roots[i])
							}
							x.outGrad = append(x.outGrad, random(n, q))
						}
						paths, err := engine.NewMaskedPaths(&p)
						if err != nil {
							t.Fatal(err)
						}
						t.Run(fmt.Sprintf("%s %d %v %v norms=%v", e, p.Size, route, pool, withNorms), func(t *testing.T) { body(t, x, paths) })
					}
				}
			}
		}
	}
}

// outputs returns tensors in the shapes of the outputs.
func (x *maskedExample) outputs() []*tensor.Dense {
	var out []*tensor.Dense
	for _, g := range x.outGrad {
		out = append(out, engine.New(x.e, tensor.Float64, g.Shape()...))
	}
	return out
}

// like returns a tensor in the shape of another, nil for nil.
func (x *maskedExample) like(t *tensor.Dense) *tensor.Dense {
	if t == nil {
		return nil
	}
	return engine.New(x.e, tensor.Float64, t.Shape()...)
}

func near(got, want []float64, tolerance float64) bool {
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*largest) {
			return false
		}
	}
	return len(got) == len(want)
}

// With masks of ones the paths are pooled as PathPool does, and so are their gradients.
func TestMasksOfOnesChangeNothing(t *testing.T) {
	eachMaskedExample(t, func(t *testing.T, x *maskedExample, paths *engine.MaskedPaths) {
		got, want := x.outputs(), x.outputs()
		scoreGrad, normGrad, wantScores, wantNorms := x.like(x.scores), x.like(x.norms), x.like(x.scores), x.like(x.norms)
		for _, err := range []error{
			paths.Pool(x.e, got, x.scores, x.norms, nil),
			x.e.PathPool(want, x.scores, x.norms, x.pooling),
			paths.PoolGrad(x.e, scoreGrad, normGrad, nil, x.outGrad, x.scores, x.norms, nil),
			x.e.PathPoolGrad(wantScores, wantNorms, x.outGrad, x.scores, x.norms, x.pooling),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range want {
			if !near(got[i].Float64s(), want[i].Float64s(), 1e-13) {
				t.Errorf("length %d: %v, want %v", i, got[i].Float64s(), want[i].Float64s())
			}
		}
		if !near(scoreGrad.Float64s(), wantScores.Float64s(), 1e-13) {
			t.Errorf("gradient of the scores %v, want %v", scoreGrad.Float64s(), wantScores.Float64s())
		}
		if x.norms != nil && !near(normGrad.Float64s(), wantNorms.Float64s(), 1e-13) {
			t.Errorf("gradient of the norms %v, want %v", normGrad.Float64s(), wantNorms.Float64s())
		}
	})
}

// The gradients are the derivatives of a random weighting of the outputs, for random masks.
func TestMaskGradients(t *testing.T) {
	eachMaskedExample(t, func(t *testing.T, x *maskedExample, paths *engine.MaskedPaths) {
		rng := rand.New(rand.NewPCG(8, 8))
		var mask, maskGrad [][]float64
		for i := range x.outGrad {
			weights := make([]float64, paths.Len(i))
			for k := range weights {
				weights[k] = rng.Float64()
			}
			mask, maskGrad = append(mask, weights), append(maskGrad, make([]float64, len(weights)))
		}
		scoreGrad, normGrad := x.like(x.scores), x.like(x.norms)
		for range 2 { // the gradient of the masks adds up
			if err := paths.PoolGrad(x.e, scoreGrad, normGrad, maskGrad, x.outGrad, x.scores, x.norms, mask); err != nil {
				t.Fatal(err)
			}
		}
		weighted := func() float64 {
			out, sum := x.outputs(), 0.0
			if err := paths.Pool(x.e, out, x.scores, x.norms, mask); err != nil {
				t.Fatal(err)
			}
			for i, o := range out {
				for k, v := range o.Float64s() {
					sum += v * x.outGrad[i].Float64s()[k]
				}
			}
			return sum
		}
		check := func(name string, values, gradient []float64, times float64) {
			want := make([]float64, len(values))
			for i, v := range values {
				const h = 1e-5
				values[i] = v + h
				want[i] = weighted()
				values[i] = v - h
				want[i] = times * (want[i] - weighted()) / (2 * h)
				values[i] = v
			}
			if !near(gradient, want, 1e-6) {
				t.Errorf("gradient of %s %v, central differences %v", name, gradient, want)
			}
		}
		for i := range mask {
			check("a mask", mask[i], maskGrad[i], 2)
		}
		check("the scores", x.scores.Float64s(), scoreGrad.Float64s(), 1)
		if x.norms != nil {
			check("the norms", x.norms.Float64s(), normGrad.Float64s(), 1)
		}
	})
}

// The paths are those of the batch, in its order.
func TestMaskedPathsAreInTheOrderOfTheBatch(t *testing.T) {
	eachMaskedExample(t, func(t *testing.T, x *maskedExample, paths *engine.MaskedPaths) {
		for i, j := range x.pooling.Lengths() {
			var want []int32
			for u := range int32(7) {
				if x.pooling.Roots != nil && x.pooling.Roots[i] != nil && !slices.Contains(x.pooling.Roots[i], u) {
					continue
				}
				x.pooling.Graph.Visit(x.pooling.Route, u, x.pooling.Size, func(path []int32) {
					if len(path) == j {
						want = append(want, path...)
					}
				})
			}
			if !slices.Equal(paths.Paths(i), want) || paths.Len(i) != len(want)/j {
				t.Errorf("%d vertices: %v, want %v", j, paths.Paths(i), want)
			}
		}
	})
}

func TestMasksThatDoNotFit(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.NewMaskedPaths(&engine.PathPooling{Size: 1}); err == nil {
		t.Error("paths of no graph")
	}
	if _, err := engine.NewMaskedPaths(&engine.PathPooling{Graph: b}); err == nil {
		t.Error("paths of no vertex")
	}
	paths, err := engine.NewMaskedPaths(&engine.PathPooling{Graph: b, Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.NewCPU(1)
	scores, out := engine.New(e, tensor.Float64, 2, 3), []*tensor.Dense{engine.New(e, tensor.Float64, 2, 3)}
	for name, err := range map[string]error{
		"scores of another size": paths.Pool(e, out, engine.New(e, tensor.Float64, 3, 3), nil, nil),
		"masks of two lengths":   paths.Pool(e, out, scores, nil, [][]float64{{1, 1}, {}}),
		"a mask too short":       paths.Pool(e, out, scores, nil, [][]float64{{1}}),
		"a gradient too short":   paths.PoolGrad(e, nil, nil, [][]float64{{1}}, out, scores, nil, nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
