package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gram adds the kernel matrices of anchors z (p x q x d), J x q x q and Float64, as [engine.Engine.Gram]
// computes them.
func (g *Graph) Gram(z *G.Node, kernel engine.Kernel, allLengths bool) *G.Node {
	shape := g.dims("Gram", z, 3)
	p, q := shape[0], shape[1]
	lengths := 1
	if allLengths {
		lengths = p
	}
	op := &operation{name: "kernel matrix", shape: tensor.Shape{lengths, q, q}, dtype: tensor.Float64, wrt: []bool{true}}
	result := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		dst := result.tensor(g.engine, tensor.Float64, lengths, q, q)
		return dst, g.engine.Gram(dst, dense(in[0]), kernel, allLengths)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			dst, plus := m.tensor(g.engine, g.dtype, shape...), (*tensor.Dense)(nil)
			if len(in) > 3 {
				plus = dense(in[3])
			}
			return dst, g.engine.GramGrad(dst, plus, dense(in[0]), dense(in[2]), dense(in[1]), kernel, allLengths)
		}
		return G.Nodes{g.derived("gradient of kernel matrix", shape, back, in[0], out, grad)}
	}
	return g.add(op, z)
}

// plus returns a gradient of Gram, of which there was one, with another gradient of the same anchors added to it: the
// operation takes it as one child more.
func (g *Graph) plus(gradient, other *G.Node) *G.Node {
	if g.err != nil {
		return nil
	}
	op := *gradient.Op().(*operation)
	return g.add(&op, append(g.children(gradient), other)...)
}
