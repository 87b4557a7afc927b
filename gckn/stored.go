package gckn

import (
	"context"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// representAll returns the representation of all graphs of some work. That of graphs on disk lies in a temporary file,
// or one of package rounds, mapped in memory as long as the work is open: the system takes its pages when others need
// the memory.
//
// A machine that takes rows as they come takes them from the runs here, without this matrix.
func (m *Model) representAll(ctx context.Context, graphs train.Graphs, w *model.Work) (*tensor.Dense, error) {
	if b := (&train.Examples{Graphs: graphs}).Whole(); b != nil {
		return m.Transform(ctx, b, w.Progress)
	}
	if m.opt.Double {
		return representStored[float64](ctx, m, graphs, w)
	}
	return representStored[float32](ctx, m, graphs, w)
}

// representStored is representAll for graphs on disk.
func representStored[T float32 | float64](
	ctx context.Context, m *Model, graphs train.Graphs, w *model.Work,
) (*tensor.Dense, error) {
	n, width := graphs.NumGraphs(), m.opt.Dim()
	bytes, err := m.runBytes()
	if err != nil {
		return nil, err
	}
	matrix := func(numbers []T) *tensor.Dense {
		return tensor.New(tensor.WithEngine(m.engine.Host()), tensor.WithShape(len(numbers)/width, width),
			tensor.WithBacking(numbers))
	}
	all, release, err := rounds.Matrix(ctx, w.Rounds, rounds.Pass[[]T]{
		Name: "vectors of the graphs", First: rounds.Even(n, model.BlockGraphs),
		Progress: func(done, blocks int) { w.Progress.Report("encode", done, blocks) },
		Compute: func(ctx context.Context, block int) ([]T, error) {
			numbers := make([]T, min(model.BlockGraphs, n-block*model.BlockGraphs)*width)
			out := matrix(numbers)
			return numbers, eachOfBlock(ctx, graphs, block, func(b *graph.Batch, first int) error {
				next := func(n int) *tensor.Dense {
					first += n
					return rows(out, first-n, n)
				}
				return m.fill(ctx, b, false, bytes, nil, next, func(*tensor.Dense) error { return nil })
			})
		},
	}, n*width)
	if err != nil {
		return nil, err
	}
	w.OnClose(release)
	return matrix(all), nil
}
