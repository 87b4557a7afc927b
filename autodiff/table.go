package autodiff

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Table is the value of nodes that carry rows together with one number for each row: unit vectors and the
// norms that they were divided by, or scores and norms. The gradient of a table is a table. It is one
// value, so that a node which needs both has one child and one gradient.
type Table struct {
	*Rows
	Norms *tensor.Dense // nil: ones, and in a gradient zeros
}

// Rows are a matrix: under this name a table has its methods, which make it a [G.Value].
type Rows = tensor.Dense

var _ G.Value = (*Table)(nil)

// dense returns a value that an operation knows to be a tensor, or the rows of a table.
func dense(v G.Value) *tensor.Dense {
	if t, ok := v.(*Table); ok {
		return t.Rows
	}
	return v.(*tensor.Dense)
}

// NormEps bounds norms from below where vectors are divided by them (published GCKN code).
const NormEps = 1e-4

// Input adds the input rows of the batch (a table), whose width is d. They have no gradient.
func (g *Graph) Input(d int) *G.Node {
	return g.add(&operation{
		name: "input", shape: tensor.Shape{varying, d},
		compute: func([]G.Value) (G.Value, error) {
			if got := g.batch.input.Rows.Shape()[1]; got != d {
				return nil, fmt.Errorf("vertices of %d columns, the network wants %d", got, d)
			}
			return &g.batch.input, nil
		},
	})
}

// Normalize adds the table of the rows of x divided by max(norm, eps), and of their norms (not clamped).
func (g *Graph) Normalize(x *G.Node, eps float64) *G.Node {
	shape := g.dims("Normalize", x, 2)
	op := &operation{name: "normalize rows", shape: tensor.Shape{varying, shape[1]}, wrt: []bool{true}}
	unit, norms, table := op.newMemory(), op.newMemory(), &Table{}
	op.compute = func(in []G.Value) (G.Value, error) {
		x := dense(in[0])
		n, d := x.Shape()[0], x.Shape()[1]
		table.Rows, table.Norms = unit.tensor(g.engine, g.dtype, n, d), norms.tensor(g.engine, g.dtype, n)
		return table, g.engine.NormalizeRows(table.Rows, table.Norms, x, eps)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			table, grad := in[0].(*Table), in[1].(*Table)
			dst := m.tensor(g.engine, g.dtype, table.Rows.Shape()...)
			return dst, g.engine.NormalizeRowsGrad(dst, grad.Rows, grad.Norms, table.Rows, table.Norms, eps)
		}
		return G.Nodes{g.derived("gradient of normalize rows", op.shape, back, out, grad)}
	}
	return g.add(op, x)
}
