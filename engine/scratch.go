package engine

import (
	"math"
	"sync"

	"github.com/grove-graph/grove/memory"
	"gorgonia.org/tensor"
)

// New implements [Memory].
func (e *CPU) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return newOnHost(e, dtype, shape...)
}

// Scratch implements [Memory].
func (e *CPU) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	backing := e.scratch.take(dtype, tensor.Shape(shape).TotalSize())
	return tensor.New(tensor.WithEngine(e), tensor.WithShape(shape...), tensor.WithBacking(backing))
}

// View implements [Memory].
func (e *CPU) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	return viewOnHost(t, first, shape...)
}

// Release implements [Memory]: [CPU.Scratch] takes the memory again.
func (e *CPU) Release(tensors ...*tensor.Dense) {
	for _, t := range tensors {
		if t != nil {
			e.scratch.give(t)
		}
	}
}

// Mirror implements [Memory]: it returns t.
func (e *CPU) Mirror(t *tensor.Dense) *tensor.Dense { return t }

// Available implements [Memory] with what the process may take without swapping.
func (e *CPU) Available() (int64, error) {
	if free := memory.Available(); free > 0 {
		return free, nil
	}
	return math.MaxInt64, nil
}

// Close implements [Memory]; there is nothing to give back, and the engine stays good.
func (e *CPU) Close() error { return nil }

// scratch keeps memory between operations: making it anew means clearing it on one core while the others
// wait. What is not used for a while is collected.
type scratch struct {
	sizes sync.Map // memoryKey -> *sync.Pool of pointers to slices
}

// memoryKey tells pieces of memory apart: only one of the same size may take the place of another.
type memoryKey struct {
	dtype    tensor.Dtype
	elements int
}

func (s *scratch) pool(dtype tensor.Dtype, elements int) *sync.Pool {
	key := memoryKey{dtype, elements}
	if p, ok := s.sizes.Load(key); ok {
		return p.(*sync.Pool)
	}
	p, _ := s.sizes.LoadOrStore(key, new(sync.Pool))
	return p.(*sync.Pool)
}

// scratchBytes is the smallest piece of memory that is cached; smaller ones are cheap to make.
const scratchBytes = 1 << 14

// take returns the backing of a tensor, a []float32 or []float64.
func (s *scratch) take(dtype tensor.Dtype, elements int) any {
	var old any // a pointer to a slice
	if elements*int(dtype.Size()) >= scratchBytes {
		old = s.pool(dtype, elements).Get()
	}
	switch x := old.(type) {
	case *[]float32:
		return *x
	case *[]float64:
		return *x
	}
	if dtype == tensor.Float32 {
		return make([]float32, elements)
	}
	return make([]float64, elements)
}

func (s *scratch) give(t *tensor.Dense) {
	n := t.DataSize()
	switch {
	case n*int(t.Dtype().Size()) < scratchBytes:
	case t.Dtype() == tensor.Float32:
		x := t.Float32s()
		s.pool(tensor.Float32, n).Put(&x)
	default:
		x := t.Float64s()
		s.pool(tensor.Float64, n).Put(&x)
	}
}
