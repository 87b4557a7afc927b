package engine

import (
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Recorder is an engine that can hand work to its device in one piece.
type Recorder interface {
	// Record calls f and returns its error. What the operations that f calls ask of the device is handed over when f
	// returns, earlier only where f waits for a result. Sequences of operations that come again and again, as steps of
	// a training do, cost least that way. Results do not depend on it.
	Record(f func() error) error
}

// Record calls f, as one piece of work where e is a [Recorder].
func Record(e Engine, f func() error) error {
	if r, ok := e.(Recorder); ok {
		return r.Record(f)
	}
	return f()
}

// Sharer is an engine whose device can work for several models side by side.
type Sharer interface {
	// Beside returns an engine on the same device, whose tensors are its own and whose results have the same bits. What
	// several such engines record is computed together where it has the same operations. done waits for what was asked,
	// gives all memory back and reports what went wrong; the engine cannot be used after it.
	Beside() (beside Engine, done func() error, err error)
}

// Beside returns an engine on the device of e for a model that trains beside others, and what ends it: see [Sharer].
// For other engines it is e, and there is nothing to end.
func Beside(e Engine) (beside Engine, done func() error, err error) {
	if s, ok := e.(Sharer); ok {
		return s.Beside()
	}
	return e, func() error { return nil }, nil
}

// Forgetter is an engine that keeps what it makes of graphs on its device.
type Forgetter interface {
	// Forget gives that memory back before the graphs are collected. They may be used again.
	Forget(b *graph.Batch)
}

// Forget lets e forget graphs where it is a [Forgetter].
func Forget(e Engine, b *graph.Batch) {
	if f, ok := e.(Forgetter); ok {
		f.Forget(b)
	}
}

// Fetcher is an engine whose host can go on while results come from its device.
type Fetcher interface {
	// Fetch is Convert to host memory in two parts: the copy follows what was asked for before, and not what comes
	// after; the function that Fetch returns waits for it. src may be released at once.
	Fetch(dst, src *tensor.Dense) (wait func() error, err error)
}

// Fetch copies src to dst in host memory, later where e is a [Fetcher]: dst is complete when the function that it
// returns has returned nil. That must be called, once.
func Fetch(e Engine, dst, src *tensor.Dense) (wait func() error, err error) {
	if f, ok := e.(Fetcher); ok {
		return f.Fetch(dst, src)
	}
	return func() error { return nil }, e.Convert(dst, src)
}
