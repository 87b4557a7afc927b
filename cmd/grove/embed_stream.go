package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/dataset"
	"gorgonia.org/tensor"
)

// rowStream is a fitted map from graphs to vectors that hands its rows over in batches, so that the whole
// matrix need not fit in memory.
type rowStream interface {
	// width returns the number of columns and the type of the rows.
	width() (columns int, dtype tensor.Dtype)
	// each calls visit with the rows of consecutive graphs, or vertices, which are good until it returns.
	each(ctx context.Context, d *dataset.Dataset, perVertex bool, report func(stage string, done, total int),
		visit func(rows *tensor.Dense) error) error
}

// matrixRows are the rows of a matrix that is ready.
type matrixRows struct{ x *tensor.Dense }

func (m matrixRows) width() (columns int, dtype tensor.Dtype) { return m.x.Shape()[1], m.x.Dtype() }

func (m matrixRows) each(
	_ context.Context, _ *dataset.Dataset, _ bool, _ func(string, int, int), visit func(*tensor.Dense) error,
) error {
	return visit(m.x)
}

// width implements rowStream.
func (n *network) width() (columns int, dtype tensor.Dtype) {
	opt := n.model.Options()
	if opt.Double {
		return opt.Dim(), tensor.Float64
	}
	return opt.Dim(), tensor.Float32
}

// each implements rowStream.
func (n *network) each(
	ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int),
	visit func(rows *tensor.Dense) error,
) error {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return err
	}
	each := n.model.EachRun
	if perVertex {
		each = n.model.EachVertexRun
	}
	return each(ctx, b, report, func(_ int, rows *tensor.Dense) error { return visit(rows) })
}

// stream writes the rows that r.Task asks for, in NumPy's format, and fills in their shape. It returns how
// long writing took.
func (a *app) stream(
	ctx context.Context, w io.Writer, from rowStream, d *dataset.Dataset, r *embedding,
) (writing time.Duration, err error) {
	perVertex := r.Task == nodeTask
	r.Rows = d.NumGraphs()
	if perVertex {
		r.Rows = d.Batch.NumVertices()
	}
	columns, dtype := from.width()
	r.Columns, r.Dtype = columns, dtype.String()
	out, err := newNPY(w, dtype, r.Rows, columns)
	if err != nil {
		return 0, err
	}
	err = from.each(ctx, d, perVertex, a.progress.report, func(rows *tensor.Dense) error {
		start := time.Now()
		defer func() { writing += time.Since(start) }()
		return out.write(rows)
	})
	if err == nil && out.left != 0 {
		err = fmt.Errorf("%d numbers are missing", out.left)
	}
	return writing, err
}
