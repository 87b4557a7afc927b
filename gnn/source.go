package gnn

import (
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// features says how the vertices of a batch look to a network.
type features struct {
	input train.Input
	byRow bool
	rows  *tensor.Dense // of the labels, on the engine; nil for attributes
}

// featuresOf returns the features of a network on an engine.
func featuresOf(e engine.Engine, o *Options, input train.Input) (*features, error) {
	f := &features{input: input, byRow: o.ByRow}
	var err error
	if input.Labels > 0 {
		f.rows, err = input.LabelRows(e, o.dtype())
	}
	return f, err
}

// of returns the features of the vertices of b.
func (f *features) of(b *graph.Batch) (autodiff.Features, error) {
	if f.rows != nil {
		index, err := f.input.Index(b)
		return autodiff.Features{Rows: f.rows, Index: index}, err
	}
	raw, err := f.input.Raw(b)
	if err == nil && f.byRow {
		raw = dividedByRow(raw)
	}
	return autodiff.Features{Raw: raw}, err
}

// dividedByRow returns x with every row divided by the sum of its absolute values, unless that is 0.
func dividedByRow(x *tensor.Dense) *tensor.Dense {
	values, d := append([]float64(nil), x.Float64s()...), x.Shape()[1]
	for r := 0; r+d <= len(values) && d > 0; r += d {
		row, sum := values[r:r+d], 0.0
		for _, v := range row {
			sum += math.Abs(v)
		}
		for j := range row {
			if sum > 0 {
				row[j] /= sum
			}
		}
	}
	return tensor.New(tensor.WithShape(x.Shape()...), tensor.WithBacking(values))
}

// source lays out batches of the items of a training.
type source struct {
	run      *train.Run
	network  *autodiff.Network
	features *features
	cut      *graph.Neighbourhoods // in a task on vertices
	hops     int
	whole    *tensor.Dense // on the engine: the attributes of all vertices that are cut out of; nil for labels

	fanOut, predicted []int          // of steps and of scores, where vertices are cut out; nil: all arcs
	arcs              *autodiff.Arcs // nil where none are drawn
	index             []int32        // of the labels of all vertices, where arcs are drawn
	draw              func(epoch int) graph.Draw
}

// cutting makes a source one of vertices.
func (s *source) cutting(e engine.Engine, o *Options) error {
	bare := *s.run.Examples.Whole()
	s.hops, s.draw = o.hops(), o.drawOf
	var err error
	if s.fanOut, s.predicted, err = o.FanOuts(o.Layers); err != nil {
		return err
	}
	if s.features.rows == nil {
		f, err := s.features.of(&bare)
		if err != nil {
			return err
		}
		s.whole = e.New(o.dtype(), f.Raw.Shape()...)
		if err := e.Convert(s.whole, f.Raw); err != nil {
			return err
		}
		bare.Attributes, bare.AttributeDim = nil, 0
	}
	s.cut = bare.Neighbourhoods()
	if o.Samples() {
		s.arcs = autodiff.NewArcs(&bare)
		if s.whole == nil {
			s.index, err = s.features.input.Index(&bare)
		}
	}
	return err
}

// ofSteps returns the source of the batches of steps.
func (s *source) ofSteps() autodiff.Source {
	if s.fanOut == nil {
		return s
	}
	return sampled{s}
}

// sampled is a source that draws in every epoch the arcs of its batches.
type sampled struct{ *source }

// Sample implements [autodiff.Sampler].
func (s sampled) Sample(epoch int, items []int) (*autodiff.Batch, error) {
	return s.sample(items, s.fanOut, epoch)
}

// sample lays out vertices with some of the arcs around them.
func (s *source) sample(items []int, fanOut []int, epoch int) (*autodiff.Batch, error) {
	f := autodiff.Features{Rows: s.whole}
	if s.whole == nil {
		f.Rows, f.Index = s.features.rows, s.index
	}
	of := autodiff.Sampling{FanOut: fanOut, Draw: s.draw(epoch)}
	return s.network.LayoutSampled(s.arcs, of, f, s.run.Targets(items), verticesOf(items))
}

// verticesOf returns items as vertices.
func verticesOf(items []int) []int32 {
	vertices := make([]int32, len(items))
	for i, v := range items {
		vertices[i] = int32(v)
	}
	return vertices
}

// Batch implements [autodiff.Source].
func (s *source) Batch(items []int) (*autodiff.Batch, error) {
	if s.predicted != nil {
		return s.sample(items, s.predicted, 0)
	}
	if s.cut != nil {
		return s.around(items)
	}
	b, err := s.run.Examples.Select(items)
	if err != nil {
		return nil, err
	}
	f, err := s.features.of(b)
	if err != nil {
		return nil, err
	}
	f.Own = true
	return s.network.Layout(b, f, s.run.Targets(items), nil)
}

// around lays out the surroundings of vertices.
func (s *source) around(items []int) (*autodiff.Batch, error) {
	b, at, from := s.cut.Of(verticesOf(items), s.hops)
	f := autodiff.Features{Rows: s.whole, Index: from}
	if s.whole == nil {
		var err error
		if f, err = s.features.of(b); err != nil {
			return nil, err
		}
	}
	f.Own = true
	return s.network.Layout(b, f, s.run.Targets(items), at)
}
