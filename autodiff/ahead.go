package autodiff

import (
	"context"

	"github.com/grove-graph/grove/engine"
)

// laidOut is a batch, or why there is none.
type laidOut struct {
	batch *Batch
	err   error
}

func (p laidOut) release(e engine.Engine) {
	if p.batch != nil {
		p.batch.Release(e)
	}
}

// ahead lays out the batches of some items one after another, always one before it is asked for. It ends
// with the items, after an error, or with ctx.
func ahead(ctx context.Context, s Source, items []int, size int) <-chan laidOut {
	out := make(chan laidOut)
	go func() {
		defer close(out)
		for len(items) > 0 && ctx.Err() == nil {
			n := min(size, len(items))
			b, err := s.Batch(items[:n])
			out <- laidOut{b, err}
			if err != nil {
				return
			}
			items = items[n:]
		}
	}()
	return out
}
