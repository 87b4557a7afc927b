package autodiff

import (
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// wholeKernel is the definition of [Layer].PathNorms for the vectors of a path and of an anchor, one for each vertex.
func wholeKernel(kernel engine.Kernel, path, anchor [][]float64) float64 {
	inner, x, z, j := 0.0, 0.0, 0.0, float64(len(path))
	for i := range path {
		for k := range path[i] {
			inner += path[i][k] * anchor[i][k]
			x += path[i][k] * path[i][k]
			z += anchor[i][k] * anchor[i][k]
		}
	}
	alpha := kernel.Alpha
	if kernel.SumExponent {
		alpha *= j
	}
	return math.Sqrt(x/j) * math.Exp(alpha*(inner/math.Sqrt(x*z)-1))
}

// wholeReference pools the kernel values of the paths from every vertex by the definition: the channels one after
// another.
func wholeReference(layer *Layer, b *graph.Batch, x func(v int32) []float64, anchors [][][]float64) []float64 {
	pooling, q := layer.pooling(), len(anchors[0])
	var out []float64
	for _, size := range pooling.Lengths() {
		for v := range int32(b.NumVertices()) {
			row, count := make([]float64, q), 0.0
			b.Visit(layer.Route, v, size, func(p []int32) {
				if len(p) != size {
					return
				}
				count++
				for f := range q {
					var path, anchor [][]float64
					for i, u := range p {
						path, anchor = append(path, x(u)), append(anchor, anchors[i][f])
					}
					k := wholeKernel(layer.Kernel, path, anchor)
					if layer.Pool != engine.Max {
						row[f] += k
					} else if count == 1 || k > row[f] {
						row[f] = k
					}
				}
			})
			for f := range row {
				if layer.Pool == engine.Mean && count > 0 {
					row[f] /= count
				}
			}
			out = append(out, row...)
		}
	}
	return out
}

// nested cuts numbers into p matrices of q rows.
func nested(values []float64, p, q, d int) [][][]float64 {
	out := make([][][]float64, p)
	for i := range out {
		for f := range q {
			out[i] = append(out[i], values[(i*q+f)*d:][:d])
		}
	}
	return out
}

// wholeLayers calls body with layers of every kind.
func wholeLayers(body func(name string, layer Layer)) {
	for _, route := range []graph.Route{graph.Paths, graph.Walks} {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			for _, all := range []bool{false, true} {
				for _, sum := range []bool{false, true} {
					body(fmt.Sprint(route, pool, all, sum), Layer{Size: 3, AllLengths: all, Route: route, Pool: pool,
						PathNorms: true, Kernel: engine.Kernel{Alpha: 0.8, SumExponent: sum}})
				}
			}
		}
	}
}

// The pooled kernel values and the kernel matrices of anchors are those of the definition.
func TestWholePathsByDefinition(t *testing.T) {
	b, e := rings(t), enginetest.Open(t, 2)
	const q, d = 2, 4
	wholeLayers(func(name string, layer Layer) {
		x, z := normal(3, b.NumVertices()*d), normal(4, layer.Size*q*d)
		n := &KernelNetwork{Network: &Network{engine: e, dtype: tensor.Float64}, opt: Options{Layers: []Layer{layer}}}
		in := []block{{rows: b.NumVertices()}}
		batch := &Batch{Graphs: b, stages: []stage{n.stage(&layer, b, in, nil, nil)}}
		g := NewGraph(e, tensor.Float64)
		defer g.Release()
		g.SetBatch(batch)
		anchors := g.Parameter("anchors", upload(t, e, tensor.Float64, z, layer.Size, q, d))
		pooled := g.WholePathPool(0, layer, g.Parameter("x", upload(t, e, tensor.Float64, x, b.NumVertices(), d)), anchors,
			false)
		gram := g.WholeGram(anchors, layer)
		m := ran(t, g)
		vertex := func(v int32) []float64 { return x[int(v)*d:][:d] }
		want := wholeReference(&layer, b, vertex, nested(z, layer.Size, q, d))
		if err := closeTo(download(t, dense(m.Value(pooled))), want, 1e-13); err != nil {
			t.Errorf("%s: pooled: %v", name, err)
		}
		want = nil
		pooling := layer.pooling()
		for _, size := range pooling.Lengths() {
			of := func(f int) (anchor [][]float64) {
				length := 0.0
				for _, rows := range nested(z, layer.Size, q, d)[:size] {
					for _, v := range rows[f] {
						length += v * v / float64(size)
					}
				}
				for _, rows := range nested(z, layer.Size, q, d)[:size] { // of norm 1 as a whole, by the root of the size
					scaled := make([]float64, d)
					for k, v := range rows[f] {
						scaled[k] = v / math.Sqrt(length)
					}
					anchor = append(anchor, scaled)
				}
				return anchor
			}
			for f := range q {
				for h := range q {
					want = append(want, wholeKernel(layer.Kernel, of(f), of(h)))
				}
			}
		}
		if err := closeTo(download(t, dense(m.Value(gram))), want, 1e-13); err != nil {
			t.Errorf("%s: kernel matrices: %v", name, err)
		}
	})
}

// The gradients of pooled kernel values and of kernel matrices are those of differences, with several channels too.
func TestWholePathGradients(t *testing.T) {
	b := rings(t)
	wholeLayers(func(name string, layer Layer) {
		t.Run(name, func(t *testing.T) {
			n := &KernelNetwork{Network: &Network{engine: enginetest.Open(t, 1), dtype: tensor.Float64},
				opt: Options{Layers: []Layer{layer}}}
			rows := b.NumVertices()
			in := []block{{rows: rows}, {first: rows, rows: rows}}
			batch := &Batch{Graphs: b, stages: []stage{n.stage(&layer, b, in, nil, nil)}}
			differentiate(t, []tensor.Shape{{2 * rows, 4}, {layer.Size, 2, 4}, {layer.lengths(), 2, 2}}, batch,
				func(g *Graph, p []*G.Node) *G.Node {
					return g.project(g.WholePathPool(0, layer, p[0], p[1], false), p[2], leaving(0), 0)
				})
			differentiate(t, []tensor.Shape{{layer.Size, 3, 4}}, nil,
				func(g *Graph, p []*G.Node) *G.Node { return g.WholeGram(p[0], layer) })
		})
	})
}

// Where all vertices have norm 1 whole paths have it too: the network is the one of norms of first vertices.
func TestWholePathsOfUnitVertices(t *testing.T) {
	e, b := enginetest.Open(t, 1), rings(t)
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		opt := Options{Layers: layers(true, graph.Paths, pool, 3, 1), Loss: CrossEntropy, Epsilon: 0.1}
		n := example(t, e, tensor.Float64, opt, 2)
		want := numbers(t, n, prepare(t, n, b, labels(t, e, tensor.Float64, b)))[:7] // loss and logits
		opt.Layers[0].PathNorms = true
		whole := example(t, e, tensor.Float64, opt, 2)
		for name, f := range map[string]Features{
			"labels": labels(t, e, tensor.Float64, b), "attributes": oneHot(t, e, tensor.Float64, b),
		} {
			if err := closeTo(numbers(t, whole, prepare(t, whole, b, f))[:7], want, 1e-11); err != nil {
				t.Errorf("%v, %s: %v", pool, name, err)
			}
		}
	}
}
