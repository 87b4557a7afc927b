package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Linear adds x W^T + b for the rows of x (rows x D), a weight W (outputs x D) and a bias b (1 x outputs) or nil.
func (g *Graph) Linear(x, weight, bias *G.Node) *G.Node {
	sx, sw := g.dims("Linear", x, 2), g.dims("Linear", weight, 2)
	outputs, d := sw[0], sw[1]
	g.want(sx[1] == d, "Linear: rows of %d columns, weights for %d", sx[1], d)
	if g.shared && x == g.features && bias == nil && g.err == nil {
		return g.linearOfShared(weight)
	}
	children, wrt := []*G.Node{x, weight}, []bool{g.differentiable(x), true}
	if bias != nil {
		sb := g.dims("Linear", bias, 2)
		g.want(sb[0] == 1 && sb[1] == outputs, "Linear: bias of shape %v, want (1, %d)", sb, outputs)
		children, wrt = append(children, bias), append(wrt, true)
	}
	op := &operation{name: "linear layer", shape: tensor.Shape{varying, outputs}, wrt: wrt}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		var row *tensor.Dense
		if bias != nil {
			row = dense(in[2])
		}
		out := m.tensor(g.engine, g.dtype, in[0].Shape()[0], outputs)
		return out, g.engine.Linear(out, dense(in[0]), dense(in[1]), row)
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		shapes := []tensor.Shape{sx, {outputs, d}, nil}
		if !wrt[0] {
			shapes[0] = nil
		}
		if bias != nil {
			shapes[2] = tensor.Shape{1, outputs}
		}
		return g.parts("gradient of linear layer", shapes, func(to []*tensor.Dense, in []G.Value) error {
			return g.engine.LinearGrad(to[0], to[1], to[2], dense(in[2]), dense(in[0]), dense(in[1]))
		}, in[0], in[1], grad)[:len(children)]
	}
	return g.add(op, children...)
}

// linearOfShared adds F W^T for the features F of vertices that share the rows R of the batch: S (R W^T), where the
// matrix S selects the row of each vertex. The gradient of W is (S^T grad)^T R.
func (g *Graph) linearOfShared(weight *G.Node) *G.Node {
	outputs, d := weight.Shape()[0], weight.Shape()[1]
	of := mixing{adjacency: selection, features: true, call: -1}
	g.network.wants.mixing(of)
	op := &operation{name: "linear layer of shared features", shape: tensor.Shape{varying, outputs},
		wrt: []bool{true, false}, blind: 1}
	m, product := op.newMemory(), op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		l := &g.batch.layout
		if err := l.check(d); err != nil {
			return nil, err
		}
		rows := product.tensor(g.engine, g.dtype, l.rows.Shape()[0], outputs)
		if err := g.engine.Linear(rows, l.rows, dense(in[0]), nil); err != nil || l.index == nil {
			return rows, err
		}
		out := m.tensor(g.engine, g.dtype, len(l.index), outputs)
		return out, g.engine.Place(out, rows, l.index, engine.Placement{Stride: 1})
	}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of " + op.name, shape: tensor.Shape{outputs, d}}
		m, product := back.newMemory(), back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			l := &g.batch.layout
			rows := product.tensor(g.engine, g.dtype, l.rows.Shape()[0], outputs)
			if err := g.engine.SparseMatMul(rows, l.neighbours[of].back, dense(in[0])); err != nil {
				return nil, err
			}
			out := m.tensor(g.engine, g.dtype, outputs, d)
			return out, g.engine.LinearGrad(nil, out, nil, rows, l.rows, dense(in[1]))
		}
		return G.Nodes{g.add(back, grad, weight), nil}
	}
	return g.add(op, weight, g.features)
}
