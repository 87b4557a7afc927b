package gckn

import (
	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// layer holds the parameters of a layer.
type layer struct {
	stored  *tensor.Dense // the anchors, p x q x d with unit rows (or unit as a whole), in host memory
	own     *tensor.Dense // the anchors in the model's dtype: for the paths that anchors above are learned from
	wide    *tensor.Dense // the anchors in Float64: for encoding
	invSqrt *tensor.Dense // J x q x q, Float64
}

// newLayer computes the inverse square roots of the kernel matrices of anchors with unit rows.
func newLayer(e engine.Engine, o *Options, l int, anchors *tensor.Dense) (*layer, error) {
	p, q := anchors.Shape()[0], anchors.Shape()[1]
	y, lengths := &layer{own: anchors}, 1
	if o.AllLengths {
		lengths = p
	}
	var err error
	if y.stored, err = engine.ToHost(anchors); err != nil {
		return nil, err
	}
	y.invSqrt = e.Scratch(tensor.Float64, lengths, q, q)
	if o.whole(l) {
		err = autodiff.WholeGram(e, y.invSqrt, anchors, o.network().Layers[l])
	} else {
		err = e.Gram(y.invSqrt, anchors, o.kernel(l), o.AllLengths && p > 1)
	}
	if err != nil {
		return nil, err
	}
	if err := e.InvSqrt(y.invSqrt, nil, y.invSqrt, o.Epsilon, o.Rule); err != nil {
		return nil, err
	}
	return y, y.widen(e)
}

// on returns a layer of the host on another engine.
func (y *layer) on(e engine.Engine) (*layer, error) {
	moved := &layer{stored: y.stored}
	var err error
	if moved.own, err = engine.FromHost(e, y.own); err != nil {
		return nil, err
	}
	if moved.invSqrt, err = engine.FromHost(e, y.invSqrt); err != nil {
		return nil, err
	}
	return moved, moved.widen(e)
}

// widen makes Float64 anchors of those that there are.
func (y *layer) widen(e engine.Engine) error {
	y.wide = y.own
	if y.own.Dtype() == tensor.Float64 {
		return nil
	}
	y.wide = e.Scratch(tensor.Float64, y.own.Shape()...)
	return e.Convert(y.wide, y.own)
}

// flat views anchors (p x q x d) as a matrix (p q) x d.
func flat(z *tensor.Dense) *tensor.Dense {
	return engine.View(z, 0, z.Shape()[0]*z.Shape()[1], z.Shape()[2])
}

// network returns the layers and poolings as package autodiff takes them.
func (o *Options) network() autodiff.Options {
	opt := autodiff.Options{Rule: o.Rule, Epsilon: o.Epsilon, Concat: o.Concat}
	opt.GlobalPooling, opt.Ridge = o.GlobalPooling.engine(o.MaxLambda)
	for l, layer := range o.Layers {
		y := autodiff.Layer{
			Size: layer.PathSize, AllLengths: o.AllLengths, Route: o.route(), Kernel: o.kernel(l),
			PathNorms: o.PathNorms,
		}
		if y.Pool, y.Ridge = layer.Pooling.engine(o.MaxLambda); y.Size == 1 {
			y.Ridge = 0 // a single vertex is its own path: every pooling gives its kernel value
		}
		opt.Layers = append(opt.Layers, y)
	}
	return opt
}

// features returns what the vertices of b look like. Vertices that the model cannot tell apart share a row, so that
// every product and exponential is computed once for all of them; label ids are the simplest case of that.
func features(in train.Input, e engine.Engine, dtype tensor.Dtype, b *graph.Batch) (autodiff.Features, error) {
	if in.Labels == 0 {
		raw, err := in.Raw(b)
		if err != nil {
			return autodiff.Features{}, err
		}
		rows := e.Scratch(dtype, b.NumVertices(), in.Attributes)
		return autodiff.Features{Rows: rows}, e.Convert(rows, raw)
	}
	index, err := in.Index(b)
	if err != nil {
		return autodiff.Features{}, err
	}
	rows, err := in.LabelRows(e, dtype)
	return autodiff.Features{Rows: rows, Index: index, Unit: true}, err
}
