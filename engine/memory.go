package engine

import (
	"errors"

	"gorgonia.org/tensor"
)

// ErrOutOfMemory is what [errors.Is] finds in the error of an operation for which a device has too little memory.
var ErrOutOfMemory = errors.New("out of memory")

// Memory is where the tensors of an engine live. Code above the engine runs the same calls on all of them: an engine
// whose tensors lie in host memory has nothing to bring across, and does not copy.
type Memory interface {
	// New returns a zeroed tensor. Where no memory is left on a device the tensor has none, and every
	// operation on it returns the error of its allocation.
	New(dtype tensor.Dtype, shape ...int) *tensor.Dense

	// Scratch is New with arbitrary content, for a result that will be written whole.
	Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense

	// View returns the elements of t from number first on in another shape, in the same memory. It keeps t's memory
	// until t is released, and is not released itself. A view beyond the end of t panics.
	View(t *tensor.Dense, first int, shape ...int) *tensor.Dense

	// Release gives the memory of tensors of New, Scratch and Mirror back before they are collected, to be used for
	// others; nil ones are left out. They must not be used again, nor views of them.
	Release(t ...*tensor.Dense)

	// Mirror returns memory for the elements of t on the other side: host memory for a tensor of the engine, memory of
	// the engine for a tensor of the host, of arbitrary content. Convert brings the elements across. Where the
	// engine works in host memory it is t itself, and Convert between a tensor and itself does nothing.
	Mirror(t *tensor.Dense) *tensor.Dense

	// Available returns the bytes that new tensors can still take, math.MaxInt64 where nobody knows.
	Available() (int64, error)

	// Close gives everything back that the engine holds, and reports failures of earlier operations that nobody
	// has heard of, and memory of a device that is still in use. The tensors of a device are lost: every operation
	// on them returns an error. A second call does nothing.
	Close() error
}

// Capabilities are what engines differ in beyond their memory. A program asks for the one that its choice is about.
type Capabilities struct {
	// Wide says that operations on many elements cost little more than ones on few: it pays to do all at once, even
	// what the host would leave out after a look at the data, and to hand over work in a few large operations that
	// the host does beside its own bookkeeping.
	Wide bool

	// Deferred says that operations return before they are done, so that whoever looks at a result waits.
	Deferred bool
}

// View is [Memory].View of the engine of t.
func View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	if e, ok := t.Engine().(Engine); ok {
		return e.View(t, first, shape...)
	}
	return viewOnHost(t, first, shape...)
}

// ToHost returns t in host memory: t itself if it lies there, else a copy.
func ToHost(t *tensor.Dense) (*tensor.Dense, error) {
	e, ok := t.Engine().(Engine)
	if !ok {
		return t, nil
	}
	out := e.Mirror(t)
	return out, e.Convert(out, t)
}

// Float64s returns a float64 copy of the elements of t, wherever it lies.
func Float64s(t *tensor.Dense) ([]float64, error) {
	e, ok := t.Engine().(Engine)
	if !ok {
		e = NewCPU(1)
	}
	out := make([]float64, t.Shape().TotalSize())
	if len(out) == 0 {
		return out, nil
	}
	return out, e.Convert(tensor.New(tensor.WithShape(t.Shape()...), tensor.WithBacking(out)), t)
}

// FromHost returns a tensor of host memory on e: t itself if e works there or has it already, else a copy.
func FromHost(e Engine, t *tensor.Dense) (*tensor.Dense, error) {
	if t.Engine() == tensor.Engine(e) {
		return t, nil
	}
	out := e.Mirror(t)
	return out, e.Convert(out, t)
}

// newOnHost returns a zeroed tensor in host memory.
func newOnHost(e Engine, dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(e), tensor.Of(dtype), tensor.WithShape(shape...))
}

// viewOnHost is [Memory].View in host memory.
func viewOnHost(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	n := tensor.Shape(shape).TotalSize()
	opts := []tensor.ConsOpt{tensor.WithEngine(t.Engine()), tensor.WithShape(shape...)}
	if t.Dtype() == tensor.Float32 {
		return tensor.New(append(opts, tensor.WithBacking(t.Float32s()[first:first+n:first+n]))...)
	}
	return tensor.New(append(opts, tensor.WithBacking(t.Float64s()[first:first+n:first+n]))...)
}
