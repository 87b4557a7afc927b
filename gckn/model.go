package gckn

import (
	"context"
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// Model is a fitted network: everything needed to represent graphs that were never seen. A model is
// bound to the engine that it was made for and safe for concurrent use.
type Model struct {
	opt    Options
	input  Input
	engine engine.Engine
	layers []*layer
}

// New returns a model with given anchors, one tensor of PathSize x Filters x d for each layer, where d
// is the input width or the number of filters of the layer below. Every position of every anchor is
// divided by its norm.
func New(e engine.Engine, input Input, opt Options, anchors []*tensor.Dense) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if len(anchors) != len(opt.Layers) {
		return nil, fmt.Errorf("anchors of %d layers for %d layers", len(anchors), len(opt.Layers))
	}
	m := &Model{opt: opt, input: input, engine: e}
	for l, z := range anchors {
		if z.Dims() != 3 {
			return nil, fmt.Errorf("layer %d: anchors of shape %v, want three dimensions", l+1, z.Shape())
		}
		z, err := engine.FromHost(e, z)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", l+1, err)
		}
		unit := engine.Scratch(e, z.Dtype(), z.Shape()...)
		if err := e.NormalizeRows(flat(unit), nil, flat(z), normEps); err != nil {
			return nil, err
		}
		if err := m.add(unit); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add puts a layer with the given anchors, whose rows are unit vectors, on top.
func (m *Model) add(anchors *tensor.Dense) error {
	l := len(m.layers)
	want := m.anchorShape(l)
	if !anchors.Shape().Eq(want) {
		return fmt.Errorf("layer %d: anchors of shape %v, want %v", l+1, anchors.Shape(), want)
	}
	own := engine.Scratch(m.engine, m.dtype(), want...)
	if err := m.engine.Convert(own, anchors); err != nil {
		return err
	}
	y, err := newLayer(m.engine, &m.opt, l, own)
	if err != nil {
		return fmt.Errorf("layer %d: %w", l+1, err)
	}
	m.layers = append(m.layers, y)
	return nil
}

// share reports whether vertices with equal paths are looked for, to share a row: a wide engine pools for each of them
// sooner than the host finds them.
func (m *Model) share() bool { return !m.engine.Capabilities().Wide }

// anchorShape returns the shape of the anchors of layer l.
func (m *Model) anchorShape(l int) tensor.Shape {
	d := m.input.dim()
	if l > 0 {
		d = m.opt.Layers[l-1].Filters
	}
	return tensor.Shape{m.opt.Layers[l].PathSize, m.opt.Layers[l].Filters, d}
}

func (m *Model) dtype() tensor.Dtype {
	if m.opt.Double {
		return tensor.Float64
	}
	return tensor.Float32
}

// Options returns the options that the model was made with.
func (m *Model) Options() Options { return m.opt }

// Input returns what the model wants of the vertices.
func (m *Model) Input() Input { return m.input }

// Anchors returns the anchors Z of layer l (PathSize x Filters x d), with unit rows, in host memory. They are part of
// the model.
func (m *Model) Anchors(l int) *tensor.Dense { return m.layers[l].stored }

// InvSqrt returns the inverse square roots of the kernel matrices of layer l (lengths x Filters x Filters), in
// Float64 on the model's engine. They are part of the model.
func (m *Model) InvSqrt(l int) *tensor.Dense { return m.layers[l].wide.invSqrt }

// Transform returns the representation of every graph of b, a NumGraphs x Dim matrix in host memory. The
// column of filter f of channel c is f*C + c, C channels in all (the order of the published code); with
// Concat the layers stand one after another. Graphs are processed in runs that keep the memory
// bounded.
func (m *Model) Transform(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	out := engine.New(engine.Host(m.engine), m.dtype(), b.NumGraphs(), m.opt.Dim())
	err := m.forEachRun(ctx, b, progress, func(run *graph.Batch, first int) error {
		return m.fill(rows(out, first, run.NumGraphs()), func(x *tensor.Dense) error { return m.transform(x, run) })
	})
	return out, err
}

// EachRun is [Model.Transform] for more graphs than memory has room for: it calls visit for consecutive
// runs of graphs with the number of the first graph and the rows of all, in host memory, which are good
// until visit returns.
func (m *Model) EachRun(
	ctx context.Context, b *graph.Batch, progress model.Progress, visit func(first int, x *tensor.Dense) error,
) error {
	return m.forEachRun(ctx, b, progress, func(run *graph.Batch, first int) error {
		return m.visitRun(first, run.NumGraphs(), visit, func(x *tensor.Dense) error { return m.transform(x, run) })
	})
}

// VertexFeatures returns the representation of every vertex before global pooling, in the column order
// of [Model.Transform], a NumVertices x Dim matrix in host memory.
func (m *Model) VertexFeatures(ctx context.Context, b *graph.Batch) (*tensor.Dense, error) {
	out := engine.New(engine.Host(m.engine), m.dtype(), b.NumVertices(), m.opt.Dim())
	err := m.forEachRun(ctx, b, nil, func(run *graph.Batch, first int) error {
		return m.fill(rows(out, int(b.Offsets[first]), run.NumVertices()),
			func(x *tensor.Dense) error { return m.vertexFeatures(x, run) })
	})
	return out, err
}

// EachVertexRun is [Model.VertexFeatures] in the manner of [Model.EachRun]: visit gets the number of the
// first vertex.
func (m *Model) EachVertexRun(
	ctx context.Context, b *graph.Batch, progress model.Progress, visit func(first int, x *tensor.Dense) error,
) error {
	return m.forEachRun(ctx, b, progress, func(run *graph.Batch, first int) error {
		return m.visitRun(int(b.Offsets[first]), run.NumVertices(), visit,
			func(x *tensor.Dense) error { return m.vertexFeatures(x, run) })
	})
}

// transform writes the representation of the graphs of b to out.
func (m *Model) transform(out *tensor.Dense, b *graph.Batch) error {
	channels, err := m.inputChannels(b)
	if err != nil {
		return err
	}
	column := 0
	for l, y := range m.layers {
		last := l == len(m.layers)-1
		if last || m.opt.Concat {
			if err := m.globalPool(out, column, b, y, channels); err != nil {
				return err
			}
			column += y.filters() * m.opt.channels(l)
		}
		if !last {
			if channels, err = m.next(y, b, channels, m.share()); err != nil {
				return err
			}
		}
	}
	release(m.engine, channels)
	return nil
}

// next returns the channels that layer y makes of channels, which it gives back.
func (m *Model) next(y *layer, b *graph.Batch, channels []*channel, share bool) ([]*channel, error) {
	defer release(m.engine, channels)
	return y.forward(m.engine, b, channels, share)
}

// vertexFeatures writes the representation of the vertices of b to out.
func (m *Model) vertexFeatures(out *tensor.Dense, b *graph.Batch) error {
	column := 0
	return m.eachLayer(b, func(l int, channels []*channel) error {
		if l < len(m.layers)-1 && !m.opt.Concat {
			return nil
		}
		for c, ch := range channels {
			at := engine.Placement{Column: column + c, Stride: len(channels)}
			if err := m.place(out, ch.rows, ch.index, at); err != nil {
				return err
			}
		}
		column += m.layers[l].filters() * len(channels)
		return nil
	})
}

// eachLayer calls visit with the projected channels of every layer.
func (m *Model) eachLayer(b *graph.Batch, visit func(l int, channels []*channel) error) error {
	channels, err := m.inputChannels(b)
	if err != nil {
		return err
	}
	for l, y := range m.layers {
		if channels, err = m.next(y, b, channels, m.share()); err != nil {
			return err
		}
		if err := visit(l, channels); err != nil {
			return err
		}
	}
	release(m.engine, channels)
	return nil
}

// inputChannels returns the channels that vertices are encoded from, in Float64 whatever the dtype of the model: kernel
// matrices of anchors are nearly singular, and the inverse square root of each layer magnifies the rounding of float32
// a thousand times.
func (m *Model) inputChannels(b *graph.Batch) ([]*channel, error) {
	in, err := m.input.channel(m.engine, tensor.Float64, b)
	return []*channel{in}, err
}

// globalPool writes the pooled output of layer y on the given input channels to out. Sums and means commute with
// the projection, which then acts on graphs in place of vertices.
func (m *Model) globalPool(out *tensor.Dense, column int, b *graph.Batch, y *layer, in []*channel) error {
	e, graphs := m.engine, b.NumGraphs()
	linear := m.opt.GlobalPooling == Sum || m.opt.GlobalPooling == Mean
	lengths := len(y.pooling.Lengths())
	total := len(in) * lengths
	for i, c := range in {
		pooled, err := y.pool(e, b, c, m.share())
		if err != nil {
			return err
		}
		for j, c := range pooled {
			projected := y.pooledIsProjected()
			if !linear && !projected {
				if c.rows, err = y.project(e, c.rows, j); err != nil {
					return err
				}
				projected = true
			}
			sum := engine.Scratch(e, tensor.Float64, graphs, y.filters())
			if m.opt.GlobalPooling == GeneralizedMax {
				err = m.equalizeGraphs(sum, b, c)
			} else {
				err = e.SegmentReduce(sum, c.rows, engine.Segments{Offsets: b.Offsets, Index: c.index},
					m.opt.GlobalPooling.engine())
			}
			engine.Release(e, c.rows)
			if err == nil && !projected {
				sum, err = y.project(e, sum, j)
			}
			if err != nil {
				return err
			}
			if err := m.place(out, sum, nil, engine.Placement{Column: column + i*lengths + j, Stride: total}); err != nil {
				return err
			}
			engine.Release(e, sum)
		}
	}
	return nil
}

// place is the engine's Place for rows of another dtype than out.
func (m *Model) place(out, rows *tensor.Dense, index []int32, at engine.Placement) error {
	if rows.Dtype() == out.Dtype() {
		return m.engine.Place(out, rows, index, at)
	}
	converted := engine.Scratch(m.engine, out.Dtype(), rows.Shape()...)
	defer engine.Release(m.engine, converted)
	if err := m.engine.Convert(converted, rows); err != nil {
		return err
	}
	return m.engine.Place(out, converted, index, at)
}

// equalizeGraphs applies generalised max pooling to the vertices of each graph.
func (m *Model) equalizeGraphs(out *tensor.Dense, b *graph.Batch, c *channel) error {
	q := c.rows.Shape()[1]
	rows := float64s(m.engine, c.rows)
	pooled := make([]float64, b.NumGraphs()*q)
	errs := make([]error, b.NumGraphs())
	parallel.For(m.engine.Workers(), b.NumGraphs(), func(g int) {
		from, to := b.Vertices(g)
		var phi []float64
		for v := from; v < to; v++ {
			r := int(c.row(v))
			phi = append(phi, rows[r*q:(r+1)*q]...)
		}
		x, err := equalize(phi, int(to-from), q, m.opt.MaxLambda)
		copy(pooled[g*q:], x)
		errs[g] = err
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return m.engine.Convert(out, tensor.New(tensor.WithShape(b.NumGraphs(), q), tensor.WithBacking(pooled)))
}
