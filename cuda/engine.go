//go:build gpu

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/cu"
)

// Engine runs Grove's operations on one GPU; see the package comment. It may be used by several goroutines; their
// operations follow each other on the device. Engines that [Engine.Beside] returns are lanes of the same device: each
// has memory, tensors and work of its own.
type Engine struct {
	*gpu
	line    *line
	aside   bool // beside another engine
	places  places
	queue   queue
	counter counter
	pool    *pool
	pinned  pinned
	tensors tensors
	batches batches

	lost   atomic.Pointer[error] // why nothing can be done any more
	told   atomic.Bool           // somebody has got this error
	closed atomic.Bool
	once   sync.Once
}

// gpu is what the lanes of a GPU have in common.
type gpu struct {
	ordinal int
	workers int
	device  properties

	thread  *thread
	context cu.CUContext
	modules []cu.Module
	kernels []loaded
	blas    *blas // nil where there is no cuBLAS
	host    *engine.CPU

	compute   *timeline // of the context's thread, as are the next ones
	copies    *timeline
	graphs    graphs
	tables    tables
	spread    spread
	recent    recent
	performed performed

	lanes siblings
}

// init registers the kind of device; it starts nothing.
func init() {
	engine.Register("cuda",
		func() int {
			n, err := count()
			if err != nil {
				return 0
			}
			return n
		},
		func(ordinal, workers int) (engine.Engine, error) {
			e, err := Open(ordinal, workers)
			if err != nil {
				return nil, err
			}
			return e, nil
		})
}

// Open returns an engine on the GPU with the given number, counted from 0. workers bounds the goroutines that
// work on the host beside it; 0 means one for every CPU. The error says in one line what is missing and what to
// do: no driver, no such GPU, a driver or a GPU too old for this program, a GPU held by another process, damaged
// kernels.
func Open(ordinal, workers int) (*Engine, error) { return open(ordinal, workers, fatbin, toolkit()) }

// open is Open with a fatbin of kernels and the version of CUDA that they need.
func open(ordinal, workers int, image string, needs int) (*Engine, error) {
	n, err := count()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= n {
		return nil, noSuchDevice(ordinal, n)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	of, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, fmt.Errorf("GPU %d: %s", ordinal, describe(err))
	}
	d := &gpu{ordinal: ordinal, workers: workers, host: engine.NewCPU(workers)}
	if d.device, err = readProperties(of); err != nil {
		return nil, fmt.Errorf("GPU %d: %s", ordinal, describe(err))
	}
	if err := d.device.suits(needs); err != nil {
		return nil, err
	}
	d.thread, d.context, err = startThread(of)
	if err != nil {
		return nil, noContext(ordinal, err)
	}
	e := newLane(d, d.thread.first)
	if err := e.thread.do(func() error { return e.prepare(image, needs) }); err != nil {
		return nil, together(err, e.shutDown())
	}
	return e, nil
}

// prepare loads the kernels and makes the streams, on the context's thread.
func (e *Engine) prepare(image string, needs int) (err error) {
	if err = e.install(image, needs, kernels[:]); err != nil {
		return err
	}
	if e.compute, err = newTimeline(); err != nil {
		return fmt.Errorf("GPU %d: making a stream: %s", e.ordinal, describe(err))
	}
	if e.copies, err = newTimeline(); err != nil {
		return fmt.Errorf("GPU %d: making a stream: %s", e.ordinal, describe(err))
	}
	e.graphs.off = os.Getenv(graphsVariable) == "off"
	if !simulated() {
		e.blas = openBLAS(e.compute.stream)
	}
	return nil
}

// install loads a fatbin and adds its kernels to those of the engine, on the context's thread.
func (e *Engine) install(image string, needs int, entries []kernel) error {
	m, err := load(image, needs, e.device)
	if err != nil {
		return err
	}
	e.modules = append(e.modules, m)
	for _, k := range entries {
		e.kernels = append(e.kernels, loaded{name: k.name, module: m})
	}
	e.counter.kernels = append(e.counter.kernels, make([]KernelCounts, len(entries))...)
	e.performed.joined = append(e.performed.joined, make([]int64, len(entries))...)
	return nil
}

// String is "cuda:0" for the first GPU.
func (e *Engine) String() string { return fmt.Sprintf("cuda:%d", e.ordinal) }

// Describe names the engine and its GPU, as in "cuda:0 (NVIDIA H200, compute capability 9.0)".
func (e *Engine) Describe() string {
	return fmt.Sprintf("%s (%s, compute capability %d.%d)", e, e.device.name, e.device.major, e.device.minor)
}

// Workers returns the number of goroutines that host-side work beside the engine may use.
func (e *Engine) Workers() int { return e.workers }

// WithWorkers implements [engine.Engine]: all share the GPU.
func (e *Engine) WithWorkers(int) engine.Engine { return e }

// Host implements [engine.Engine].
func (e *Engine) Host() engine.Engine { return e.host }

// Capabilities implements [engine.Engine].
func (e *Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{Wide: true, Deferred: true}
}

// Stats returns the counts of the memory pool. Memory for uploads to come counts as kept, not as in use.
func (e *Engine) Stats() Stats {
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	s := e.pool.snapshot()
	if a := e.queue.arena; a != nil && a.block.holders.Load() == 1 {
		s.Blocks--
		s.InUse -= int64(a.block.bytes)
		s.Cached += int64(a.block.bytes)
	}
	return s
}

// Synchronize waits until the device has done everything, and returns what went wrong since the last time.
func (e *Engine) Synchronize() error {
	return e.do("waiting for the device", func() error {
		if err := e.copies.synchronize(); err != nil {
			return err
		}
		return e.synchronize()
	})
}

// Close waits for the device and gives everything back that the engine holds there. Tensors cannot be used
// afterwards. It reports a failure of earlier operations, and tensors that nobody released or collected: each
// is memory that the program could not have used for anything else. Engines beside the first one end with it.
func (e *Engine) Close() error {
	var err error
	e.once.Do(func() { err = e.close() })
	return err
}

func (e *Engine) close() error {
	if !e.first() {
		return together(e.drain(), e.leave())
	}
	var errs []error
	for _, l := range e.lanes.beside() {
		errs = append(errs, l.Close())
	}
	return together(append(errs, e.drain(), e.shutDown())...)
}

// drain waits for the device and lets go of what is kept, and reports what failed and what is still in use.
func (e *Engine) drain() error {
	var failed error
	if e.lost.Load() == nil || !e.told.Load() {
		failed = e.Synchronize()
	}
	e.batches.drop()
	e.queue.mu.Lock()
	e.dropArena()
	e.queue.mu.Unlock()
	collect(e.vacant)
	var leak error
	if s := e.pool.snapshot(); s.Blocks > 0 {
		leak = fmt.Errorf("%s: closed with %d pieces of device memory in use (%s): release tensors, or drop the last "+
			"reference to them, before closing", e, s.Blocks, bytesText(s.InUse))
	}
	return together(failed, leak)
}

// vacant reports whether no memory is in use.
func (e *Engine) vacant() bool { return e.pool.snapshot().Blocks == 0 }

// end lets nothing be enqueued any more: whatever is handed over was so before.
func (e *Engine) end() {
	e.queue.mu.Lock()
	e.closed.Store(true)
	e.queue.mu.Unlock()
}

// failures collects what goes wrong while things are destroyed.
type failures struct {
	e    *Engine
	gone bool // calls into a lost context repeat its error
	errs []error
}

func (f *failures) note(what string, err error) {
	if err != nil && !f.gone {
		f.errs = append(f.errs, fmt.Errorf("%s: %s: %s", f.e, what, describe(err)))
	}
}

// freeMemory gives the memory of a lane back to the driver, on the context's thread.
func (e *Engine) freeMemory(f *failures) {
	f.note("freeing memory", e.pool.close())
	f.note("freeing page-locked memory", e.pinned.close())
}

// shutDown destroys streams, memory, module and context, and ends the thread.
func (e *Engine) shutDown() error {
	e.end()
	f := &failures{e: e, gone: e.lost.Load() != nil}
	_ = e.thread.do(func() error {
		e.blas.close()
		f.note("destroying graphs", e.graphs.close())
		e.freeMemory(f)
		f.note("freeing the tables of launches", e.tables.close())
		f.note("freeing the memory of copies", e.spread.close())
		for _, t := range []*timeline{e.copies, e.compute} {
			if t != nil {
				f.note("destroying a stream", t.close())
			}
		}
		for _, m := range e.modules {
			f.note("unloading the kernels", m.Unload())
		}
		f.note("destroying the context", e.context.Destroy())
		return nil
	})
	e.thread.stop()
	return together(f.errs...)
}
