package gckn

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// channel is one feature map over the vertices of a batch: vertex v has the vector rows[index[v]].
// Vertices that the model cannot tell apart share a row, so that every product and exponential is
// computed once for all of them; label ids are the simplest case of that.
type channel struct {
	rows  *tensor.Dense // D x d
	index []int32       // row of each vertex; nil: vertex v has row v
	unit  bool          // the rows are used as they are, with norm 1
	fixed bool          // the rows are the same in every run of graphs
}

// release gives the memory of channels back.
func release(e engine.Engine, channels []*channel) {
	for _, c := range channels {
		engine.Release(e, c.rows)
	}
}

// row returns the row of vertex v.
func (c *channel) row(v int32) int32 {
	if c.index == nil {
		return v
	}
	return c.index[v]
}

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

// channel returns the input feature map of b.
func (in Input) channel(e engine.Engine, dtype tensor.Dtype, b *graph.Batch) (*channel, error) {
	n := b.NumVertices()
	if in.Labels == 0 {
		if b.AttributeDim != in.Attributes {
			return nil, fmt.Errorf("the model wants %d attributes for each vertex, the data have %d",
				in.Attributes, b.AttributeDim)
		}
		raw := tensor.New(tensor.WithShape(n, in.Attributes), tensor.WithBacking(b.Attributes))
		rows := engine.Scratch(e, dtype, n, in.Attributes)
		return &channel{rows: rows}, e.Convert(rows, raw)
	}
	if len(b.Labels) != n {
		return nil, fmt.Errorf("the model wants labelled vertices, the data have none")
	}
	// One row for each label, and a last row orthogonal to all anchors for labels never seen.
	identity := make([]float64, (in.Labels+1)*in.Labels)
	for l := range in.Labels {
		identity[l*in.Labels+l] = 1
	}
	rows := engine.Scratch(e, dtype, in.Labels+1, in.Labels)
	index := make([]int32, n)
	for v, l := range b.Labels {
		index[v] = min(l, int32(in.Labels))
	}
	raw := tensor.New(tensor.WithShape(in.Labels+1, in.Labels), tensor.WithBacking(identity))
	return &channel{rows: rows, index: index, unit: true, fixed: true}, e.Convert(rows, raw)
}
