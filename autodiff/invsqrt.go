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
	// anchors coincide. For [engine.InsideRoot] it is the true derivative.
	Published InvSqrtGradient = iota
	// Exact is the true derivative: F has sqrt(e_i) + sqrt(e_j) in place of s_i + s_j. It has no bound where
	// anchors coincide.
	Exact
)

// InvSqrt adds the regularised inverse square roots of kernel matrices k (J x q x q, Float64).
func (g *Graph) InvSqrt(k *G.Node, eps float64, rule engine.InvSqrtRule, gradient InvSqrtGradient) *G.Node {
	shape := g.dims("InvSqrt", k, 3)
	if rule == engine.AfterRoot && gradient == Published {
		rule = engine.Published
	}
	op := &operation{name: "inverse square root", shape: shape, dtype: tensor.Float64, wrt: []bool{true}}
	out, values, vectors := op.newMemory(), op.newMemory(), op.newMemory()
	var spectrum engine.Spectrum // of the last run
	op.compute = func(in []G.Value) (G.Value, error) {
		dst := out.tensor(g.engine, tensor.Float64, shape...)
		spectrum.Values = values.tensor(g.engine, tensor.Float64, shape[:2]...)
		spectrum.Vectors = vectors.tensor(g.engine, tensor.Float64, shape...)
		return dst, g.engine.InvSqrt(dst, &spectrum, dense(in[0]), eps, rule)
	}
	op.gradient = func(_ G.Nodes, out, grad *G.Node) G.Nodes {
		back := &operation{name: "gradient of inverse square root", shape: shape, dtype: tensor.Float64}
		m := back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			kGrad := m.tensor(g.engine, tensor.Float64, shape...)
			return kGrad, g.engine.InvSqrtGrad(kGrad, dense(in[1]), &spectrum, eps, rule)
		}
		return G.Nodes{g.add(back, out, grad)} // out: the spectrum of this run is known
	}
	return g.add(op, k)
}
