package parallel

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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

// Of many short loops, over before a helper wakes up, no crowd of helpers is left that watches for more.
func TestShortTasksLeaveFewHelpers(t *testing.T) {
	most := int64(0)
	for range 100 {
		for range 60 {
			For(2, 2, func(int) {})
		}
		time.Sleep(2 * patience)
		most = max(most, called.Load()+helpers.Load())
	}
	if most > (crowd+1)*int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d helpers at once", most)
	}
	for deadline := time.Now().Add(10 * time.Second); called.Load()+helpers.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d helpers are left", called.Load()+helpers.Load())
		}
	}
}

// Tasks within loops, from many goroutines at once, with more workers than processors and with fewer, all end with
// every piece done once; helpers that saw no work for a while are gone.
func TestTasksFromEverywhere(t *testing.T) {
	var pieces atomic.Int64
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			for i := range 200 {
				For(2+(c+i)%3, 5, func(int) {
					For(2, 3, func(int) { pieces.Add(1) })
				})
				if i%50 == 0 {
					time.Sleep(2 * patience)
				}
			}
		})
	}
	callers.Wait()
	if got := pieces.Load(); got != 8*200*5*3 {
		t.Errorf("%d pieces were done, want %d", got, 8*200*5*3)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		left := 0
		for i := range watching {
			if watching[i].Load() != nil {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d helpers still watch", left)
		}
	}
}

// The caller of a loop can recover from a panic in it, also where another goroutine ran the piece.
func TestPanicComesOutOfTheLoop(t *testing.T) {
	for _, workers := range []int{1, 4} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "the second piece") {
					t.Errorf("%d workers: recovered %q", workers, said)
				}
			}()
			began := make(chan bool)
			For(workers, 2, func(i int) {
				if i == 1 {
					close(began)
					panic("the second piece")
				}
				select { // so that another goroutine takes it, if one comes
				case <-began:
				case <-time.After(time.Duration(workers-1) * time.Second):
				}
			})
		}()
	}
}
