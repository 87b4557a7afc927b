//go:build gpu

package cuda

import (
	"os"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
)

// siblings are the engines of a GPU that are open, the first one first.
type siblings struct {
	mu    sync.Mutex
	open  []*Engine
	ended counter // of those that are not open any more
}

func (r *siblings) all() []*Engine {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.open)
}

// beside are all but the first one.
func (r *siblings) beside() []*Engine { return r.all()[1:] }

// first reports whether closing this lane closes the GPU.
func (e *Engine) first() bool {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	return e.lanes.open[0] == e
}

// newLane returns an engine on a GPU with memory of its own, whose jobs stand in a line.
func newLane(g *gpu, l *line) *Engine {
	e := &Engine{gpu: g, line: l, pool: newPool(os.Getenv("GROVE_CUDA_POOL") != "off")}
	e.queue.next = newSubmission(1)
	e.counter.kernels = make([]KernelCounts, len(g.kernels))
	g.lanes.mu.Lock()
	defer g.lanes.mu.Unlock()
	g.lanes.open = append(g.lanes.open, e)
	return e
}

// Beside implements [engine.Sharer].
func (e *Engine) Beside() (beside engine.Engine, done func() error, err error) {
	lane := newLane(e.gpu, newLine())
	lane.aside = true
	if err := e.do("making room for another model", func() error {
		e.thread.lines = append(e.thread.lines, lane.line)
		return nil
	}); err != nil {
		lane.forget()
		return nil, nil, err
	}
	return lane, lane.Close, nil
}

// leave takes a lane off the GPU and gives its memory back.
func (e *Engine) leave() error {
	e.end()
	f := &failures{e: e, gone: e.lost.Load() != nil}
	_ = e.thread.finish(e.thread.start(e.line, nil, nil, func() error {
		e.freeMemory(f)
		e.thread.lines = slices.DeleteFunc(e.thread.lines, func(l *line) bool { return l == e.line })
		if len(e.thread.lines) == 1 {
			f.note("freeing the tables of launches", e.tables.close())
			f.note("freeing the memory of copies", e.spread.close())
		}
		return nil
	}))
	e.forget()
	return together(f.errs...)
}

// forget takes a lane out of those that are open.
func (e *Engine) forget() {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	e.lanes.open = slices.DeleteFunc(e.lanes.open, func(l *Engine) bool { return l == e })
	e.lanes.ended.add(&e.counter)
}
