package gckn

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// Bounds of the memory for the features of one run of graphs: more makes nothing faster on a host, and on a device
// there are numbers of 32 bits for the elements of a matrix.
const (
	maxHostBytes   = 1 << 28
	maxDeviceBytes = math.MaxInt32 * 8
)

// runBytes returns the memory that the features of one run may take, a quarter of what is free. How graphs share runs
// changes no bit of what becomes of them.
func (m *Model) runBytes() (int64, error) {
	free, err := m.engine.Available()
	if err != nil {
		return 0, err
	}
	most := int64(maxHostBytes)
	if m.engine.Capabilities().Deferred {
		most = maxDeviceBytes
	}
	return min(max(free/4, 1), most), nil
}

// cut cuts b into runs of whole graphs whose features fit in so many bytes and calls visit for each, with the number of
// its first graph.
func (m *Model) cut(
	ctx context.Context, b *graph.Batch, budget int64, progress model.Progress,
	visit func(run *graph.Batch, first int) error,
) error {
	vertices := m.runVertices(budget)
	if m.opt.PathNorms {
		vertices = min(vertices, m.runWhole(b, budget))
	}
	return model.EachRun(ctx, b, vertices, progress, visit)
}

// runVertices returns the number of vertices whose features fit in so many bytes.
func (m *Model) runVertices(budget int64) int64 {
	width := 0
	for l, y := range m.opt.Layers {
		width = max(width, y.PathSize*y.Filters+2*m.opt.channels(l)*y.Filters)
	}
	return budget / int64(width) / int64(tensor.Float64.Size())
}

// runWhole returns the number of vertices of b whose paths, where these are listed one by one, fit in so many bytes: of
// each position its vector and its place, of each path its kernel values.
func (m *Model) runWhole(b *graph.Batch, budget int64) int64 {
	numbers, d := 0.0, m.input.Dim()
	for l, y := range m.opt.Layers {
		if m.opt.whole(l) {
			own := countPaths(b, m.opt.route(), y.PathSize) * float64(y.PathSize*(d+2)+2*y.Filters)
			numbers = max(numbers, own*float64(m.opt.channels(l)))
		}
		d = y.Filters
	}
	return int64(float64(budget) * float64(b.NumVertices()) / max(numbers, 1) / float64(tensor.Float64.Size()))
}

// Sizes of the pieces in which graphs on disk are read.
const (
	pieceGraphs   = 1 << 13
	pieceVertices = 1 << 17
)

// eachPiece calls visit with pieces of graphs, of about pieceVertices vertices, and the number of the first of each.
func eachPiece(ctx context.Context, graphs train.Graphs, visit func(b *graph.Batch, first int) error) error {
	n, vertices := graphs.NumGraphs(), 0
	for first, size := 0, 64; first < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(first+size, n)
		b, err := selectRange(graphs, first, end)
		if err != nil {
			return err
		}
		if err := visit(b, first); err != nil {
			return err
		}
		first, vertices = end, vertices+b.NumVertices()
		size = min(max(int(int64(pieceVertices)*int64(first)/int64(max(vertices, 1))), 1), pieceGraphs)
	}
	return nil
}

// eachOfBlock is eachPiece for the graphs of a block, counted from the first of these.
func eachOfBlock(
	ctx context.Context, graphs train.Graphs, block int, visit func(b *graph.Batch, first int) error,
) error {
	from := block * model.BlockGraphs
	list := make([]int, min(model.BlockGraphs, graphs.NumGraphs()-from))
	for i := range list {
		list[i] = from + i
	}
	return eachPiece(ctx, train.Part(graphs, list), visit)
}

// selectRange returns consecutive graphs.
func selectRange(graphs train.Graphs, from, to int) (*graph.Batch, error) {
	list := make([]int, to-from)
	for i := range list {
		list[i] = from + i
	}
	return graphs.Select(list)
}

// rows views n rows of a matrix from row first on.
func rows(x *tensor.Dense, first, n int) *tensor.Dense {
	width := x.Shape()[1]
	return engine.View(x, first*width, n, width)
}

// fill writes the representation of the graphs of b, or of their vertices, in runs of so many bytes to what next
// returns in host memory for so many rows, and calls visit with it. On a device two runs are under way: one is laid out
// and goes up, all of it in one piece, before the host waits for the one before.
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
		if run != b {
			defer engine.Forget(m.engine, run)
		}
		var coming func() error
		err := engine.Record(m.engine, func() (err error) {
			if err = write(x, run); err == nil {
				coming, err = engine.Fetch(m.engine, to, x)
			}
			return err
		})
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
