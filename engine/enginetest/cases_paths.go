package enginetest

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// pooling is a path pooling of random scores with q filters, of rows table rows.
type pooling struct {
	engine.PathPooling
	name    string
	q, rows int
}

// poolings returns every way of pooling on every batch, in sizes that meet each way to compute it.
func poolings() []pooling {
	var all []pooling
	for name, b := range batches() {
		n := b.NumVertices()
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
			for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
				for variant, size := range []int{1, 2, 3, 4} {
					q := []int{33, 1, 16, 5}[(variant+int(pool))%4]
					p := engine.PathPooling{
						Graph: b, Size: size, Route: route, Pool: pool,
						AllLengths: variant%2 == 0 || pool == engine.Mean,
						Kernel:     engine.Kernel{Alpha: 1.7, SumExponent: size == 3},
					}
					rows := n
					if variant >= 2 && n > 0 {
						rows = 4
						shareRows(&p, rows)
					}
					caseName := fmt.Sprintf("%s %v %v size=%d all=%v q=%d", name, pool, route, size, p.AllLengths, q)
					all = append(all, pooling{p, caseName, q, rows})
				}
			}
		}
	}
	all = append(all, longPoolings()...)
	return append(all, widePoolings()...)
}

// longPoolings returns poolings over longer routes than models use.
func longPoolings() []pooling {
	var all []pooling
	for _, name := range []string{"ring", "directed", "arc types"} {
		b := batches()[name]
		for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
			for _, pool := range []engine.Pooling{engine.Mean, engine.Max} {
				for _, size := range []int{5, 6, 9} {
					many := name == "arc types" && route == graph.Paths && pool == engine.Mean
					if size > 5 && name != "ring" || many {
						continue // too many routes for the reference
					}
					p := engine.PathPooling{Graph: b, Size: size, Route: route, Pool: pool, AllLengths: true,
						Kernel: engine.Kernel{Alpha: 2}}
					all = append(all, pooling{p, fmt.Sprintf("%s %v %v size=%d long", name, pool, route, size), 3, b.NumVertices()})
				}
			}
		}
	}
	return all
}

// widePoolings returns poolings with many filters and of a graph that is large for a device's fast memory.
func widePoolings() []pooling {
	var all []pooling
	for _, pool := range []engine.Pooling{engine.Mean, engine.Max} {
		for _, wide := range []struct {
			batch   string
			size, q int
		}{{"ragged", 3, 70}, {"ragged", 3, 128}, {"ring", 4, 128}, {"ring", 6, 128}, {"loops", 6, 5}} {
			p := engine.PathPooling{Graph: batches()[wide.batch], Size: wide.size, Pool: pool, AllLengths: true,
				Kernel: engine.Kernel{Alpha: 1}}
			name := fmt.Sprintf("%s %v size=%d q=%d wide", wide.batch, pool, wide.size, wide.q)
			all = append(all, pooling{p, name, wide.q, p.Graph.NumVertices()})
		}
		large := engine.PathPooling{Graph: largeGraph(), Size: 3, Pool: pool, AllLengths: true,
			Kernel: engine.Kernel{Alpha: 1}}
		filters := map[graph.Route]int{graph.Paths: 128, graph.Walks: 3, graph.NonBacktracking: 2}
		if pool == engine.Max {
			filters[graph.Paths] = 5
		}
		for route, q := range filters {
			p := large
			p.Route = route
			all = append(all, pooling{p, fmt.Sprintf("large graph %v %v", pool, route), q, p.Graph.NumVertices()})
		}
		large.Graph = denseGraph()
		all = append(all, pooling{large, fmt.Sprintf("dense graph %v", pool), 3, large.Graph.NumVertices()})
	}
	return all
}

// largeGraph is a tree of 1000 vertices with a few chords.
func largeGraph() *graph.Batch {
	g := graph.Graph{NumVertices: 1000}
	for v := int32(1); v < 1000; v++ {
		g.AddArc(v, v*3/4)
		if v%10 == 0 {
			g.AddArc(v, v*7%1000)
		}
	}
	return batchOf(g)
}

// denseGraph has an arc between any two of 50 vertices.
func denseGraph() *graph.Batch { return batchOf(complete(50)) }

func batchOf(graphs ...graph.Graph) *graph.Batch {
	b, err := graph.NewBatch(graphs)
	if err != nil {
		panic(err)
	}
	return b
}

// shareRows lets vertices share rows of the table and pools for some of the vertices only.
func shareRows(p *engine.PathPooling, rows int) {
	n := p.Graph.NumVertices()
	p.Index = make([]int32, n)
	for v := range p.Index {
		p.Index[v] = int32(v * v % rows)
	}
	p.Roots = make([][]int32, len(p.Lengths()))
	for i := range p.Roots {
		p.Roots[i] = []int32{}
		for v := i; v < n; v += 2 + i {
			p.Roots[i] = append(p.Roots[i], int32(v))
		}
	}
}

// matrices makes a tensor of the shape of every output.
func (p *pooling) matrices(make func(length, rows, q int) *tensor.Dense) []*tensor.Dense {
	var out []*tensor.Dense
	for i := range p.Lengths() {
		r := p.rows
		switch {
		case p.Roots != nil:
			r = len(p.Roots[i])
		case p.Graph != nil:
			r = p.Graph.NumVertices()
		}
		out = append(out, make(i, r, p.q))
	}
	return out
}

// scores returns scores of magnitude 1/2 or so, like products of anchors with unit vectors.
func (p *pooling) scores(c *call) *tensor.Dense {
	x := normal(13, p.rows*p.Size*p.q)
	for i, v := range x {
		x[i] = v / max(2, v, -v)
	}
	return c.upload(c.dtype, x, p.rows, p.Size*p.q)
}

func pathCases() []Case {
	var all []Case
	for _, p := range poolings() {
		all = append(all, Case{"PathPool", p.name, 4, func(c *call) error {
			out := p.matrices(func(_, rows, q int) *tensor.Dense { return c.output(rows, q) })
			return c.e.PathPool(out, p.scores(c), c.random(14, p.rows), &p.PathPooling)
		}})
	}
	for _, q := range sizes {
		all = append(all, Case{"PathPool", fmt.Sprintf("rows without a graph q=%d", q), 2, func(c *call) error {
			p := engine.PathPooling{Size: 1, Kernel: engine.Kernel{Alpha: 2}}
			return c.e.PathPool([]*tensor.Dense{c.output(3, q)}, c.random(15, 3, q), nil, &p)
		}})
	}
	all = append(all, factorCases()...)
	all = append(all, hubCases()...)
	for name, bad := range map[string]engine.PathPooling{
		"a row that does not exist":  {Size: 2, Index: []int32{0, 5, 0, 0, 0, 0}},
		"a row below zero":           {Size: 2, Index: []int32{0, -1, 0, 0, 0, 0}},
		"a root that does not exist": {Size: 2, Roots: [][]int32{{1, 2, 3, 4, 5, 6}}},
		"roots that descend":         {Size: 2, Roots: [][]int32{{1, 2, 3, 0, 4, 5}}},
	} {
		bad.Graph = batches()["ring"]
		rows := 6
		if bad.Index != nil {
			rows = 5
		}
		all = append(all, Case{"PathPool", name, 1, func(c *call) error {
			return c.e.PathPool([]*tensor.Dense{c.output(6, 3)}, c.random(17, rows, 6), nil, &bad)
		}})
	}
	return all
}

// pathGradCases allows for the sums over all routes through a vertex, which are longer than those of
// the forward pass.
func pathGradCases() []Case {
	var all []Case
	for _, p := range poolings() {
		all = append(all, Case{"PathPoolGrad", p.name, 8, func(c *call) error { return p.gradient(c, true, true) }})
	}
	for _, q := range sizes {
		p := pooling{engine.PathPooling{Size: 1, Kernel: engine.Kernel{Alpha: 2}}, "", q, 3}
		all = append(all,
			Case{"PathPoolGrad", fmt.Sprintf("rows without a graph q=%d", q), 8,
				func(c *call) error { return p.gradient(c, true, true) }},
			Case{"PathPoolGrad", fmt.Sprintf("no gradient of the norms q=%d", q), 8,
				func(c *call) error { return p.gradient(c, true, false) }},
			Case{"PathPoolGrad", fmt.Sprintf("no norms q=%d", q), 8, func(c *call) error { return p.gradient(c, false, false) }},
			Case{"PathPoolGrad", fmt.Sprintf("a gradient of no norms q=%d", q), 8,
				func(c *call) error { return p.gradient(c, false, true) }})
	}
	return append(all, tieCases()...)
}

// tieCases have scores that are the same everywhere, so that all routes attain the maximum and the
// first of them takes the gradient.
func tieCases() []Case {
	var all []Case
	for name, b := range batches() {
		for _, route := range []graph.Route{graph.Paths, graph.Walks, graph.NonBacktracking} {
			p := pooling{engine.PathPooling{Graph: b, Size: 3, Route: route, Pool: engine.Max, AllLengths: true,
				Kernel: engine.Kernel{Alpha: 1}}, "", 5, b.NumVertices()}
			all = append(all, Case{"PathPoolGrad", fmt.Sprintf("ties %s %v", name, route), 8, func(c *call) error {
				scores := make([]float64, p.rows*p.Size*p.q)
				for i := range scores {
					scores[i] = 0.25
				}
				return p.gradientAt(c, c.upload(c.dtype, scores, p.rows, p.Size*p.q), true, true)
			}})
		}
	}
	return all
}

func (p *pooling) gradient(c *call, norms, normGrad bool) error {
	return p.gradientAt(c, p.scores(c), norms, normGrad)
}

func (p *pooling) gradientAt(c *call, scores *tensor.Dense, norms, normGrad bool) error {
	var norm, gradient *tensor.Dense
	if norms {
		norm = c.random(14, p.rows)
	}
	if normGrad {
		gradient = c.output(p.rows)
	}
	outGrad := p.matrices(func(length, rows, q int) *tensor.Dense { return c.random(uint64(16+length), rows, q) })
	return c.e.PathPoolGrad(c.output(p.rows, p.Size*p.q), gradient, outGrad, scores, norm, &p.PathPooling)
}
