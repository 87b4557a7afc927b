//go:build gpu

package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"
)

// thread is the goroutine, locked to its OS thread, that owns a context and makes every call of the driver.
type thread struct {
	jobs   chan *job
	closed chan struct{}
	spin   int
	pool   sync.Pool // of *job
}

// job is a function to be called on the thread.
type job struct {
	f        func() error
	err      error
	panicked any
	state    atomic.Int32
	wake     chan struct{}
}

// queued is how many jobs may wait for the thread before whoever sends one more waits, too.
const queued = 64

// The states of a job.
const (
	jobRunning int32 = iota
	jobAwaited       // its sender sleeps
	jobDone
	jobSent // nobody waits for it
)

// spins is how often both sides look for each other before they go to sleep: some ten microseconds, about what
// waking a locked thread costs. Operations follow each other more closely than that.
const spins = 2000

// startThread starts the goroutine and makes a context for a device on it.
func startThread(device cu.Device) (*thread, cu.CUContext, error) {
	t := &thread{jobs: make(chan *job, queued), closed: make(chan struct{})}
	t.pool.New = func() any { return &job{wake: make(chan struct{}, 1)} }
	if runtime.GOMAXPROCS(0) > 1 {
		t.spin = spins
	}
	go t.loop()
	var context cu.CUContext
	err := t.do(func() (err error) {
		context, err = device.MakeContext(cu.SchedAuto)
		return err
	})
	if err != nil {
		t.stop()
	}
	return t, context, err
}

// loop runs jobs until stop. The goroutine ends while locked, so its OS thread ends with it and cannot be
// reused with the context current.
func (t *thread) loop() {
	runtime.LockOSThread()
	defer close(t.closed)
	for {
		j, ok := t.next()
		if !ok {
			return
		}
		if j.state.Load() == jobSent {
			_ = j.f()
			t.put(j)
			continue
		}
		j.run()
		if j.state.Swap(jobDone) == jobAwaited {
			j.wake <- struct{}{}
		}
	}
}

func (t *thread) next() (*job, bool) {
	for range t.spin {
		select {
		case j, ok := <-t.jobs:
			return j, ok
		default:
		}
	}
	j, ok := <-t.jobs
	return j, ok
}

func (j *job) run() {
	defer func() { j.panicked = recover() }()
	j.err = j.f()
}

// do calls f on the thread and returns its error. A panic of f comes out here. f must not call do.
func (t *thread) do(f func() error) error { return t.finish(t.start(f)) }

// send calls f on the thread some time after what was sent before. Nobody waits for it.
func (t *thread) send(f func()) {
	t.give(func() error { f(); return nil }, jobSent)
}

// start is the first half of do: f has its place among the jobs when it returns.
func (t *thread) start(f func() error) *job { return t.give(f, jobRunning) }

func (t *thread) give(f func() error, state int32) *job {
	j := t.pool.Get().(*job)
	j.f = f
	j.state.Store(state)
	t.jobs <- j
	return j
}

// finish is the second half of do.
func (t *thread) finish(j *job) error {
	t.await(j)
	err, panicked := j.err, j.panicked
	t.put(j)
	if panicked != nil {
		panic(panicked)
	}
	return err
}

func (t *thread) put(j *job) {
	j.f, j.err, j.panicked = nil, nil, nil
	t.pool.Put(j)
}

func (t *thread) await(j *job) {
	for range t.spin {
		if j.state.Load() == jobDone {
			return
		}
	}
	if j.state.CompareAndSwap(jobRunning, jobAwaited) {
		<-j.wake
	}
}

// stop ends the goroutine and its OS thread. No job may be sent any more.
func (t *thread) stop() {
	close(t.jobs)
	<-t.closed
}
