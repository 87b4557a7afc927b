package train

import (
	"fmt"

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

// Dim returns the length of the input vectors.
func (in Input) Dim() int { return in.Labels + in.Attributes }

// Raw returns the attributes of the vertices of b, NumVertices x Attributes of Float64 in host memory.
func (in Input) Raw(b *graph.Batch) (*tensor.Dense, error) {
	if b.AttributeDim != in.Attributes {
		return nil, fmt.Errorf("the model wants %d attributes for each vertex, the data have %d", in.Attributes,
			b.AttributeDim)
	}
	return tensor.New(tensor.WithShape(b.NumVertices(), in.Attributes), tensor.WithBacking(b.Attributes)), nil
}

// LabelRows returns the input vector of each label, and a last row of zeros for labels never seen:
// (Labels+1) x Labels, scratch memory of the engine.
func (in Input) LabelRows(e engine.Engine, dtype tensor.Dtype) (*tensor.Dense, error) {
	identity := make([]float64, (in.Labels+1)*in.Labels)
	for l := range in.Labels {
		identity[l*in.Labels+l] = 1
	}
	rows := e.Scratch(dtype, in.Labels+1, in.Labels)
	raw := tensor.New(tensor.WithShape(in.Labels+1, in.Labels), tensor.WithBacking(identity))
	return rows, e.Convert(rows, raw)
}

// Index returns the row of every vertex of b among those of [Input.LabelRows].
func (in Input) Index(b *graph.Batch) ([]int32, error) {
	if len(b.Labels) != b.NumVertices() {
		return nil, fmt.Errorf("the model wants labelled vertices, the data have none")
	}
	index := make([]int32, len(b.Labels))
	for v, l := range b.Labels {
		index[v] = min(l, int32(in.Labels))
	}
	return index, nil
}
