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

// cut cuts b into runs of whole graphs whose features fit in so many bytes and calls visit for each, with the number of
// its first graph.
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

// fill writes the representation of the graphs of b, or of their vertices, in runs of so many bytes to what next
// returns in host memory for so many rows, and calls visit with it. On a device two runs are under way: one is encoded
// before the host waits for the one before.
func (m *Model) fill(
	ctx context.Context, b *graph.Batch, perVertex bool, bytes int64, progress model.Progress,
	next func(rows int) *tensor.Dense, visit func(x *tensor.Dense) error,
) error {
	write := m.transform
	if perVertex {
		write = m.vertexFeatures
	}
	var out *tensor.Dense // of the run that is under way; nil without
	var wait func() error
	finish := func(err error) error {
		x := out
		if out = nil; x == nil {
			return err
		}
		if failed := wait(); err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		return visit(x)
	}
	return finish(m.cut(ctx, b, bytes, progress, func(run *graph.Batch, _ int) error {
		to := next(rowsFor(run, perVertex))
		x := m.engine.Mirror(to)
		if x != to {
			defer m.engine.Release(x)
		}
		if err := write(x, run); err != nil {
			return err
		}
		coming, err := engine.Fetch(m.engine, to, x)
		if err != nil {
			return err
		}
		err = finish(nil)
		if out, wait = to, coming; err != nil || m.engine.Capabilities().Deferred {
			return err
		}
		return finish(nil)
	}))
}
