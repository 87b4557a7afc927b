package gckn

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
)

// Models that train beside each other have the bits of those that train alone: of different folds, where some stop
// early and all are interrupted in the end.
func TestModelsBesideEachOther(t *testing.T) {
	for _, variant := range []string{"gckn-path", "gckn-subtree"} {
		t.Run(variant, func(t *testing.T) {
			e := enginetest.Open(t, 1)
			_, whole := synthetic(t, "molecules", dataset.SynthOptions{Graphs: 40}, variant)
			const models = 4
			var trainings [models]*Training
			var want [models]string
			for i := range trainings {
				fold := *whole
				fold.Options.BatchSize, fold.Options.Epochs = 8, 3-i%2
				fold.Train = append(fold.Train[:0:0], fold.Train[i:]...)
				trainings[i] = &fold
				want[i] = bytesOf(t, supervise(t, e, &fold))
			}
			var all sync.WaitGroup
			for i, training := range trainings {
				beside, done, err := engine.Beside(e)
				if err != nil {
					t.Fatal(err)
				}
				all.Go(func() {
					m, err := Supervise(context.Background(), beside, training)
					if err != nil {
						t.Error(err)
					} else if bytesOf(t, m) != want[i] {
						t.Errorf("model %d has other bits beside others", i)
					}
					ctx, stop := context.WithCancel(context.Background())
					stop()
					if _, err := Supervise(ctx, beside, training); !errors.Is(err, context.Canceled) {
						t.Errorf("interrupted: %v", err)
					}
					m = nil
					if err := done(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}
