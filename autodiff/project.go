package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// where says which stacked channels a node of a graph holds.
type where func(b *Batch) []block

// leaving returns the channels that leave layer l.
func leaving(l int) where { return func(b *Batch) []block { return b.stages[l].out } }

// pooled returns the channels of the readout of layer l, one row for each item.
func pooled(l int) where { return func(b *Batch) []block { return b.stages[l].readout.blocks } }

// project adds the product of every channel of x (rows x q) with its matrix of a (J x q x q, Float64): channel c with
// matrix c mod J, the local projection of Eq. 13 of the GCKN paper. Sums and means commute with it: what
// [Graph.Readout] pooled may be projected in place of the vertices. With the number of channels interleaved is the
// representation of every item, items x (q C), column = filter C + channel, the order of the published code; it is 0
// for channels that stay stacked.
func (g *Graph) project(x, a *G.Node, channels where, interleaved int) *G.Node {
	shape, matrices := g.dims("project", x, 2), g.dims("project", a, 3)
	q := matrices[1]
	g.want(shape[1] == q && matrices[2] == q, "project: rows of %d columns and matrices of shape %v", shape[1], matrices)
	layout := func() engine.Projection {
		p := engine.Projection{Offsets: []int32{0}, Interleaved: interleaved > 0, Apart: g.apart}
		for _, b := range channels(g.batch) {
			p.Offsets = append(p.Offsets, int32(b.first+b.rows))
		}
		return p
	}
	op := &operation{name: "projection", shape: shape, wrt: []bool{true, true}}
	if interleaved > 0 {
		op.shape = tensor.Shape{varying, q * interleaved}
	}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		x, rows, columns := dense(in[0]), in[0].Shape()[0], q
		if interleaved > 0 {
			rows, columns = rows/interleaved, q*interleaved
		}
		out := m.tensor(g.engine, g.dtype, rows, columns)
		return out, g.engine.Project(out, x, dense(in[1]), layout())
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		toRows := func(m *memory, in []G.Value) (G.Value, error) {
			x, a, grad := dense(in[0]), dense(in[1]), dense(in[2])
			out := m.tensor(g.engine, g.dtype, x.Shape()...)
			return out, g.engine.ProjectGrad(out, nil, grad, x, a, layout())
		}
		toMatrices := func(m *memory, in []G.Value) (G.Value, error) {
			x, a, grad := dense(in[0]), dense(in[1]), dense(in[2])
			out := m.tensor(g.engine, tensor.Float64, matrices...)
			return out, g.engine.ProjectGrad(nil, out, grad, x, a, layout())
		}
		ofMatrices := g.derived("gradient of projection to matrices", matrices, toMatrices, in[0], in[1], grad)
		return G.Nodes{g.derived("gradient of projection to rows", shape, toRows, in[0], in[1], grad), ofMatrices}
	}
	return g.add(op, x, a)
}

// Readout adds the global pooling of the channels x of layer l over the vertices of every item of the batch (a graph
// or a vertex): the channels stacked, one row for each item. A positive ridge stands for generalised max pooling in
// place of pool, see [Layer], which is computed in host memory, as is its gradient.
func (g *Graph) Readout(l int, x *G.Node, pool engine.Pooling, ridge float64) *G.Node {
	shape := g.dims("Readout", x, 2)
	op := &operation{name: "global pooling", shape: shape, wrt: []bool{true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		r := &g.batch.stages[l].readout
		out := m.tensor(g.engine, g.dtype, rowsOf(r.blocks), shape[1])
		switch {
		case ridge > 0:
			return out, equalizeSegments(g.engine, out, dense(in[0]), &r.segments, ridge)
		case r.matrix != nil:
			return out, g.engine.SparseMatMul(out, r.matrix, dense(in[0]))
		}
		return out, g.engine.SegmentReduce(out, dense(in[0]), r.segments, pool)
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			x, r := dense(in[0]), &g.batch.stages[l].readout
			dst := m.tensor(g.engine, g.dtype, x.Shape()...)
			if ridge > 0 {
				return dst, equalizeSegmentsGradient(g.engine, dst, dense(in[1]), x, &r.segments, ridge)
			}
			if pool == engine.Max {
				return dst, g.engine.SegmentReduceGrad(dst, dense(in[1]), x, r.segments, pool)
			}
			return dst, g.engine.SparseMatMul(dst, r.transposed, dense(in[1]))
		}
		return G.Nodes{g.derived("gradient of global pooling", shape, back, in[0], grad)}
	}
	return g.add(op, x)
}

// Interleave adds the representation of every item, items x (q C), from its C stacked channels of q filters:
// column = filter C + channel, the order of the published code. It is the transposition of a
// C x (items q) matrix.
func (g *Graph) Interleave(x *G.Node, channels int) *G.Node {
	q := g.dims("Interleave", x, 2)[1]
	turn := func(m *memory, src *tensor.Dense, rows, columns int, shape ...int) (*tensor.Dense, error) {
		out := m.tensor(g.engine, g.dtype, shape...)
		if channels == 1 {
			return out, g.engine.Convert(out, src)
		}
		one, err := g.identity(channels, g.dtype)
		if err != nil {
			return nil, err
		}
		src, dst := m.view(src, 0, rows, columns), m.view(out, 0, columns, rows)
		if columns == channels {
			return out, g.engine.Gemm(dst, one, src, engine.Gemm{TransB: true, Alpha: 1})
		}
		return out, g.engine.Gemm(dst, src, one, engine.Gemm{TransA: true, Alpha: 1})
	}
	op := &operation{name: "interleaving", shape: tensor.Shape{varying, q * channels}, wrt: []bool{true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		items := in[0].Shape()[0] / channels
		return turn(m, dense(in[0]), channels, items*q, items, q*channels)
	}
	op.gradient = func(_ G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) {
			items := in[0].Shape()[0]
			return turn(m, dense(in[0]), items*q, channels, items*channels, q)
		}
		return G.Nodes{g.derived("gradient of interleaving", tensor.Shape{varying, q}, back, grad)}
	}
	return g.add(op, x)
}

// Concat adds the columns of several matrices one after another. Its gradient is for Float64 in host memory.
func (g *Graph) Concat(blocks ...*G.Node) *G.Node {
	if len(blocks) == 1 {
		return blocks[0]
	}
	if g.err != nil {
		return nil
	}
	op, starts, width := &operation{name: "concatenation"}, []int(nil), 0
	for _, x := range blocks {
		op.wrt, starts = append(op.wrt, true), append(starts, width)
		width += g.dims("Concat", x, 2)[1]
	}
	op.shape = tensor.Shape{varying, width}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		out := m.tensor(g.engine, g.dtype, in[0].Shape()[0], width)
		for i, x := range in {
			if err := g.engine.Place(out, dense(x), nil, engine.Placement{Column: starts[i], Stride: 1}); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		var grads G.Nodes
		for i, x := range in {
			columns := x.Shape()[1]
			back := func(m *memory, in []G.Value) (G.Value, error) {
				all := dense(in[0])
				out := m.tensor(g.engine, g.dtype, all.Shape()[0], columns)
				for r := range all.Shape()[0] {
					copy(out.Float64s()[r*columns:(r+1)*columns], all.Float64s()[r*width+starts[i]:])
				}
				return out, nil
			}
			grads = append(grads, g.derived("gradient of concatenation", x.Shape(), back, grad))
		}
		return grads
	}
	return g.add(op, blocks...)
}
