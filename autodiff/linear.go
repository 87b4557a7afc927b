package autodiff

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Linear adds x W^T + b for the rows of x (rows x D), a weight W (outputs x D) and a bias b (1 x outputs) or nil.
func (g *Graph) Linear(x, weight, bias *G.Node) *G.Node {
	sx, sw := g.dims("Linear", x, 2), g.dims("Linear", weight, 2)
	outputs, d := sw[0], sw[1]
	g.want(sx[1] == d, "Linear: rows of %d columns, weights for %d", sx[1], d)
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
