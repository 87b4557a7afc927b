package autodiff

import (
	"context"
	"iter"

	"github.com/grove-graph/grove/engine"
)

// ahead lays out the batches of some items one after another, always one before it is asked for. It ends
// with the items, after an error, or with ctx. Whoever takes a batch releases it.
func ahead(ctx context.Context, e engine.Engine, s Source, items []int, size int) iter.Seq2[*Batch, error] {
	type laidOut struct {
		batch *Batch
		err   error
	}
	return func(yield func(*Batch, error) bool) {
		running, stop := context.WithCancel(ctx)
		out := make(chan laidOut)
		defer func() {
			stop()
			for next := range out {
				if next.batch != nil {
					next.batch.Release(e)
				}
			}
		}()
		go func() {
			defer close(out)
			for len(items) > 0 && running.Err() == nil {
				n := min(size, len(items))
				b, err := s.Batch(items[:n])
				out <- laidOut{b, err}
				if err != nil {
					return
				}
				items = items[n:]
			}
		}()
		for next := range out {
			if !yield(next.batch, next.err) {
				return
			}
		}
	}
}
