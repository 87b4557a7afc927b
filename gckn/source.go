package gckn

import (
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// source lays out batches of examples for a network.
type source struct {
	*Examples
	network *autodiff.Network
	engine  engine.Engine
	dtype   tensor.Dtype
	input   Input
	labels  *tensor.Dense // the rows of the label ids; nil for attributes
	weights []float64     // of each class; nil: ones
	targets []float64     // standardised

	known [][]int32 // path classes of all vertices for the first layer; nil: found batch by batch

	sequences *graph.PathSequences // of known; nil where graphs have many paths

	offsets []int32               // of the graphs that known belongs to
	cut     *graph.Neighbourhoods // in a task on vertices
	hops    int                   // how far a vertex sees
}

// pathsPerRoot is the mean number of paths from a vertex up to which training pools over their label sequences:
// where there are more, the recursions over walks and arcs are as good.
const pathsPerRoot = 64

// newSource prepares what all batches share.
func newSource(e engine.Engine, x *Examples, input Input, opt *SupervisedOptions) (*source, error) {
	s := &source{Examples: x, engine: e, input: input, weights: opt.ClassWeights, dtype: dtypeOf(&opt.Network)}
	if input.Labels > 0 {
		ids, err := input.channel(e, s.dtype, &graph.Batch{Labels: []int32{}})
		if err != nil {
			return nil, err
		}
		s.labels = ids.rows
	}
	b, whole := x.Graphs.(inMemory)
	if x.Vertices {
		s.cut, s.hops = b.Neighbourhoods(), opt.Network.reach()
		return s, nil
	}
	first := opt.Network.Layers[0]
	if _, device := e.(engine.Device); whole && !device && input.Labels > 0 && first.PathSize > 1 {
		ids, err := input.index(b.Batch)
		if err != nil {
			return nil, err
		}
		classes := b.PathClasses(ids, first.PathSize, opt.Network.AllLengths, opt.Network.Walk, e.Workers())
		visited := pathsPerRoot
		for _, roots := range classes.Roots {
			visited += pathsPerRoot * len(roots)
		}
		s.known = classes.Class
		s.sequences = b.PathSequences(classes, ids, first.PathSize, opt.Network.AllLengths, opt.Network.Walk, visited)
		s.offsets = b.Offsets
	}
	return s, nil
}

// reach returns the number of arcs that a vertex sees through all layers.
func (o *Options) reach() int {
	hops := 0
	for _, l := range o.Layers {
		hops += l.PathSize - 1
	}
	return hops
}

func dtypeOf(o *Options) tensor.Dtype {
	if o.Double {
		return tensor.Float64
	}
	return tensor.Float32
}

// Batch implements [autodiff.Source].
func (s *source) Batch(items []int) (*autodiff.Batch, error) {
	if s.Vertices {
		vertices := make([]int32, len(items))
		for i, v := range items {
			vertices[i] = int32(v)
		}
		b, at := s.cut.Of(vertices, s.hops)
		return s.prepare(b, nil, items, at)
	}
	b, err := s.Graphs.Select(items)
	if err != nil {
		return nil, err
	}
	if _, whole := s.Graphs.(inMemory); !whole {
		if err := checkAttributes(b); err != nil {
			return nil, err
		}
	}
	var classes [][]int32
	for _, of := range s.known {
		var some []int32
		for _, g := range items {
			some = append(some, of[s.offsets[g]:s.offsets[g+1]]...)
		}
		classes = append(classes, some)
	}
	return s.prepare(b, classes, items, nil)
}

func (s *source) prepare(b *graph.Batch, classes [][]int32, items []int, vertices []int32) (*autodiff.Batch, error) {
	targets := s.of(items)
	if s.labels != nil {
		index, err := s.input.index(b)
		if err != nil {
			return nil, err
		}
		features := autodiff.Features{Rows: s.labels, Index: index, Unit: true, Classes: classes}
		if classes != nil {
			features.Sequences = s.sequences
		}
		return s.network.Prepare(b, features, targets, vertices)
	}
	in, err := s.input.channel(s.engine, s.dtype, b)
	if err != nil {
		return nil, err
	}
	defer engine.Release(s.engine, in.rows)
	return s.network.Prepare(b, autodiff.Features{Rows: in.rows}, targets, vertices)
}

// of returns the targets of items; none unless all are labelled.
func (s *source) of(items []int) autodiff.Targets {
	var t autodiff.Targets
	for _, i := range items {
		if !s.Examples.known(i) {
			return t
		}
	}
	if s.Classes == nil {
		values := make([]float64, 0, len(items)*s.Outputs)
		for _, i := range items {
			values = append(values, s.targets[i*s.Outputs:(i+1)*s.Outputs]...)
		}
		t.Values = tensor.New(tensor.WithShape(len(items), s.Outputs), tensor.WithBacking(values))
		return t
	}
	t.Classes = make([]int32, len(items))
	for k, i := range items {
		t.Classes[k] = int32(s.Classes[i])
	}
	if s.weights != nil {
		t.Weights = make([]float64, len(items))
		for k, i := range items {
			t.Weights[k] = s.weights[s.Classes[i]]
		}
	}
	return t
}

// index returns the row of every vertex among those of [Input.channel].
func (in Input) index(b *graph.Batch) ([]int32, error) {
	if len(b.Labels) != b.NumVertices() {
		return nil, fmt.Errorf("the model wants labelled vertices, the data have none")
	}
	index := make([]int32, len(b.Labels))
	for v, l := range b.Labels {
		index[v] = min(l, int32(in.Labels))
	}
	return index, nil
}
