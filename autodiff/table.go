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
	Rows  *tensor.Dense
	Norms *tensor.Dense // nil: ones, and in a gradient zeros
}

// Shape returns the shape of the rows.
func (t *Table) Shape() tensor.Shape { return t.Rows.Shape() }

// Size returns the number of elements of the rows.
func (t *Table) Size() int { return t.Rows.Size() }

// Data returns the elements of the rows, a slice.
func (t *Table) Data() any { return t.Rows.Data() }

// Dtype returns the type of the elements of the rows.
func (t *Table) Dtype() tensor.Dtype { return t.Rows.Dtype() }

// Uintptr returns the address of the rows.
func (t *Table) Uintptr() uintptr { return t.Rows.Uintptr() }

// MemSize returns the bytes of the rows.
func (t *Table) MemSize() uintptr { return t.Rows.MemSize() }

// Format prints the rows.
func (t *Table) Format(s fmt.State, c rune) { t.Rows.Format(s, c) }

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
		back := &operation{name: "gradient of normalize rows", shape: op.shape}
		m := back.newMemory()
		back.compute = func(in []G.Value) (G.Value, error) {
			table, grad := in[0].(*Table), in[1].(*Table)
			dst := m.tensor(g.engine, g.dtype, table.Rows.Shape()...)
			return dst, g.engine.NormalizeRowsGrad(dst, grad.Rows, grad.Norms, table.Rows, table.Norms, eps)
		}
		return G.Nodes{g.add(back, out, grad)}
	}
	return g.add(op, x)
}
