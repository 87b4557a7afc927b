package parallel

import (
	"sync/atomic"
	"testing"
)

func TestEveryPieceRunsOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 8} {
		for _, n := range []int{0, 1, 7, 1000} {
			runs := make([]atomic.Int32, n)
			For(workers, n, func(i int) { runs[i].Add(1) })
			for i := range runs {
				if got := runs[i].Load(); got != 1 {
					t.Fatalf("%d workers: piece %d of %d ran %d times", workers, i, n, got)
				}
			}
		}
	}
}

func TestChunksCoverTheRange(t *testing.T) {
	for _, size := range []int{1, 3, 64} {
		for _, n := range []int{0, 1, 63, 64, 65} {
			covered := make([]atomic.Int32, n)
			Chunks(3, n, size, func(from, to int) {
				if to-from > size || from >= to {
					t.Errorf("chunk from %d to %d", from, to)
				}
				for i := from; i < to; i++ {
					covered[i].Add(1)
				}
			})
			for i := range covered {
				if covered[i].Load() != 1 {
					t.Fatalf("size %d: item %d of %d was covered %d times", size, i, n, covered[i].Load())
				}
			}
		}
	}
}

// Every goroutine starts once and owns what it made.
func TestScratchIsNotShared(t *testing.T) {
	var started atomic.Int32
	Each(4, 100, func() func(int) {
		started.Add(1)
		busy := false
		return func(int) {
			if busy {
				t.Error("two pieces share scratch space")
			}
			busy = true
			busy = false
		}
	})
	if s := started.Load(); s < 1 || s > 4 {
		t.Errorf("started %d times", s)
	}
}
