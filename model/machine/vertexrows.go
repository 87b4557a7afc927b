package machine

import (
	"context"
	"math"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// vertexRows makes the rows that a machine on vertices sees.
type vertexRows struct {
	VertexVectors
	own bool
}

// columns returns the width of the rows.
func (r vertexRows) columns() int {
	columns, _ := r.Width()
	return columns + r.ownWidth()
}

func (r vertexRows) ownWidth() int {
	if !r.own {
		return 0
	}
	labels, attributes := r.Encoding().Width()
	return labels + attributes
}

// of returns the rows of all vertices of d, Float64.
func (r vertexRows) of(ctx context.Context, d *dataset.Dataset, progress model.Progress) (*tensor.Dense, error) {
	n, columns := d.Batch.NumVertices(), r.columns()
	if err := memory.ForMatrices("vectors of vertices", 1, n, columns); err != nil {
		return nil, err
	}
	x, v := make([]float64, n*columns), 0
	width, _ := r.Width()
	err := r.Embed(ctx, d, true, progress, func(rows *tensor.Dense) error {
		values, err := engine.Float64s(rows)
		for ; err == nil && len(values) > 0; values = values[width:] {
			row := x[v*columns : v*columns+width]
			copy(row, values)
			toUnit(row)
			v++
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.own {
		b, err := r.Encoding().Apply(d)
		if err != nil {
			return nil, err
		}
		for v := range n {
			own(x[v*columns+width:(v+1)*columns], b, v)
		}
	}
	return tensor.New(tensor.WithShape(n, columns), tensor.WithBacking(x)), nil
}

// own writes what a vertex shows to a row of zeros. A label that was never seen has no column.
func own(row []float64, b *graph.Batch, v int) {
	switch {
	case b.AttributeDim > 0:
		copy(row, b.Attribute(int32(v)))
		toUnit(row)
	case b.Labels != nil && int(b.Labels[v]) < len(row):
		row[b.Labels[v]] = 1
	}
}

// toUnit divides a vector by its length, unless that is zero.
func toUnit(x []float64) {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	if square > 0 {
		for j, length := 0, math.Sqrt(square); j < len(x); j++ {
			x[j] /= length
		}
	}
}
