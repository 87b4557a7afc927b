package gckn

import (
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Input says what the vertices of a batch look like to a model: label ids, which stand for one-hot
// vectors, or real attributes.
type Input struct {
	Labels     int `json:"labels"`     // number of labels; ids from Labels on count as one label that was never seen
	Attributes int `json:"attributes"` // width of the attributes, where Labels is 0
}

// InputOf returns the input that a batch offers: its attributes where it has them, else its labels.
func InputOf(b *graph.Batch) (Input, error) {
	switch {
	case b.AttributeDim > 0:
		return Input{Attributes: b.AttributeDim}, nil
	case b.Labels != nil && b.NumLabels > 0:
		return Input{Labels: b.NumLabels}, nil
	}
	return Input{}, fmt.Errorf("the vertices have neither labels nor attributes; use their degrees as labels")
}

// dim returns the length of the input vectors.
func (in Input) dim() int { return in.Labels + in.Attributes }

// features returns what the vertices of b look like. Vertices that the model cannot tell apart share a row, so that
// every product and exponential is computed once for all of them; label ids are the simplest case of that.
func (in Input) features(e engine.Engine, dtype tensor.Dtype, b *graph.Batch) (autodiff.Features, error) {
	if in.Labels == 0 {
		raw, err := in.raw(b)
		if err != nil {
			return autodiff.Features{}, err
		}
		rows := e.Scratch(dtype, b.NumVertices(), in.Attributes)
		return autodiff.Features{Rows: rows}, e.Convert(rows, raw)
	}
	index, err := in.index(b)
	if err != nil {
		return autodiff.Features{}, err
	}
	rows, err := in.labelRows(e, dtype)
	return autodiff.Features{Rows: rows, Index: index, Unit: true}, err
}

// raw returns the attributes of the vertices of b, in host memory.
func (in Input) raw(b *graph.Batch) (*tensor.Dense, error) {
	if b.AttributeDim != in.Attributes {
		return nil, fmt.Errorf("the model wants %d attributes for each vertex, the data have %d", in.Attributes,
			b.AttributeDim)
	}
	return tensor.New(tensor.WithShape(b.NumVertices(), in.Attributes), tensor.WithBacking(b.Attributes)), nil
}

// labelRows returns one row for each label, and a last row orthogonal to all anchors for labels never seen.
func (in Input) labelRows(e engine.Engine, dtype tensor.Dtype) (*tensor.Dense, error) {
	identity := make([]float64, (in.Labels+1)*in.Labels)
	for l := range in.Labels {
		identity[l*in.Labels+l] = 1
	}
	rows := e.Scratch(dtype, in.Labels+1, in.Labels)
	raw := tensor.New(tensor.WithShape(in.Labels+1, in.Labels), tensor.WithBacking(identity))
	return rows, e.Convert(rows, raw)
}

// index returns the row of every vertex among those of [Input.labelRows].
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
