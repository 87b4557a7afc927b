package model

import (
	"context"

	"github.com/grove-graph/grove/graph"
)

// EachRun cuts b into runs of whole graphs, as many as have so many vertices together, at least one, and calls visit
// with each and the number of its first graph. Progress is that of the stage "encode".
func EachRun(
	ctx context.Context, b *graph.Batch, vertices int64, progress Progress,
	visit func(run *graph.Batch, first int) error,
) error {
	n := b.NumGraphs()
	for first := 0; first < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.Report("encode", first, n)
		end := first + 1
		for end < n && int64(b.Offsets[end+1]-b.Offsets[first]) <= vertices {
			end++
		}
		run := b
		if first > 0 || end < n {
			run = b.Slice(first, end)
		}
		if err := visit(run, first); err != nil {
			return err
		}
		first = end
	}
	progress.Report("encode", n, n)
	return ctx.Err()
}
