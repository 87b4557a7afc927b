package engine

import (
	"sync"

	"gorgonia.org/tensor"
)

// Scratch returns a tensor of any content on e, for a result that will be written whole. Give it back
// with [Release]; one that is not given back is collected like any other.
func Scratch(e Engine, dtype tensor.Dtype, shape ...int) *tensor.Dense {
	if d, ok := e.(Device); ok {
		return d.Scratch(dtype, shape...)
	}
	c, ok := e.(*CPU)
	if !ok {
		return New(e, dtype, shape...)
	}
	backing := c.scratch.take(dtype, tensor.Shape(shape).TotalSize())
	return tensor.New(tensor.WithEngine(e), tensor.WithShape(shape...), tensor.WithBacking(backing))
}

// Release gives the memory of tensors back at once, to be used for others. They, and views of them,
// must not be used again. nil tensors are left out.
func Release(e Engine, tensors ...*tensor.Dense) {
	if d, ok := e.(Device); ok {
		d.Release(tensors...)
		return
	}
	c, ok := e.(*CPU)
	for _, t := range tensors {
		if ok && t != nil {
			c.scratch.give(t)
		}
	}
}

// scratch keeps memory between operations: making it anew means clearing it on one core while the others
// wait. What is not used for a while is collected.
type scratch struct {
	sizes sync.Map // kept -> *sync.Pool of pointers to slices
}

// kept tells pieces of memory apart: only one of the same size may take the place of another.
type kept struct {
	dtype    tensor.Dtype
	elements int
}

func (s *scratch) pool(dtype tensor.Dtype, elements int) *sync.Pool {
	key := kept{dtype, elements}
	if p, ok := s.sizes.Load(key); ok {
		return p.(*sync.Pool)
	}
	p, _ := s.sizes.LoadOrStore(key, new(sync.Pool))
	return p.(*sync.Pool)
}

// scratchBytes is the smallest piece of memory that is kept; smaller ones are cheap to make.
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
