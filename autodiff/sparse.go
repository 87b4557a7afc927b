package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SparseMatMul adds A X for a sparse A (r x s), which is no parameter, and dense X (s x q): the messages of a graph
// convolution where A is an adjacency matrix ([engine.Adjacency]). The gradient with respect to X is A^T times that of
// the product.
func (g *Graph) SparseMatMul(a *engine.Sparse, x *G.Node) *G.Node {
	shape := g.dims("SparseMatMul", x, 2)
	if !g.want(shape[0] == a.Cols, "SparseMatMul: a matrix of %d columns, %d rows", a.Cols, shape[0]) {
		return nil
	}
	op := g.sparseProduct("sparse product", a, shape[1])
	op.wrt = []bool{true}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		return G.Nodes{g.add(g.sparseProduct("gradient of sparse product", a.Transpose(), shape[1]), grad)}
	}
	return g.add(op, x)
}

// sparseProduct returns the operation that multiplies a and a matrix of q columns.
func (g *Graph) sparseProduct(name string, a *engine.Sparse, q int) *operation {
	op := &operation{name: name, shape: tensor.Shape{a.Rows(), q}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		y := m.tensor(g.engine, g.dtype, a.Rows(), q)
		return y, g.engine.SparseMatMul(y, a, dense(in[0]))
	}
	return op
}
