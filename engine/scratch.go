package engine

import (
	"math"
	"math/bits"
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

// memoryKey tells pieces of memory apart: only one with the same room may take the place of another.
type memoryKey struct {
	dtype tensor.Dtype
	room  int // elements
}

func (s *scratch) pool(dtype tensor.Dtype, room int) *sync.Pool {
	key := memoryKey{dtype, room}
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
	room := elements
	if elements*int(dtype.Size()) >= scratchBytes {
		room = roomFor(elements)
		old = s.pool(dtype, room).Get()
	}
	switch x := old.(type) {
	case *[]float32:
		return (*x)[:elements]
	case *[]float64:
		return (*x)[:elements]
	}
	if dtype == tensor.Float32 {
		return make([]float32, elements, room)
	}
	return make([]float64, elements, room)
}

// roomFor returns the number of elements of the memory that so many are given: at most an eighth more, so that pieces
// of about the same size can take each other's place.
func roomFor(elements int) int {
	step := 1 << max(bits.Len(uint(elements))-4, 0)
	return (elements + step - 1) / step * step
}

func (s *scratch) give(t *tensor.Dense) {
	if t.DataSize()*int(t.Dtype().Size()) < scratchBytes {
		return
	}
	switch x := t.Data().(type) {
	case []float32:
		s.keep(tensor.Float32, cap(x), &x)
	case []float64:
		s.keep(tensor.Float64, cap(x), &x)
	}
}

// keep keeps memory with so much room that [scratch.take] asks for it.
func (s *scratch) keep(dtype tensor.Dtype, room int, x any) {
	if room == roomFor(room) {
		s.pool(dtype, room).Put(x)
	}
}
