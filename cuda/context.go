//go:build gpu

package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gorgonia.org/cu"
)

// thread is the goroutine, locked to its OS thread, that owns a context and makes every call of the driver. Its jobs
// stand in lines, one for every lane.
type thread struct {
	first    *line         // whose end is that of the thread
	lines    []*line       // of the goroutine
	before   time.Time     // when recorded work of several lines was last begun
	since    time.Time     // when the next began to wait for other lines
	wait     time.Duration // how long it may
	patience time.Duration // how long it may at least
	posted   chan struct{} // wakes the goroutine where it looks at several lines
	closed   chan struct{}
	spin     int
	pool     sync.Pool // of *job
}

// job is a function to be called on the thread, behind a submission.
type job struct {
	of       *Engine
	work     *submission // nil for none, or when it is performed
	f        func() error
	err      error
	panicked any
	state    atomic.Int32
	wake     chan struct{}
}

// queued is how many jobs of a line may wait for the thread before whoever sends one more waits, too.
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

// startThread starts the goroutine, with one line, and makes a context for a device on it.
func startThread(device cu.Device) (*thread, cu.CUContext, error) {
	first := newLine()
	t := &thread{first: first, lines: []*line{first}, patience: patience, posted: make(chan struct{}, 1),
		closed: make(chan struct{})}
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
		ready, ok := t.next()
		if !ok {
			return
		}
		t.perform(ready)
		for _, l := range ready {
			if j := l.take(); j != nil {
				t.run(j)
			}
		}
	}
}

// run calls the function of a job, if it has one, and tells who waits for it.
func (t *thread) run(j *job) {
	if j.state.Load() == jobSent {
		t.put(j)
		return
	}
	j.run()
	if j.state.Swap(jobDone) == jobAwaited {
		j.wake <- struct{}{}
	}
}

func (j *job) run() {
	defer func() { j.panicked = recover() }()
	j.err = j.f()
}

// do calls f on the thread, from the first line, and returns its error. A panic of f comes out here. f must not call
// do.
func (t *thread) do(f func() error) error { return t.finish(t.start(t.first, nil, nil, f)) }

// send has a submission performed some time after what was sent before. Nobody waits for it.
func (t *thread) send(l *line, e *Engine, s *submission) { t.give(l, e, s, nil, jobSent) }

// start is the first half of do, behind a submission if there is one: f has its place among the jobs when it returns.
func (t *thread) start(l *line, e *Engine, s *submission, f func() error) *job {
	return t.give(l, e, s, f, jobRunning)
}

func (t *thread) give(l *line, e *Engine, s *submission, f func() error, state int32) *job {
	j := t.pool.Get().(*job)
	j.of, j.work, j.f = e, s, f
	j.state.Store(state)
	l.jobs <- j
	select {
	case t.posted <- struct{}{}:
	default: // the thread has not looked since
	}
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
	j.of, j.work, j.f, j.err, j.panicked = nil, nil, nil, nil, nil
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
	close(t.first.jobs)
	<-t.closed
}
