package gckn

import (
	"context"
	"math/bits"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// maxRunBytes bounds the memory for the features of one run of graphs; more makes nothing faster.
const maxRunBytes = 1 << 30

// runBytes returns the memory that the features of one run may take: a quarter of what is free, as
// a power of two, so that the same graphs share a run on every machine with enough memory: which vertices
// stand for others, and so the last bits of sums, depends on it.
func (m *Model) runBytes() (int64, error) {
	free, err := m.engine.Available()
	if err != nil {
		return 0, err
	}
	budget := uint64(min(max(free/4, 1), maxRunBytes))
	return 1 << (bits.Len64(budget) - 1), nil
}

// forEachRun cuts b into runs of whole graphs whose features fit in runBytes and calls visit for each,
// with the number of its first graph.
func (m *Model) forEachRun(
	ctx context.Context, b *graph.Batch, progress model.Progress, visit func(run *graph.Batch, first int) error,
) error {
	budget, err := m.runBytes()
	if err != nil {
		return err
	}
	return m.cut(ctx, b, budget, progress, visit)
}

// cut is [Model.forEachRun] for features that fit in the given number of bytes.
func (m *Model) cut(
	ctx context.Context, b *graph.Batch, budget int64, progress model.Progress,
	visit func(run *graph.Batch, first int) error,
) error {
	width := 0
	for l, y := range m.opt.Layers {
		width = max(width, y.PathSize*y.Filters+2*m.opt.channels(l)*y.Filters)
	}
	return model.EachRun(ctx, b, budget/int64(width)/int64(tensor.Float64.Size()), progress, visit)
}

// rows views n rows of a matrix from row first on.
func rows(x *tensor.Dense, first, n int) *tensor.Dense {
	width := x.Shape()[1]
	return engine.View(x, first*width, n, width)
}

// fill writes the representation of the graphs of b, or of their vertices, to out, which is in host memory.
func (m *Model) fill(out *tensor.Dense, b *graph.Batch, perVertex bool) error {
	x := m.engine.Mirror(out)
	if x != out {
		defer m.engine.Release(x)
	}
	write := m.transform
	if perVertex {
		write = m.vertexFeatures
	}
	if err := write(x, b); err != nil {
		return err
	}
	return m.engine.Convert(out, x)
}
