package gckn

import (
	"context"
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// Progress is told how far a long computation has come; stages follow one another.
type Progress func(stage string, done, total int)

func (p Progress) report(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

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
		unit := engine.New(e, z.Dtype(), z.Shape()...)
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
	d := m.input.dim()
	if l > 0 {
		d = m.opt.Layers[l-1].Filters
	}
	want := tensor.Shape{m.opt.Layers[l].PathSize, m.opt.Layers[l].Filters, d}
	if !anchors.Shape().Eq(want) {
		return fmt.Errorf("layer %d: anchors of shape %v, want %v", l+1, anchors.Shape(), want)
	}
	own := engine.New(m.engine, m.dtype(), want...)
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

// Anchors returns the anchors Z of layer l (PathSize x Filters x d), with unit rows. They are part of the model.
func (m *Model) Anchors(l int) *tensor.Dense { return m.layers[l].anchors }

// InvSqrt returns the inverse square roots of the kernel matrices of layer l (lengths x Filters x Filters).
// They are part of the model.
func (m *Model) InvSqrt(l int) *tensor.Dense { return m.layers[l].invSqrt }

// Transform returns the representation of every graph of b, a NumGraphs x Dim matrix. The column of
// filter f of channel c is f*C + c, C channels in all (the order of the published code); with Concat
// the layers stand one after another. Graphs are processed in runs that keep the memory bounded.
func (m *Model) Transform(ctx context.Context, b *graph.Batch, progress Progress) (*tensor.Dense, error) {
	out := engine.New(m.engine, m.dtype(), b.NumGraphs(), m.opt.Dim())
	err := m.forEachRun(ctx, b, func(run *graph.Batch, first int) error {
		progress.report("encode", first, b.NumGraphs())
		channels, err := m.inputChannels(run)
		if err != nil {
			return err
		}
		column := 0
		for l, y := range m.layers {
			last := l == len(m.layers)-1
			if last || m.opt.Concat {
				if err := m.globalPool(out, first, column, run, y, channels); err != nil {
					return err
				}
				column += y.filters() * m.opt.channels(l)
			}
			if !last {
				if channels, err = y.forward(m.engine, run, channels); err != nil {
					return err
				}
			}
		}
		return nil
	})
	progress.report("encode", b.NumGraphs(), b.NumGraphs())
	return out, err
}

// VertexFeatures returns the representation of every vertex before global pooling, in the column order
// of [Model.Transform], a NumVertices x Dim matrix.
func (m *Model) VertexFeatures(ctx context.Context, b *graph.Batch) (*tensor.Dense, error) {
	out := engine.New(m.engine, m.dtype(), b.NumVertices(), m.opt.Dim())
	err := m.forEachRun(ctx, b, func(run *graph.Batch, first int) error {
		column := 0
		return m.eachLayer(run, func(l int, channels []*channel) error {
			if l < len(m.layers)-1 && !m.opt.Concat {
				return nil
			}
			for c, ch := range channels {
				index := ch.index
				if index == nil {
					index = make([]int32, run.NumVertices())
					for v := range index {
						index[v] = int32(v)
					}
				}
				scatter(m.engine, out, ch.rows, index, int(b.Offsets[first]), column, c, len(channels))
			}
			column += m.layers[l].filters() * len(channels)
			return nil
		})
	})
	return out, err
}

// eachLayer calls visit with the projected channels of every layer.
func (m *Model) eachLayer(b *graph.Batch, visit func(l int, channels []*channel) error) error {
	channels, err := m.inputChannels(b)
	if err != nil {
		return err
	}
	for l, y := range m.layers {
		if channels, err = y.forward(m.engine, b, channels); err != nil {
			return err
		}
		if err := visit(l, channels); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) inputChannels(b *graph.Batch) ([]*channel, error) {
	in, err := m.input.channel(m.engine, m.dtype(), b)
	return []*channel{in}, err
}

// globalPool writes the pooled output of layer y on the given input channels to the rows of out from
// first on. Sums and means commute with the projection, which then acts on graphs in place of vertices.
func (m *Model) globalPool(out *tensor.Dense, first, column int, b *graph.Batch, y *layer, in []*channel) error {
	e, graphs := m.engine, b.NumGraphs()
	linear := m.opt.GlobalPooling == Sum || m.opt.GlobalPooling == Mean
	lengths := len(y.pooling.Lengths())
	total := len(in) * lengths
	for i, c := range in {
		pooled, err := y.pool(e, b, c)
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
			sum := engine.New(e, m.dtype(), graphs, y.filters())
			if m.opt.GlobalPooling == GeneralizedMax {
				err = m.equalizeGraphs(sum, b, c)
			} else {
				err = e.SegmentReduce(sum, c.rows, engine.Segments{Offsets: b.Offsets, Index: c.index}, m.opt.GlobalPooling.engine())
			}
			if err == nil && !projected {
				sum, err = y.project(e, sum, j)
			}
			if err != nil {
				return err
			}
			scatter(m.engine, out, sum, nil, first, column, i*lengths+j, total)
		}
	}
	return nil
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

// scatter writes row index[i] of src (row i without an index) to row first+i of dst, its column f to
// column + f*channels + channel.
func scatter(e engine.Engine, dst, src *tensor.Dense, index []int32, first, column, channel, channels int) {
	rows := src.Shape()[0]
	if index != nil {
		rows = len(index)
	}
	const chunk = 256
	parallel.Chunks(e.Workers(), rows, chunk, func(from, to int) {
		if src.Dtype() == tensor.Float32 {
			scatterRows(dst.Float32s(), src.Float32s(), index, from, to, src.Shape()[1], dst.Shape()[1], first, column+channel, channels)
		} else {
			scatterRows(dst.Float64s(), src.Float64s(), index, from, to, src.Shape()[1], dst.Shape()[1], first, column+channel, channels)
		}
	})
}

func scatterRows[T float32 | float64](dst, src []T, index []int32, from, to, q, width, first, column, stride int) {
	for i := from; i < to; i++ {
		r := i
		if index != nil {
			r = int(index[i])
		}
		out := dst[(first+i)*width+column : (first+i+1)*width]
		for f, v := range src[r*q : (r+1)*q] {
			out[f*stride] = v
		}
	}
}

// runBytes bounds the memory for the features of one run of graphs.
const runBytes = 1 << 30

// forEachRun cuts b into runs of whole graphs whose features fit in runBytes and calls visit for each,
// with the number of its first graph.
func (m *Model) forEachRun(ctx context.Context, b *graph.Batch, visit func(run *graph.Batch, first int) error) error {
	perVertex := 0
	for l, y := range m.opt.Layers {
		width := y.PathSize*y.Filters + 2*m.opt.channels(l)*y.Filters
		perVertex = max(perVertex, 4*width)
	}
	if m.opt.Double {
		perVertex *= 2
	}
	limit := int32(max(runBytes/perVertex, 1))
	n := b.NumGraphs()
	for first := 0; first < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := first + 1
		for end < n && b.Offsets[end+1]-b.Offsets[first] <= limit {
			end++
		}
		run := b
		if first > 0 || end < n {
			run = b.Slice(first, end)
		}
		if err := visit(run, first); err != nil {
			return err
		}
		first = end
	}
	return nil
}
