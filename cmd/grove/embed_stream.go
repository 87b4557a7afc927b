package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// stream writes the rows that r.Task asks for, in NumPy's format, and fills in their shape. It returns how
// long writing took.
func (a *app) stream(
	ctx context.Context, w io.Writer, from model.Embedder, d *dataset.Dataset, r *embedding,
) (writing time.Duration, err error) {
	perVertex := r.Task == model.NodeTask
	r.Rows = d.NumGraphs()
	if perVertex {
		r.Rows = d.Batch.NumVertices()
	}
	columns, dtype := from.Width()
	r.Columns, r.Dtype = columns, dtype.String()
	out, err := newNPY(w, dtype, r.Rows, columns)
	if err != nil {
		return 0, err
	}
	err = from.Embed(ctx, d, perVertex, a.progress.report, func(rows *tensor.Dense) error {
		start := time.Now()
		defer func() { writing += time.Since(start) }()
		return out.write(rows)
	})
	if err == nil && out.left != 0 {
		err = fmt.Errorf("%d numbers are missing", out.left)
	}
	return writing, err
}
