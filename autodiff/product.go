package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Scores adds the table of the inner products of the rows of a table (n x d) with the anchors z (p x q x d),
// n x (p q), and of the norms. fixed says that the rows have no gradient.
func (g *Graph) Scores(rows, z *G.Node, fixed bool) *G.Node {
	d, shape := g.dims("Scores", rows, 2)[1], g.dims("Scores", z, 3)
	g.want(d == shape[2], "Scores: anchors of dimension %d, rows of %d", shape[2], d)
	anchors := shape[0] * shape[1]
	op := &operation{name: "scores", shape: tensor.Shape{varying, anchors}, wrt: []bool{!fixed, true}}
	out, table := op.newMemory(), &Table{}
	op.compute = func(in []G.Value) (G.Value, error) {
		rows := in[0].(*Table)
		n := rows.Rows.Shape()[0]
		table.Rows, table.Norms = out.tensor(g.engine, g.dtype, n, anchors), rows.Norms
		z := out.view(dense(in[1]), 0, anchors, d)
		return table, g.multiply(table.Rows, rows.Rows, z, engine.Gemm{TransB: true, Alpha: 1, Apart: g.apart})
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		toAnchors := func(m *memory, in []G.Value) (G.Value, error) {
			dst := m.tensor(g.engine, g.dtype, shape...)
			return dst, g.multiply(m.view(dst, 0, anchors, d), in[1].(*Table).Rows, in[0].(*Table).Rows,
				engine.Gemm{TransA: true, Alpha: 1})
		}
		dz := g.derived("gradient of scores to anchors", shape, toAnchors, in[0], grad)
		if fixed {
			return G.Nodes{nil, dz}
		}
		rowGrad := &Table{}
		toRows := func(m *memory, in []G.Value) (G.Value, error) {
			grad := in[1].(*Table)
			rowGrad.Rows, rowGrad.Norms = m.tensor(g.engine, g.dtype, grad.Rows.Shape()[0], d), grad.Norms
			return rowGrad, g.multiply(rowGrad.Rows, grad.Rows, m.view(dense(in[0]), 0, anchors, d), engine.Gemm{Alpha: 1})
		}
		return G.Nodes{g.derived("gradient of scores to rows", tensor.Shape{varying, d}, toRows, in[1], grad), dz}
	}
	return g.add(op, rows, z)
}

// multiply computes a product of scores or of their gradients, in the precision of the graph. The other products are in
// full precision: rounded factors of a projection lose most of their digits where anchors are close and the inverse
// square root large, and the rest is small.
func (g *Graph) multiply(c, a, b *tensor.Dense, opt engine.Gemm) error {
	opt.Precision = g.precise
	return g.engine.Gemm(c, a, b, opt)
}
