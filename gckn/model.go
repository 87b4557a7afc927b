package gckn

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// Model is a fitted network: everything needed to represent graphs that were never seen. A model is
// bound to the engine that it was made for and safe for concurrent use.
type Model struct {
	opt    Options
	input  train.Input
	engine engine.Engine
	layers []*layer
	beside []Pooling                    // more global poolings, whose representations follow that of the options
	idle   chan *autodiff.KernelNetwork // for encoding, of all layers: each serves one goroutine at a time
	runs   int64                        // bytes of the features of a run of graphs that anchors are learned from
}

// newModel returns a model without layers.
func newModel(e engine.Engine, input train.Input, opt Options) *Model {
	return &Model{opt: opt, input: input, engine: e, idle: make(chan *autodiff.KernelNetwork, e.Workers()),
		runs: learnedBytes}
}

// width returns the number of columns of what represents a graph or a vertex.
func (m *Model) width() int { return m.opt.Dim() * (1 + len(m.beside)) }

// New returns a model with given anchors, one tensor of PathSize x Filters x d for each layer, where d
// is the input width or the number of filters of the layer below. Every position of every anchor is
// divided by its norm, or with [Options].PathNorms every anchor by its own. The host computes the inverse square
// roots, so that a model has the same bits on a device after it was stored as when it was fitted.
func New(e engine.Engine, input train.Input, opt Options, anchors []*tensor.Dense) (*Model, error) {
	return newWith(e, input, opt, anchors, 0)
}

// newWith is [New] with so many layers, from the bottom, whose anchors are unit vectors already and keep their bits.
func newWith(e engine.Engine, input train.Input, opt Options, anchors []*tensor.Dense, kept int) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if len(anchors) != len(opt.Layers) {
		return nil, fmt.Errorf("anchors of %d layers for %d layers", len(anchors), len(opt.Layers))
	}
	host := e.Host()
	m := newModel(host, input, opt)
	for l, z := range anchors {
		if z.Dims() != 3 {
			return nil, fmt.Errorf("layer %d: anchors of shape %v, want three dimensions", l+1, z.Shape())
		}
		z, err := engine.ToHost(z)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", l+1, err)
		}
		if l < kept {
			if err := m.add(z); err != nil {
				return nil, err
			}
			continue
		}
		unit := host.Scratch(z.Dtype(), z.Shape()...)
		if opt.whole(l) {
			unit, err = unitAnchors(host, z)
		} else {
			err = host.NormalizeRows(flat(unit), nil, flat(z), autodiff.NormEps)
		}
		if err != nil {
			return nil, err
		}
		if err := m.add(unit); err != nil {
			return nil, err
		}
	}
	return m.moved(e)
}

// add puts a layer with the given anchors, whose rows are unit vectors, on top.
func (m *Model) add(anchors *tensor.Dense) error {
	y, err := m.next(anchors)
	if err != nil {
		return fmt.Errorf("layer %d: %w", len(m.layers)+1, err)
	}
	m.layers = append(m.layers, y)
	return nil
}

// next returns the layer above those that there are, with the given anchors, whose rows are unit vectors.
func (m *Model) next(anchors *tensor.Dense) (*layer, error) {
	l := len(m.layers)
	want := m.anchorShape(l)
	if !anchors.Shape().Eq(want) {
		return nil, fmt.Errorf("anchors of shape %v, want %v", anchors.Shape(), want)
	}
	own := m.engine.Scratch(m.opt.dtype(), want...)
	if err := m.engine.Convert(own, anchors); err != nil {
		return nil, err
	}
	return newLayer(m.engine, &m.opt, l, own)
}

// anchorShape returns the shape of the anchors of layer l.
func (m *Model) anchorShape(l int) tensor.Shape {
	d := m.input.Dim()
	if l > 0 {
		d = m.opt.Layers[l-1].Filters
	}
	return tensor.Shape{m.opt.Layers[l].PathSize, m.opt.Layers[l].Filters, d}
}

// Input returns what the model wants of the vertices.
func (m *Model) Input() train.Input { return m.input }

// Anchors returns the anchors Z of layer l (PathSize x Filters x d), with unit rows, in host memory. They are part of
// the model.
func (m *Model) Anchors(l int) *tensor.Dense { return m.layers[l].stored }

// Transform returns the representation of every graph of b, a NumGraphs x Dim matrix in host memory. The
// column of filter f of channel c is f*C + c, C channels in all (the order of the published code); with
// Concat the layers stand one after another. Graphs are processed in runs that keep the memory
// bounded; the bits of a graph are the same whichever share its run.
func (m *Model) Transform(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	return m.represent(ctx, b, false, progress)
}

// VertexFeatures returns the representation of every vertex before global pooling, in the column order
// of [Model.Transform], a NumVertices x Dim matrix in host memory.
func (m *Model) VertexFeatures(ctx context.Context, b *graph.Batch) (*tensor.Dense, error) {
	return m.represent(ctx, b, true, nil)
}

// represent returns the representation of every graph, or of every vertex.
func (m *Model) represent(
	ctx context.Context, b *graph.Batch, perVertex bool, progress model.Progress,
) (*tensor.Dense, error) {
	out, first := m.engine.Host().New(m.opt.dtype(), rowsFor(b, perVertex), m.width()), 0
	next := func(n int) *tensor.Dense {
		first += n
		return rows(out, first-n, n)
	}
	bytes, err := m.runBytes()
	if err != nil {
		return nil, err
	}
	return out, m.fill(ctx, b, perVertex, bytes, progress, next, func(*tensor.Dense) error { return nil })
}

// representBy is [Model.Transform] by several ways of global pooling, in one encoding.
func (m *Model) representBy(
	ctx context.Context, b *graph.Batch, poolings []Pooling, progress model.Progress,
) (map[Pooling]*tensor.Dense, error) {
	by, width, first := map[Pooling]*tensor.Dense{}, m.opt.Dim(), 0
	for _, p := range poolings {
		by[p] = m.engine.Host().New(m.opt.dtype(), b.NumGraphs(), width)
	}
	all := *m
	all.opt.GlobalPooling, all.beside = poolings[0], poolings[1:]
	all.idle = make(chan *autodiff.KernelNetwork, cap(m.idle))
	return by, all.EachRun(ctx, b, false, progress, func(x *tensor.Dense) error {
		n := x.Shape()[0]
		for i, p := range poolings {
			if out := rows(by[p], first, n); m.opt.Double {
				takeColumns(out.Float64s(), x.Float64s(), width, i, len(poolings))
			} else {
				takeColumns(out.Float32s(), x.Float32s(), width, i, len(poolings))
			}
		}
		first += n
		return nil
	})
}

// takeColumns fills a matrix of some columns with a part of another one, whose rows have so many parts of as many.
func takeColumns[T any](out, x []T, width, part, parts int) {
	for i := 0; i < len(out); i += width {
		copy(out[i:i+width], x[i*parts+part*width:])
	}
}

// rowsFor returns the number of graphs, or of vertices.
func rowsFor(b *graph.Batch, perVertex bool) int {
	if perVertex {
		return b.NumVertices()
	}
	return b.NumGraphs()
}

// EachRun is [Model.Transform], or perVertex [Model.VertexFeatures], for more graphs than memory has room for: it calls
// visit with the rows of consecutive runs of graphs, in host memory, which are good until visit returns.
func (m *Model) EachRun(
	ctx context.Context, b *graph.Batch, perVertex bool, progress model.Progress, visit func(x *tensor.Dense) error,
) error {
	host := m.engine.Host()
	next := func(n int) *tensor.Dense { return host.Scratch(m.opt.dtype(), n, m.width()) }
	bytes, err := m.runBytes()
	if err != nil {
		return err
	}
	return m.fill(ctx, b, perVertex, bytes, progress, next, func(x *tensor.Dense) error {
		defer host.Release(x)
		return visit(x)
	})
}

// transform writes the representation of the graphs of b to out.
func (m *Model) transform(out *tensor.Dense, b *graph.Batch) error {
	return m.encode(b, func(n *autodiff.KernelNetwork, x *autodiff.Batch) error {
		if err := n.Forward(x); err != nil {
			return err
		}
		return m.engine.Convert(out, n.Representation())
	})
}

// vertexFeatures writes the representation of the vertices of b to out.
func (m *Model) vertexFeatures(out *tensor.Dense, b *graph.Batch) error {
	return m.encode(b, func(n *autodiff.KernelNetwork, x *autodiff.Batch) error {
		if err := n.ForwardVertices(x); err != nil {
			return err
		}
		column := 0
		for _, channels := range n.Channels() {
			for c, ch := range channels {
				at := engine.Placement{Column: column + c, Stride: len(channels)}
				if err := m.place(out, ch.Rows, ch.Index, at); err != nil {
					return err
				}
			}
			column += channels[0].Rows.Shape()[1] * len(channels)
		}
		return nil
	})
}

// encode calls run with a network and with b laid out for it, in Float64 whatever the dtype of the model: kernel
// matrices of anchors are nearly singular, and the inverse square root of each layer magnifies the rounding of float32
// a thousand times.
func (m *Model) encode(b *graph.Batch, run func(n *autodiff.KernelNetwork, x *autodiff.Batch) error) error {
	var n *autodiff.KernelNetwork
	select {
	case n = <-m.idle:
	default:
		var err error
		if n, err = m.network(tensor.Float64, m.opt.Concat); err != nil {
			return err
		}
	}
	err := m.on(n, tensor.Float64, b, func(x *autodiff.Batch) error { return run(n, x) })
	select {
	case m.idle <- n:
	default:
		n.Release()
	}
	return err
}

// network returns the layers that the model has so far, with anchors of a dtype, as a network.
func (m *Model) network(dtype tensor.Dtype, concat bool) (*autodiff.KernelNetwork, error) {
	opt, p := m.opt.network(), autodiff.Parameters{}
	opt.Layers, opt.Concat = opt.Layers[:len(m.layers)], concat
	for _, pool := range m.beside {
		way, _ := pool.engine(m.opt.MaxLambda)
		opt.Beside = append(opt.Beside, way)
	}
	for _, y := range m.layers {
		z := y.own
		if dtype == tensor.Float64 {
			z = y.wide
		}
		p.Anchors, p.Roots = append(p.Anchors, z), append(p.Roots, y.invSqrt)
	}
	return autodiff.NewKernelNetwork(m.engine, opt, p)
}

// on calls run with b laid out for a network, whose results last until run returns, as one piece of work.
func (m *Model) on(
	n *autodiff.KernelNetwork, dtype tensor.Dtype, b *graph.Batch, run func(x *autodiff.Batch) error,
) error {
	return engine.Record(m.engine, func() error { return m.layOut(n, dtype, b, run) })
}

func (m *Model) layOut(n *autodiff.KernelNetwork, dtype tensor.Dtype, b *graph.Batch,
	run func(x *autodiff.Batch) error) error {
	in, err := features(m.input, m.engine, dtype, b)
	if err != nil {
		return err
	}
	x, err := n.Prepare(b, in, autodiff.Targets{}, nil)
	if !in.Unit {
		m.engine.Release(in.Rows) // the batch has unit rows of its own
	} else {
		defer m.engine.Release(in.Rows)
	}
	if err != nil {
		return err
	}
	defer x.Release(m.engine)
	defer n.Free()
	return run(x)
}

// place is the engine's Place for rows of another dtype than out.
func (m *Model) place(out, rows *tensor.Dense, index []int32, at engine.Placement) error {
	if rows.Dtype() == out.Dtype() {
		return m.engine.Place(out, rows, index, at)
	}
	converted := m.engine.Scratch(out.Dtype(), rows.Shape()...)
	defer m.engine.Release(converted)
	if err := m.engine.Convert(converted, rows); err != nil {
		return err
	}
	return m.engine.Place(out, converted, index, at)
}
