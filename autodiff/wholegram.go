package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// WholeGram computes the kernel matrices of the anchors z (p x q x d) of a layer with [Layer].PathNorms: out, J x q x q
// and Float64, has for each length j of the layer exp(alpha (<z, z'> / (|z| |z'|) - 1)) of the first j positions of all
// pairs of anchors, which count as vectors of norm 1.
func WholeGram(e engine.Engine, out, z *tensor.Dense, layer Layer) error {
	pooling := layer.pooling()
	p, units, norms := newPrefixes(pooling.Lengths(), z.Shape()), &memory{}, &memory{}
	defer units.release(e)
	defer norms.release(e)
	if err := p.compute(e, z.Dtype(), units, norms, z); err != nil {
		return err
	}
	return p.gram(e, units, out, &layer)
}

// gram computes the kernel matrices of the prefixes.
func (p *prefixes) gram(e engine.Engine, m *memory, out *tensor.Dense, layer *Layer) error {
	return p.each(m, func(i int, unit *tensor.Dense) error {
		return e.Gram(p.matrix(m, out, i), unit, layer.single(p.lengths[i]), false)
	})
}

// each calls body with the vectors of every length as anchors of one position.
func (p *prefixes) each(m *memory, body func(i int, unit *tensor.Dense) error) error {
	for i, unit := range p.unit {
		s := unit.Shape()
		if err := body(i, m.view(unit, 0, 1, s[0], s[1])); err != nil {
			return err
		}
	}
	return nil
}

// matrix views the matrix of a length.
func (p *prefixes) matrix(m *memory, all *tensor.Dense, i int) *tensor.Dense {
	q := p.shape[1]
	return m.view(all, i*q*q, 1, q, q)
}

// WholeGram adds the kernel matrices of anchors z as [WholeGram] computes them.
func (g *Graph) WholeGram(z *G.Node, layer Layer) *G.Node {
	shape, pooling := g.dims("WholeGram", z, 3), layer.pooling()
	p, q := newPrefixes(pooling.Lengths(), shape), shape[1]
	op := &operation{name: "kernel matrix of whole paths", shape: tensor.Shape{len(p.lengths), q, q},
		dtype: tensor.Float64, wrt: []bool{true}}
	result, units, norms := op.newMemory(), op.newMemory(), op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		if err := p.compute(g.engine, g.dtype, units, norms, dense(in[0])); err != nil {
			return nil, err
		}
		out := result.tensor(g.engine, tensor.Float64, len(p.lengths), q, q)
		return out, p.gram(g.engine, units, out, &layer)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		grads := op.newMemory()
		back := func(m *memory, in []G.Value) (G.Value, error) {
			dst := m.tensor(g.engine, g.dtype, shape...)
			all := grads.tensor(g.engine, g.dtype, p.elements(len(p.lengths)))
			err := p.each(grads, func(i int, unit *tensor.Dense) error {
				to := grads.view(all, p.elements(i), unit.Shape()...)
				return g.engine.GramGrad(to, nil, unit, p.matrix(grads, dense(in[2]), i), p.matrix(grads, dense(in[1]), i),
					layer.single(p.lengths[i]), false)
			})
			plus := len(in) > 3
			if err == nil && plus {
				err = g.engine.Convert(dst, dense(in[3]))
			}
			if err != nil {
				return nil, err
			}
			return dst, p.gradient(g.engine, grads, dst, all, !plus)
		}
		return G.Nodes{g.derived("gradient of kernel matrix", shape, back, in[0], out, grad)}
	}
	return g.add(op, z)
}
