package enginetest

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// hubCases have roots with so many paths that an engine may share each among several workers: hubs, neighbours of hubs,
// whose paths all go on by one arc, and the vertices of dense graphs, among roots with few paths.
func hubCases() []Case {
	var all []Case
	hubs, dense, star := hubGraph(), batchOf(complete(18), ringOf(7), complete(4)), starOf(1300)
	long := batchOf(ringOf(12), tailed(6, 3), ringOf(5))
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, k := range []struct {
			name   string
			b      *graph.Batch
			size   int
			rows   int // that the vertices share, 0: each has its own
			single bool
			few    bool // roots
			q      int
		}{
			{"hubs", hubs, 4, 0, false, false, 5},
			{"hubs, shared rows", hubs, 4, 4, true, false, 7},
			{"hubs, longer", hubs, 5, 9, false, true, 3},
			{"hubs, longer, one length", hubs, 5, 0, true, true, 3},
			{"dense", dense, 4, 0, false, false, 33},
			{"star", star, 3, 5, false, true, 70},
			{"long", long, 9, 0, false, false, 3},
			{"long, shared rows", long, 9, 4, true, false, 5},
		} {
			p := pooling{engine.PathPooling{Graph: k.b, Size: k.size, Pool: pool, AllLengths: !k.single,
				Kernel: engine.Kernel{Alpha: 1.7, SumExponent: k.single && k.size == 4}}, "", k.q, k.b.NumVertices()}
			if k.rows > 0 {
				p.rows = k.rows
				p.Index = make([]int32, k.b.NumVertices())
				for v := range p.Index {
					p.Index[v] = int32(v % k.rows)
				}
			}
			if k.few {
				p.Roots = make([][]int32, len(p.Lengths()))
				for i := range p.Roots {
					p.Roots[i] = []int32{0, 1, 3, 9, 200}[i%2:]
				}
			}
			all = append(all, Case{"PathPool", fmt.Sprintf("many paths, %s %v size=%d q=%d", k.name, pool, k.size, k.q), 4,
				func(c *call) error {
					c.each = pool != engine.Max
					out := p.matrices(func(_, rows, q int) *tensor.Dense { return c.output(rows, q) })
					return c.e.PathPool(out, p.scores(c), c.random(14, p.rows), &p.PathPooling)
				}})
		}
	}
	return all
}

// hubGraph has five hubs in a ring, leaves around them and some chords, beside a small ring.
func hubGraph() *graph.Batch {
	g := graph.Graph{NumVertices: 240}
	for v := int32(0); v < 240; v++ {
		if v < 5 {
			g.AddArc(v, (v+1)%5)
		} else {
			g.AddArc(v, v*v%5)
		}
		if v%4 == 3 {
			g.AddArc(v, (v+7)%240)
		}
	}
	return batchOf(ringOf(6), g)
}

// complete returns a graph with an arc between any two of n vertices.
func complete(n int32) graph.Graph {
	g := graph.Graph{NumVertices: int(n)}
	for v := range n {
		for u := range v {
			g.AddArc(u, v)
		}
	}
	return g
}

// tailed is a complete graph of n vertices with so many more behind each, in a row.
func tailed(n, tail int32) graph.Graph {
	g := complete(n)
	for v := range n {
		for last := v; tail > 0 && g.NumVertices < int(n+(v+1)*tail); g.NumVertices++ {
			g.AddArc(last, int32(g.NumVertices))
			last = int32(g.NumVertices)
		}
	}
	return g
}

func ringOf(n int32) graph.Graph {
	g := graph.Graph{NumVertices: int(n)}
	for v := range n {
		g.AddArc(v, (v+1)%n)
	}
	return g
}

// starOf is a star of n vertices.
func starOf(n int32) *graph.Batch {
	g := graph.Graph{NumVertices: int(n)}
	for v := int32(1); v < n; v++ {
		g.AddArc(0, v)
	}
	return batchOf(g)
}
