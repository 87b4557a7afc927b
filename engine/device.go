package engine

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// Device is an engine whose tensors do not live in host memory.
type Device interface {
	Engine

	// New returns a zeroed tensor. Where the device has no memory left the tensor has none, and every
	// operation on it returns the error of its allocation.
	New(dtype tensor.Dtype, shape ...int) *tensor.Dense

	// Release gives the memory of tensors back before they are collected; nil ones are left out. They
	// must not be used again, nor views of them.
	Release(t ...*tensor.Dense)

	// View returns the elements of t from number first on in another shape, in the same memory.
	View(t *tensor.Dense, first int, shape ...int) *tensor.Dense

	// Scratch is New with arbitrary content.
	Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense

	// Available returns the bytes of memory that new tensors can still take.
	Available() (int64, error)

	// Close gives everything back that the engine holds on the device.
	Close() error
}

// New returns a zeroed tensor on e.
func New(e Engine, dtype tensor.Dtype, shape ...int) *tensor.Dense {
	if d, ok := e.(Device); ok {
		return d.New(dtype, shape...)
	}
	return tensor.New(tensor.WithEngine(e), tensor.Of(dtype), tensor.WithShape(shape...))
}

// View returns the elements of t from number first on in another shape, in the same memory.
func View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	if d, ok := t.Engine().(Device); ok {
		return d.View(t, first, shape...)
	}
	n := tensor.Shape(shape).TotalSize()
	opts := []tensor.ConsOpt{tensor.WithEngine(t.Engine()), tensor.WithShape(shape...)}
	if t.Dtype() == tensor.Float32 {
		return tensor.New(append(opts, tensor.WithBacking(t.Float32s()[first:first+n:first+n]))...)
	}
	return tensor.New(append(opts, tensor.WithBacking(t.Float64s()[first:first+n:first+n]))...)
}

// Host returns an engine for work on host memory: e itself, or for a device a CPU engine with as many
// workers as may work beside it.
func Host(e Engine) Engine {
	if _, ok := e.(Device); ok {
		return NewCPU(e.Workers())
	}
	return e
}

// ToHost returns t in host memory: t itself, or a copy of a device's tensor.
func ToHost(t *tensor.Dense) (*tensor.Dense, error) {
	d, ok := t.Engine().(Device)
	if !ok {
		return t, nil
	}
	out := New(Host(d), t.Dtype(), t.Shape()...)
	return out, d.Convert(out, t)
}

// FromHost returns a tensor of host memory on e: t itself, or its copy on a device.
func FromHost(e Engine, t *tensor.Dense) (*tensor.Dense, error) {
	d, ok := e.(Device)
	if !ok || t.Engine() == e {
		return t, nil
	}
	out := d.New(t.Dtype(), t.Shape()...)
	return out, d.Convert(out, t)
}

// opener opens devices of one kind.
type opener struct {
	open      func(ordinal, workers int) (Engine, error)
	available func() bool
}

// openers are the kinds of devices that this program was built with, set by init functions alone.
var openers = map[string]opener{}

// Register adds a kind of device, such as "cuda", to what [Open] knows. available says whether there is
// such a device at all, without an error; open opens the one with the given number. Call it from an init
// function.
func Register(kind string, available func() bool, open func(ordinal, workers int) (Engine, error)) {
	openers[kind] = opener{open, available}
}

// Open returns the engine of a device: "auto", "cpu", "cuda" or "cuda:1". Auto is the first GPU where there is
// one that can be used, and else the CPU. workers bounds the number of goroutines that compute; 0 means one for every
// CPU. It is an error where the environment variable GROVE_SIMD names no instruction set that the machine has.
func Open(device string, workers int) (Engine, error) {
	if err := simd.Check(); err != nil {
		return nil, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	kind, number, numbered := strings.Cut(device, ":")
	switch {
	case device == "auto" || device == "":
		if Has("cuda") {
			if e, err := openers["cuda"].open(0, workers); err == nil {
				return e, nil
			}
		}
		return NewCPU(workers), nil
	case device == "cpu":
		return NewCPU(workers), nil
	case kind != "cuda":
		return nil, fmt.Errorf("device %q: want auto, cpu, cuda or cuda:N", device)
	}
	ordinal := 0
	if numbered {
		var err error
		if ordinal, err = strconv.Atoi(number); err != nil || ordinal < 0 {
			return nil, fmt.Errorf("device %q: want cuda or cuda:N with N the number of a GPU, counted from 0", device)
		}
	}
	cuda, ok := openers["cuda"]
	if !ok {
		return nil, fmt.Errorf("device %q: this program was built without GPU support; "+
			"build it with make gpu, or use --device cpu", device)
	}
	e, err := cuda.open(ordinal, workers)
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", device, err)
	}
	return e, nil
}

// Has reports whether there is a device of a kind, such as "cuda".
func Has(kind string) bool {
	o, ok := openers[kind]
	return ok && o.available()
}
