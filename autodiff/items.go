package autodiff

import (
	"errors"
	"slices"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// pooling names a pooling of the rows of some nodes.
type pooling struct {
	pool   engine.Pooling
	nodes  int
	picked bool // the rows are those of the items, see [Graph.pick]
}

// Items adds the pooling of the rows of the vertices over the vertices of every item of the batch, a graph or a vertex
// itself: a row for each item. The nodes x, of one number of columns, stand one after another in a row.
func (g *Graph) Items(pool engine.Pooling, x ...*G.Node) *G.Node {
	if !g.want(len(x) > 0, "Items: want at least one node") {
		return nil
	}
	q := g.dims("Items", x[0], 2)[1]
	for _, node := range x {
		s := g.dims("Items", node, 2)
		g.want(s[1] == q, "Items: nodes of %d and %d columns", q, s[1])
	}
	if g.err != nil {
		return nil
	}
	of := pooling{pool, len(x), g.picks}
	g.network.wants.pooling(of)
	if g.picks {
		x = slices.Clone(x)
		for i := range x {
			x[i] = g.pick(x[i])
		}
	}
	op := &operation{name: "pooling of items", shape: tensor.Shape{varying, q * len(x)}}
	for range x {
		op.wrt = append(op.wrt, true)
	}
	result, stacked := op.newMemory(), g.stack(op, x)
	op.compute = func(in []G.Value) (G.Value, error) {
		rows, err := stacked.rows(in)
		if err != nil {
			return nil, err
		}
		r := g.batch.layout.pools[of]
		out := result.tensor(g.engine, g.dtype, g.batch.items*len(x), q)
		wide := result.view(out, 0, g.batch.items, q*len(x))
		return wide, g.engine.SegmentReduce(out, rows, r.segments, pool)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		children := append(slices.Clone([]*G.Node(in)), out, grad) // out: the stack is that of this run
		all := &operation{name: "gradient of pooling of items", shape: tensor.Shape{varying, q}}
		m := all.newMemory()
		all.compute = func(in []G.Value) (G.Value, error) {
			r, n := g.batch.layout.pools[of], in[0].Shape()[0]
			slopes := dense(in[len(in)-1])
			dst := m.tensor(g.engine, g.dtype, n*len(x), q)
			tall := m.view(slopes, 0, g.batch.items*len(x), q)
			if pool != engine.Max {
				return dst, g.engine.SparseMatMul(dst, r.transposed, tall)
			}
			rows, err := stacked.rows(in[:len(x)])
			if err != nil {
				return nil, err
			}
			return dst, g.engine.SegmentReduceGrad(dst, tall, rows, r.segments, pool)
		}
		node := g.add(all, children...)
		var parts G.Nodes
		for i := range x {
			parts = append(parts, g.part(node, shapeOf(x[i]), func(m *memory, all *tensor.Dense) *tensor.Dense {
				n := all.Shape()[0] / len(x)
				return m.view(all, i*n*q, n, q)
			}))
		}
		return parts
	}
	return g.add(op, x...)
}

// pick adds the rows of the items of a batch of vertices.
func (g *Graph) pick(x *G.Node) *G.Node {
	q := shapeOf(x)[1]
	op := &operation{name: "rows of items", shape: tensor.Shape{varying, q}, wrt: []bool{true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		at := g.batch.layout.at
		if at == nil {
			return nil, errors.New("a network on vertices, and a batch of graphs")
		}
		out := m.tensor(g.engine, g.dtype, len(at), q)
		return out, g.engine.Place(out, dense(in[0]), at, engine.Placement{Stride: 1})
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			at := g.batch.layout.at
			rows := &engine.Sparse{Cols: in[0].Shape()[0], RowPtr: ascending(len(at)), Col: at}
			dst := m.tensor(g.engine, g.dtype, in[0].Shape()...)
			return dst, g.engine.SparseMatMul(dst, rows.Transpose(), dense(in[1]))
		}
		return G.Nodes{g.derived("gradient of rows of items", op.shape, back, in[0], grad)}
	}
	return g.add(op, x)
}

// shapeOf returns the shape of a node, nil of none.
func shapeOf(n *G.Node) tensor.Shape {
	if n == nil {
		return nil
	}
	return n.Shape()
}

// part adds a part of what an operation computed, which nothing else looks at.
func (g *Graph) part(of *G.Node, shape tensor.Shape, take func(m *memory, all *tensor.Dense) *tensor.Dense) *G.Node {
	node := g.derived("part", shape, func(m *memory, in []G.Value) (G.Value, error) {
		m.used = 0
		return take(m, dense(in[0])), nil
	}, of)
	if node != nil {
		node.Op().(*operation).exclusive = true
	}
	return node
}
