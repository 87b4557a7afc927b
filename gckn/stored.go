package gckn

import (
	"context"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// representAll returns the representation of all graphs of some work. That of graphs on disk lies in a temporary file,
// mapped in memory as long as the work is open: the system takes its pages when others need the memory.
//
// A machine that takes rows as they come takes them from the runs here, without this matrix.
func (m *Model) representAll(ctx context.Context, graphs train.Graphs, w *model.Work) (*tensor.Dense, error) {
	if b := (&train.Examples{Graphs: graphs}).Whole(); b != nil {
		return m.Transform(ctx, b, w.Progress)
	}
	n, width := graphs.NumGraphs(), m.opt.Dim()
	var backing any
	var release func() error
	var err error
	if m.opt.Double {
		backing, release, err = memory.Mapped[float64](n * width)
	} else {
		backing, release, err = memory.Mapped[float32](n * width)
	}
	if err != nil {
		return nil, err
	}
	w.OnClose(release)
	out := tensor.New(tensor.WithEngine(m.engine.Host()), tensor.WithShape(n, width), tensor.WithBacking(backing))
	bytes, err := m.runBytes()
	if err != nil {
		return nil, err
	}
	return out, eachPiece(ctx, graphs, w.Progress, func(b *graph.Batch, first int) error {
		next := func(n int) *tensor.Dense {
			first += n
			return rows(out, first-n, n)
		}
		return m.fill(ctx, b, false, bytes, nil, next, func(*tensor.Dense) error { return nil })
	})
}
