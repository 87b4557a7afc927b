package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// InvSqrtGradient says which gradient an inverse square root has.
type InvSqrtGradient int

const (
	// Published is that of the published GCKN code for [engine.AfterRoot]: with K = V diag(e) V^T and
	// s = sqrt(e) + eps, -V (F o (V^T G V)) V^T for F_ij = 1/((s_i + s_j) s_i s_j). It stays finite where
	// anchors coincide. It is the true derivative at (sqrt(K) + eps)^2 of the inverse square root without
	// regularisation; for [engine.InsideRoot] it is the true derivative.
	Published InvSqrtGradient = iota
	// Exact is the true derivative: F has sqrt(e_i) + sqrt(e_j) in place of s_i + s_j. It has no bound where
	// anchors coincide.
	Exact
)

// rootFactors is an engine that keeps the eigendecompositions of an inverse square root for the published
// gradient.
type rootFactors interface {
	InvSqrtFactors(dst, values, vectors, k *tensor.Dense, eps float64) error
	InvSqrtFactorsGrad(kGrad, dstGrad, values, vectors *tensor.Dense, eps float64) error
}

// InvSqrt adds the regularised inverse square roots of kernel matrices k (J x q x q, Float64).
func (g *Graph) InvSqrt(k *G.Node, eps float64, rule engine.InvSqrtRule, gradient InvSqrtGradient) *G.Node {
	shape := g.dims("InvSqrt", k, 3)
	if factors, ok := g.engine.(rootFactors); ok && rule == engine.AfterRoot && gradient == Published {
		return g.factoredInvSqrt(factors, k, eps)
	}
	op := &operation{name: "inverse square root", shape: shape, dtype: tensor.Float64, wrt: []bool{true}}
	out := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		dst := out.tensor(g.engine, tensor.Float64, shape...)
		return dst, g.engine.InvSqrt(dst, dense(in[0]), eps, rule)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of inverse square root", shape: shape, dtype: tensor.Float64}
		dst, shifted := back.newMemory(), back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			k, root, grad := dense(in[0]), dense(in[1]), dense(in[2])
			kGrad := dst.tensor(g.engine, tensor.Float64, shape...)
			if gradient == Exact || rule == engine.InsideRoot {
				return kGrad, g.engine.InvSqrtGrad(kGrad, grad, k, eps, rule)
			}
			square := shifted.tensor(g.engine, tensor.Float64, shape...)
			if err := g.shiftedSquare(shifted, square, k, root, eps); err != nil {
				return nil, err
			}
			return kGrad, g.engine.InvSqrtGrad(kGrad, grad, square, 0, engine.AfterRoot)
		}
		return G.Nodes{g.add(back, in[0], out, grad)}
	}
	return g.add(op, k)
}

// factoredInvSqrt is InvSqrt with the published gradient on an engine that keeps what the gradient needs.
func (g *Graph) factoredInvSqrt(e rootFactors, k *G.Node, eps float64) *G.Node {
	shape := g.dims("InvSqrt", k, 3)
	op := &operation{name: "inverse square root", shape: shape, dtype: tensor.Float64, wrt: []bool{true}}
	out, eigenvalues, eigenvectors := op.newMemory(), op.newMemory(), op.newMemory()
	var values, vectors *tensor.Dense // of the last run
	op.compute = func(in []G.Value) (G.Value, error) {
		dst := out.tensor(g.engine, tensor.Float64, shape...)
		values = eigenvalues.tensor(g.engine, tensor.Float64, shape[:2]...)
		vectors = eigenvectors.tensor(g.engine, tensor.Float64, shape...)
		return dst, e.InvSqrtFactors(dst, values, vectors, dense(in[0]), eps)
	}
	op.gradient = func(_ G.Nodes, out, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of inverse square root", shape: shape, dtype: tensor.Float64}
		m := back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			kGrad := m.tensor(g.engine, tensor.Float64, shape...)
			return kGrad, e.InvSqrtFactorsGrad(kGrad, dense(in[1]), values, vectors, eps)
		}
		return G.Nodes{g.add(back, out, grad)} // out: the factors of this run are known
	}
	return g.add(op, k)
}

// shiftedSquare computes (sqrt(K) + eps)^2 for each of the matrices k, with R = (sqrt(K) + eps)^{-1} in roots.
// Since K R = sqrt(K) - eps + eps^2 R, it is K + 2 eps K R + 3 eps^2 - 2 eps^3 R.
func (g *Graph) shiftedSquare(m *memory, dst, k, roots *tensor.Dense, eps float64) error {
	q := k.Shape()[1]
	one, err := g.identity(q, tensor.Float64)
	if err != nil {
		return err
	}
	if err := g.engine.Convert(dst, k); err != nil {
		return err
	}
	for j := range k.Shape()[0] {
		part := func(t *tensor.Dense) *tensor.Dense { return m.view(t, j*q*q, q, q) }
		sum, k, root := part(dst), part(k), part(roots)
		for _, term := range []struct {
			a, b   *tensor.Dense
			factor float64
		}{{k, root, 2 * eps}, {one, one, 3 * eps * eps}, {one, root, -2 * eps * eps * eps}} {
			if err := g.engine.MatMul(sum, term.a, term.b, engine.MatMul{Alpha: term.factor, Beta: 1}); err != nil {
				return err
			}
		}
	}
	return nil
}
