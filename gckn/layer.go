package gckn

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// normEps bounds norms from below where vectors are divided by them (published code).
const normEps = 1e-4

// layer maps one channel to one channel for each path length.
type layer struct {
	pooling engine.PathPooling // without graph, index and roots
	local   Pooling
	ridge   float64       // of generalised max pooling
	stored  *tensor.Dense // the anchors in host memory
	own     filters       // in the model's dtype: for the paths that anchors above are learned from
	wide    filters       // in Float64: for encoding
}

// filters are what a layer multiplies with.
type filters struct {
	anchors *tensor.Dense // p x q x d, unit rows
	invSqrt *tensor.Dense // J x q x q
}

// newLayer computes the inverse square roots of the kernel matrices of anchors with unit rows.
func newLayer(e engine.Engine, o *Options, l int, anchors *tensor.Dense) (*layer, error) {
	p, q := anchors.Shape()[0], anchors.Shape()[1]
	y := &layer{
		pooling: engine.PathPooling{Size: p, AllLengths: o.AllLengths && p > 1, Route: o.route(), Kernel: o.kernel(l)},
		local:   o.Layers[l].Pooling,
		ridge:   o.MaxLambda,
	}
	var err error
	if y.stored, err = engine.ToHost(anchors); err != nil {
		return nil, err
	}
	gram := engine.Scratch(e, tensor.Float64, len(y.pooling.Lengths()), q, q)
	if err := e.Gram(gram, anchors, y.pooling.Kernel, y.pooling.AllLengths); err != nil {
		return nil, err
	}
	if err := e.InvSqrt(gram, nil, gram, o.Epsilon, o.Rule); err != nil {
		return nil, err
	}
	if y.own, err = newFilters(e, anchors.Dtype(), anchors, gram); err != nil {
		return nil, err
	}
	y.wide, err = newFilters(e, tensor.Float64, anchors, gram)
	return y, err
}

// newFilters returns filters of a dtype.
func newFilters(e engine.Engine, dtype tensor.Dtype, anchors, invSqrt *tensor.Dense) (f filters, err error) {
	if f.anchors, err = as(e, dtype, anchors); err != nil {
		return f, err
	}
	f.invSqrt, err = as(e, dtype, invSqrt)
	return f, err
}

// as returns x in a dtype, x itself where it has that already.
func as(e engine.Engine, dtype tensor.Dtype, x *tensor.Dense) (*tensor.Dense, error) {
	if x.Dtype() == dtype {
		return x, nil
	}
	out := engine.Scratch(e, dtype, x.Shape()...)
	return out, e.Convert(out, x)
}

// of returns the filters of a dtype.
func (y *layer) of(dtype tensor.Dtype) filters {
	if dtype == tensor.Float64 {
		return y.wide
	}
	return y.own
}

// flat views anchors (p x q x d) as a matrix (p q) x d.
func flat(z *tensor.Dense) *tensor.Dense {
	return engine.View(z, 0, z.Shape()[0]*z.Shape()[1], z.Shape()[2])
}

// part returns matrix j of a stack of matrices, without a copy.
func part(stack *tensor.Dense, j int) *tensor.Dense {
	rows, cols := stack.Shape()[1], stack.Shape()[2]
	return engine.View(stack, j*rows*cols, rows, cols)
}

// filters returns q.
func (y *layer) filters() int { return y.stored.Shape()[1] }

// pool returns the pooled kernel values of one channel, one channel for each length: the layer
// without its projection, unless local pooling is generalised max pooling, which includes it.
//
// It computes in the dtype of the channel, and so are the results. share finds the vertices with equal paths first,
// which then share a row.
func (y *layer) pool(e engine.Engine, b *graph.Batch, in *channel, share bool) ([]*channel, error) {
	dtype := in.rows.Dtype()
	p, q := y.pooling.Size, y.filters()
	n, d := in.rows.Shape()[0], in.rows.Shape()[1]
	unit, norms := in.rows, (*tensor.Dense)(nil)
	if !in.unit {
		unit, norms = engine.Scratch(e, dtype, n, d), engine.Scratch(e, dtype, n)
		defer engine.Release(e, unit, norms)
		if err := e.NormalizeRows(unit, norms, in.rows, normEps); err != nil {
			return nil, err
		}
	}
	scores := engine.Scratch(e, dtype, n, p*q)
	defer engine.Release(e, scores)
	if err := e.MatMul(scores, unit, flat(y.of(dtype).anchors), engine.MatMul{TransB: true, Alpha: 1}); err != nil {
		return nil, err
	}

	pooling := y.pooling
	out := make([]*channel, len(pooling.Lengths()))
	for i := range out {
		out[i] = &channel{index: in.index}
	}
	if p > 1 {
		pooling.Graph, pooling.Index = b, in.index
		if in.index != nil && share {
			classes := b.PathClasses(in.index, p, pooling.AllLengths, pooling.Route == graph.Walks, e.Workers())
			pooling.Roots = classes.Roots
			for i := range out {
				out[i].index = classes.Class[i]
			}
		} else {
			for i := range out {
				out[i].index = nil // a row for every vertex
			}
		}
	}
	results := make([]*tensor.Dense, len(out))
	for i, c := range out {
		rows := n
		if pooling.Roots != nil {
			rows = len(pooling.Roots[i])
		} else if pooling.Graph != nil {
			rows = b.NumVertices()
		}
		c.rows = engine.Scratch(e, dtype, rows, q)
		results[i] = c.rows
	}
	if y.pooledIsProjected() {
		return out, y.generalizedMax(e, results, scores, norms, &pooling)
	}
	pooling.Pool = engine.Sum // a single vertex is its own path: every pooling gives its kernel value
	if p > 1 {
		pooling.Pool = y.local.engine()
	}
	return out, e.PathPool(results, scores, norms, &pooling)
}

// project multiplies the rows of channel j by its inverse square root (Eq. 13), in their dtype, and gives them
// back.
func (y *layer) project(e engine.Engine, rows *tensor.Dense, j int) (*tensor.Dense, error) {
	defer engine.Release(e, rows)
	out := engine.Scratch(e, rows.Dtype(), rows.Shape()...)
	return out, e.MatMul(out, rows, part(y.of(rows.Dtype()).invSqrt, j), engine.MatMul{Alpha: 1})
}

// pooledIsProjected reports whether pool has applied the projection already.
func (y *layer) pooledIsProjected() bool { return y.local == GeneralizedMax && y.pooling.Size > 1 }

// forward returns the channels of all lengths for every input channel; the new index is
// old channel * lengths + length.
func (y *layer) forward(e engine.Engine, b *graph.Batch, in []*channel, share bool) ([]*channel, error) {
	var out []*channel
	for _, c := range in {
		pooled, err := y.pool(e, b, c, share)
		if err != nil {
			return nil, err
		}
		for j, c := range pooled {
			if !y.pooledIsProjected() {
				if c.rows, err = y.project(e, c.rows, j); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, pooled...)
	}
	return out, nil
}
