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
	anchors *tensor.Dense // p x q x d, unit rows
	wide    *tensor.Dense // the same in Float64
	stored  *tensor.Dense // the anchors in host memory
	invSqrt *tensor.Dense // J x q x q, in the model's dtype
	exact   *tensor.Dense // the same in Float64
}

// newLayer computes the inverse square roots of the kernel matrices of anchors with unit rows.
func newLayer(e engine.Engine, o *Options, l int, anchors *tensor.Dense) (*layer, error) {
	p, q := anchors.Shape()[0], anchors.Shape()[1]
	y := &layer{
		pooling: engine.PathPooling{Size: p, AllLengths: o.AllLengths && p > 1, Route: o.route(), Kernel: o.kernel(l)},
		local:   o.Layers[l].Pooling,
		ridge:   o.MaxLambda,
		anchors: anchors,
	}
	var err error
	if y.stored, err = engine.ToHost(anchors); err != nil {
		return nil, err
	}
	j := len(y.pooling.Lengths())
	gram := engine.New(e, tensor.Float64, j, q, q)
	if err := e.Gram(gram, y.anchors, y.pooling.Kernel, y.pooling.AllLengths); err != nil {
		return nil, err
	}
	if err := e.InvSqrt(gram, nil, gram, o.Epsilon, o.Rule); err != nil {
		return nil, err
	}
	y.exact = gram
	y.wide = engine.New(e, tensor.Float64, p, q, anchors.Shape()[2])
	if err := e.Convert(y.wide, anchors); err != nil {
		return nil, err
	}
	y.invSqrt = engine.New(e, anchors.Dtype(), j, q, q)
	return y, e.Convert(y.invSqrt, gram)
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
func (y *layer) filters() int { return y.anchors.Shape()[1] }

// pool returns the pooled kernel values of one channel, one channel for each length: the layer
// without its projection, unless local pooling is generalised max pooling, which includes it.
//
// It computes in the dtype of the channel, and so are the results, but for generalised max pooling. share finds the
// vertices with equal paths first, which then share a row: on a host that costs less than pooling for each vertex.
func (y *layer) pool(e engine.Engine, b *graph.Batch, in *channel, share bool) ([]*channel, error) {
	dtype, anchors := in.rows.Dtype(), y.anchors
	if dtype == tensor.Float64 {
		anchors = y.wide
	}
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
	if err := e.MatMul(scores, unit, flat(anchors), engine.MatMul{TransB: true, Alpha: 1}); err != nil {
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
	equalized := y.local == GeneralizedMax && p > 1
	if equalized {
		dtype = y.anchors.Dtype()
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
	if equalized {
		return out, y.generalizedMax(e, results, scores, norms, &pooling)
	}
	pooling.Pool = engine.Sum // a single vertex is its own path: every pooling gives its kernel value
	if p > 1 {
		pooling.Pool = y.local.engine()
	}
	return out, e.PathPool(results, scores, norms, &pooling)
}

// project multiplies the rows of channel j by its inverse square root (Eq. 13), in their dtype, and gives them
// back. The result has the model's dtype.
func (y *layer) project(e engine.Engine, rows *tensor.Dense, j int) (*tensor.Dense, error) {
	defer engine.Release(e, rows)
	root := y.invSqrt
	if rows.Dtype() == tensor.Float64 {
		root = y.exact
	}
	product := engine.Scratch(e, rows.Dtype(), rows.Shape()...)
	err := e.MatMul(product, rows, part(root, j), engine.MatMul{Alpha: 1})
	if err != nil || rows.Dtype() == y.anchors.Dtype() {
		return product, err
	}
	defer engine.Release(e, product)
	out := engine.Scratch(e, y.anchors.Dtype(), rows.Shape()...)
	return out, e.Convert(out, product)
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
