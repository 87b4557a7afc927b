package autodiff

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Vertices adds the features of the vertices of the batch, a row of d columns for each.
func (g *Graph) Vertices(d int) *G.Node {
	if g.features != nil {
		return g.features
	}
	if g.kind == explained {
		g.features = g.Variable("features", d)
		return g.features
	}
	op := &operation{name: "features", shape: tensor.Shape{varying, d}}
	m := op.newMemory()
	op.compute = func([]G.Value) (G.Value, error) {
		l := &g.batch.layout
		if err := l.check(d); err != nil || l.index == nil {
			return l.rows, err
		}
		out := m.tensor(g.engine, g.dtype, len(l.index), d)
		return out, g.engine.Place(out, l.rows, l.index, engine.Placement{Stride: 1})
	}
	g.features = g.add(op)
	return g.features
}

// check says what does not fit about features that a network wants with d columns.
func (l *layout) check(d int) error {
	if l.rows == nil {
		return errors.New("the batch was not made by Network.Layout")
	}
	if got := l.rows.Shape()[1]; got != d {
		return fmt.Errorf("vertices of %d columns, the network wants %d", got, d)
	}
	return nil
}

// Neighbours adds the product of a matrix between the vertices of the batch and the rows x of the vertices: every
// vertex combines the rows of its neighbours.
func (g *Graph) Neighbours(x *G.Node, a Adjacency) *G.Node {
	shape := g.dims("Neighbours", x, 2)
	if g.err != nil {
		return nil
	}
	of := mixing{a, x == g.features && g.kind != explained, g.mixings}
	g.mixings++
	g.network.wants.mixing(of)
	op := &operation{name: "neighbours", shape: shape, wrt: []bool{!of.features}}
	m := op.newMemory()
	if of.features {
		op.blind = 1
		op.compute = func([]G.Value) (G.Value, error) {
			l := &g.batch.layout
			if err := l.check(shape[1]); err != nil {
				return nil, err
			}
			a := l.neighbours[of].forward
			out := m.tensor(g.engine, g.dtype, a.Rows(), shape[1])
			return out, g.mix(out, a, l.rows)
		}
		return g.add(op, x)
	}
	op.compute = func(in []G.Value) (G.Value, error) {
		a := g.batch.layout.neighbours[of].forward
		out := m.tensor(g.engine, g.dtype, a.Rows(), shape[1])
		return out, g.mix(out, a, dense(in[0]))
	}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			a := g.batch.layout.neighbours[of].back
			dst := m.tensor(g.engine, g.dtype, a.Rows(), shape[1])
			return dst, g.engine.SparseMatMul(dst, a, dense(in[0]))
		}
		node := g.derived("gradient of neighbours", shape, back, grad)
		if node != nil {
			op := node.Op().(*operation)
			op.exclusive = true
			op.accumulate = func(dst *tensor.Dense, in []G.Value) error {
				return g.engine.SparseMatMulAdd(dst, g.batch.layout.neighbours[of].back, dense(in[0]))
			}
		}
		return G.Nodes{node}
	}
	return g.add(op, x)
}

// mix computes y = a x. What is predicted of an item must not depend on the others of its batch: there a device adds up
// row by row, for where its sparse product cuts long sums depends on all rows.
func (g *Graph) mix(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if g.training() || !g.engine.Capabilities().Deferred {
		return g.engine.SparseMatMul(y, a, x)
	}
	rows := engine.Segments{Offsets: a.RowPtr, Index: a.Col, Weights: a.Values}
	return g.engine.SegmentReduce(y, x, rows, engine.Sum)
}
