package parallel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// patience is how long a goroutine watches for the next piece of work, or for the end of others' work, before it goes to
// sleep. To wake a thread takes as long; a model of many short operations would pay that for each of them.
const patience = 50 * time.Microsecond

// task is work that several goroutines do together.
type task struct {
	run     func()
	helpers int
	left    atomic.Int64 // helpers that are not done
	done    chan struct{}
	watch   bool // there is a processor for everyone, so that to watch takes time from nobody
}

func newTask(run func(), helpers int) *task {
	t := &task{run: run, helpers: helpers, done: make(chan struct{}), watch: helpers < runtime.GOMAXPROCS(0)}
	t.left.Store(int64(helpers))
	return t
}

// share hands the task to its helpers: first to those that watch for work.
func (t *task) share() {
	missing := t.helpers
	for i := range watching {
		if missing == 0 {
			return
		}
		if h := watching[i].Load(); h != nil && watching[i].CompareAndSwap(h, nil) {
			h.next.Store(t)
			missing--
		}
	}
	for range missing {
		go new(helper).work(t)
	}
}

// wait returns when all helpers are done.
func (t *task) wait() {
	if !t.watch || !appears(func() bool { return t.left.Load() == 0 }) {
		<-t.done
	}
}

// helper is a goroutine that takes part in the tasks of others.
type helper struct {
	next atomic.Pointer[task]
}

// watching holds the helpers that watch for a task. It decides who does a piece of work, never what comes of it. Who
// takes a helper out hands it a task; one that takes itself out ends.
var watching [64]atomic.Pointer[helper]

func (h *helper) work(t *task) {
	for t != nil {
		t.run()
		watch := t.watch
		if t.left.Add(-1) == 0 {
			close(t.done)
		}
		if t = nil; watch {
			t = h.another()
		}
	}
}

// another returns the next task, nil if none comes in time.
func (h *helper) another() *task {
	h.next.Store(nil)
	for i := range watching {
		if watching[i].Load() != nil || !watching[i].CompareAndSwap(nil, h) {
			continue
		}
		handed := func() bool { return h.next.Load() != nil }
		if !appears(handed) && watching[i].CompareAndSwap(h, nil) {
			return nil
		}
		for !handed() { // taken, and handed a task at once
		}
		return h.next.Load()
	}
	return nil
}

// appears watches for a condition.
func appears(condition func() bool) bool {
	for start := time.Now(); time.Since(start) < patience; {
		for range 16 {
			if condition() {
				return true
			}
		}
	}
	return false
}
