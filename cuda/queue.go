//go:build gpu

package cuda

import (
	"fmt"
	"sync"
)

// queue is where operations meet: what they enqueue is appended to one submission at a time, whose place among all
// others is thereby decided, and which goes to the context's thread. The thread never takes the lock.
type queue struct {
	mu     sync.Mutex
	next   *submission // being put together
	scopes int         // calls of Record that run: they hold the submission back
	arena  *arena      // nil before the first upload
	packed int         // bytes of next that went into arenas
	usual  int         // those of the last recorded submission that had any
}

// maxEntries bounds a submission.
const maxEntries = 1 << 13

// Record implements [engine.Recorder]: what operations enqueue while f runs becomes one submission, handed over when f
// returns. It goes earlier if somebody waits for the device in between. What other goroutines enqueue meanwhile goes
// with it, in the order in which it comes. Of submissions with equal sequences of kernels a graph is kept.
func (e *Engine) Record(f func() error) error {
	q := &e.queue
	q.mu.Lock()
	q.scopes++
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.scopes == 1 {
			e.post()
		}
		q.scopes--
	}()
	return f()
}

// send hands over what has been put together, unless somebody records. The caller holds the lock of the queue.
func (e *Engine) send() {
	if q := &e.queue; q.scopes == 0 || len(q.next.entries) > maxEntries {
		e.post()
	}
}

// post hands over what has been put together. The caller holds the lock of the queue.
func (e *Engine) post() {
	if s := e.queue.take(); s != nil {
		e.counter.Handovers++
		e.thread.send(e.line, e, s)
	}
}

// take returns what has been put together, or nil if that is nothing. The caller holds the lock.
func (q *queue) take() *submission {
	s := q.next
	if q.arena != nil {
		q.arena.flush(s)
	}
	if len(s.copies)+len(s.entries) == 0 {
		return nil
	}
	if s.recorded = q.scopes > 0; s.recorded && q.packed > 0 {
		q.usual = q.packed
	}
	q.packed = 0
	q.next = newSubmission(s.number + 1)
	return s
}

// do calls f on the context's thread, behind everything that was enqueued before, and returns its error. The error of a
// driver call is explained; one that leaves the context unusable is remembered and returned by every call after it, as
// are those of work that was handed over before.
func (e *Engine) do(what string, f func() error) error {
	return e.call(what, func() (*submission, func() error) {
		s := e.queue.take()
		return s, func() error {
			if err := e.usable(what); err != nil {
				return err
			}
			return e.tell(what, f())
		}
	})
}

// beside is do where the order does not matter: what is being put together is not handed over for it.
func (e *Engine) beside(what string, f func() error) error {
	return e.call(what, func() (*submission, func() error) { return nil, func() error { return e.tell(what, f()) } })
}

func (e *Engine) call(what string, job func() (*submission, func() error)) error {
	e.queue.mu.Lock()
	if err := e.usable(what); err != nil {
		e.queue.mu.Unlock()
		return err
	}
	e.counter.Handovers++
	before, f := job()
	j := e.thread.start(e.line, e, before, f)
	e.queue.mu.Unlock()
	return e.thread.finish(j)
}

// tell explains an error to whoever waits for it.
func (e *Engine) tell(what string, err error) error {
	if err = e.failure(what, err); err != nil && e.lost.Load() != nil {
		e.told.Store(true)
	}
	return err
}

// usable returns the error of an operation of an engine that is closed or lost. The first one to ask is told what
// happened.
func (e *Engine) usable(what string) error {
	if e.closed.Load() {
		return fmt.Errorf("%s: %s: the engine is closed", e, what)
	}
	lost := e.lost.Load()
	switch {
	case lost == nil:
		return nil
	case !e.told.Swap(true):
		return *lost
	}
	return fmt.Errorf("%s: %s: not done, an earlier operation failed: %w", e, what, *lost)
}
