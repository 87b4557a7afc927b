package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gram adds the kernel matrices of anchors z (p x q x d), J x q x q and Float64, as [engine.Engine.Gram]
// computes them.
//
// Its gradient is composed where the engine does not have it. With C_j = 1/j sum_{i<=j} Z_i Z_i^T both forms of the
// kernel read K_j = exp(a_j (C_j - 1)) for a_j = j scale_j, which is the pooling of single vertices with the scores
// C_j; so the engine's gradient of that pooling turns the gradient G_j of K_j into that of C_j, M_j = a_j K_j o G_j,
// and the gradient of Z_i is sum_{j>=i} 1/j (M_j + M_j^T) Z_i.
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
		if e := g.engine.Capabilities().GramGrad; e != nil {
			return G.Nodes{g.add(g.wholeGramGradient(e, shape, kernel, allLengths), in[0], out, grad)}
		}
		return G.Nodes{g.add(g.gramGradient(shape, kernel, lengths), in[0], grad)}
	}
	return g.add(op, z)
}

// wholeGramGradient returns the gradient of Gram, for z, the kernel matrices and their gradient.
func (g *Graph) wholeGramGradient(
	e engine.GramGrader, shape tensor.Shape, kernel engine.Kernel, allLengths bool,
) *operation {
	op := &operation{name: "gradient of kernel matrix", shape: shape}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		dst := m.tensor(g.engine, g.dtype, shape...)
		return dst, e.GramGrad(dst, dense(in[0]), dense(in[2]), dense(in[1]), kernel, allLengths)
	}
	return op
}

// gramGradient returns the gradient of Gram, for z and the gradient of the kernel matrices. It computes in
// float64.
func (g *Graph) gramGradient(shape tensor.Shape, kernel engine.Kernel, lengths int) *operation {
	p, q, d := shape[0], shape[1], shape[2]
	op := &operation{name: "gradient of kernel matrix", shape: shape}
	result, wide, means, slopes, sums := op.newMemory(), op.newMemory(), op.newMemory(), op.newMemory(), op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		z, gradient := dense(in[0]), dense(in[1])
		dst, wideGrad := result.tensor(g.engine, g.dtype, shape...), (*tensor.Dense)(nil)
		if g.dtype == tensor.Float64 {
			wideGrad = dst
			wide.used = 0
		} else {
			both := wide.tensor(g.engine, tensor.Float64, 2, p, q, d)
			z64 := wide.view(both, 0, shape...)
			if err := g.engine.Convert(z64, z); err != nil {
				return nil, err
			}
			z, wideGrad = z64, wide.view(both, p*q*d, shape...)
		}
		c := means.tensor(g.engine, tensor.Float64, q, q)
		m := slopes.tensor(g.engine, tensor.Float64, lengths, q, q)
		for j := 1; j <= p; j++ { // C_j = (j-1)/j C_{j-1} + 1/j Z_j Z_j^T
			zj := wide.view(z, (j-1)*q*d, q, d)
			running := engine.MatMul{TransB: true, Alpha: 1 / float64(j), Beta: float64(j-1) / float64(j)}
			if err := g.engine.MatMul(c, zj, zj, running); err != nil {
				return nil, err
			}
			if lengths == 1 && j < p {
				continue
			}
			slot := min(j, lengths) - 1
			scale, _ := kernel.Scale(j)
			single := engine.PathPooling{Size: 1, Kernel: engine.Kernel{Alpha: scale * float64(j)}}
			mj, outGrad := slopes.view(m, slot*q*q, q, q), slopes.view(gradient, slot*q*q, q, q)
			if err := g.engine.PathPoolGrad(mj, nil, []*tensor.Dense{outGrad}, c, nil, &single); err != nil {
				return nil, err
			}
		}
		one, err := g.identity(q, tensor.Float64)
		if err != nil {
			return nil, err
		}
		sum := sums.tensor(g.engine, tensor.Float64, q, q) // over j >= i of 1/j (M_j + M_j^T)
		for i := p; i >= 1; i-- {
			if lengths == p || i == p {
				mj := slopes.view(m, (min(i, lengths)-1)*q*q, q, q)
				beta := 1.0
				if i == p {
					beta = 0
				}
				for _, transposed := range []bool{false, true} {
					share := engine.MatMul{TransA: transposed, Alpha: 1 / float64(i), Beta: beta}
					if err := g.engine.MatMul(sum, mj, one, share); err != nil {
						return nil, err
					}
					beta = 1
				}
			}
			zi, grad := wide.view(z, (i-1)*q*d, q, d), wide.view(wideGrad, (i-1)*q*d, q, d)
			if err := g.engine.MatMul(grad, sum, zi, engine.MatMul{Alpha: 1}); err != nil {
				return nil, err
			}
		}
		if wideGrad == dst {
			return dst, nil
		}
		return dst, g.engine.Convert(dst, wideGrad)
	}
	return op
}
