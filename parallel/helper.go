package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// patience is how long a goroutine watches for the next piece of work, or for the end of others' work, before it goes
// to sleep. To wake a thread takes as long; a model of many short operations would pay that for each of them.
const patience = 75 * time.Microsecond

// loop is work that several goroutines do together.
type loop struct {
	run     func()
	helpers int
	state   atomic.Int64 // number of helpers that are at it; over more when no work is left
	done    chan struct{}
	failed  atomic.Pointer[string] // what a helper panicked with
	watch   bool                   // there is a processor for everyone, so that to watch takes time from nobody
}

// over tells a helper that wakes up only when no work is left that nobody waits for it.
const over = 1 << 32

func newLoop(run func(), helpers int) *loop {
	return &loop{run: run, helpers: helpers, done: make(chan struct{}, 1), watch: helpers < runtime.GOMAXPROCS(0)}
}

// help does a part of the work, unless it comes too late.
func (t *loop) help() {
	if t.state.Add(1) < over {
		t.attempt()
	}
	if t.state.Add(-1) == over {
		select {
		case t.done <- struct{}{}:
		default: // a helper that came too late has said so as well
		}
	}
}

// attempt runs the work. A panic is kept for the goroutine that waits, where the caller can deal with it.
func (t *loop) attempt() {
	defer func() {
		if cause := recover(); cause != nil {
			said := fmt.Sprintf("%v\n\nin a helper:\n%s", cause, debug.Stack())
			t.failed.CompareAndSwap(nil, &said)
		}
	}()
	t.run()
}

// share hands the loop to its helpers: first to those that watch for work. Others are called; none where a crowd is on
// its way from short loops before.
func (t *loop) share() {
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
		if int(called.Load()) >= crowd*runtime.GOMAXPROCS(0) {
			return
		}
		called.Add(1)
		go new(helper).work(t)
	}
}

// wait returns when all helpers that are at it are done. No work may be left that nobody has begun.
func (t *loop) wait() {
	if t.state.Add(over) == over || t.watch && appears(func() bool { return t.state.Load() == over }) {
		return
	}
	<-t.done
}

// helper is a goroutine that takes part in the loops of others.
type helper struct {
	next atomic.Pointer[loop]
}

// watching holds the helpers that watch for a loop. It decides who does a piece of work, never what comes of it. Who
// takes a helper out hands it a loop; one that takes itself out ends.
var watching [64]atomic.Pointer[helper]

// crowd is the number of helpers for each processor that may be on their way at once.
const crowd = 4

// called counts the helpers that are on their way, helpers those that have arrived and help or watch.
var called, helpers atomic.Int64

func (h *helper) work(t *loop) {
	called.Add(-1)
	helpers.Add(1)
	defer helpers.Add(-1)
	for t != nil {
		t.help()
		if !t.watch || int(helpers.Load()) >= runtime.GOMAXPROCS(0) { // there are others, and no processor to watch on
			return
		}
		t = h.another()
	}
}

// another returns the next loop, nil if none comes in time.
func (h *helper) another() *loop {
	h.next.Store(nil)
	for i := range watching {
		if watching[i].Load() != nil || !watching[i].CompareAndSwap(nil, h) {
			continue
		}
		handed := func() bool { return h.next.Load() != nil }
		if !appears(handed) && watching[i].CompareAndSwap(h, nil) {
			return nil
		}
		for !handed() { // taken, and handed a loop at once
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
