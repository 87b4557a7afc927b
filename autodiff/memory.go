package autodiff

import (
	"math/bits"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// memory is the memory of a result, kept from run to run. It grows in steps of a half or a third, so
// that batches of like sizes use what is there.
type memory struct {
	block *tensor.Dense
	views []view // that the current run made
	used  int    // of the views, in the order in which they are asked for
	stack *stack // that it is a part of; nil: none
	slot  int    // of the stack
	exact bool   // it is as large as its content, see [Machine.Frugal]
}

// view is the elements of a tensor from some number on.
type view struct {
	of, t *tensor.Dense
	first int
}

// newMemory returns memory of an operation for [Graph.Release]. The first memory of an operation is that of its result.
func (op *operation) newMemory() *memory {
	m := &memory{}
	op.memory = append(op.memory, m)
	return m
}

// tensor returns a tensor of any content, and forgets the views of the last run.
func (m *memory) tensor(e engine.Engine, dtype tensor.Dtype, shape ...int) *tensor.Dense {
	m.used = 0
	if m.stack != nil {
		return m.stack.slot(m, m.slot, shape)
	}
	n := tensor.Shape(shape).TotalSize()
	elements := capacity(n)
	if m.exact {
		elements = n
	}
	if m.block == nil || m.block.Shape().TotalSize() < n || m.exact && m.block.Shape().TotalSize() > n {
		m.release(e)
		m.block = e.Scratch(dtype, elements)
	}
	return m.view(m.block, 0, shape...)
}

// view returns elements of t in another shape; one like that of the last run is used again.
func (m *memory) view(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	i := m.used
	m.used++
	if i < len(m.views) {
		old := &m.views[i]
		if old.of == t && old.first == first && old.t.Shape().Eq(tensor.Shape(shape)) {
			return old.t
		}
	} else {
		m.views = append(m.views, view{})
	}
	m.views[i] = view{t, engine.View(t, first, shape...), first}
	return m.views[i].t
}

// drop gives up all views.
func (m *memory) drop() {
	clear(m.views)
	m.views, m.used = m.views[:0], 0
}

func (m *memory) release(e engine.Engine) {
	m.drop()
	if m.block != nil {
		e.Release(m.block)
		m.block = nil
	}
}

// capacity returns the smallest number of the form 2^i or 3*2^i that is at least n.
func capacity(n int) int {
	if n <= 4 {
		return 4
	}
	power := 1 << bits.Len(uint(n-1))
	if n <= power/4*3 {
		return power / 4 * 3
	}
	return power
}

// unit names a small constant tensor.
type unit struct {
	n     int
	dtype tensor.Dtype
}

// identity returns the identity matrix of order n.
func (g *Graph) identity(n int, dtype tensor.Dtype) (*tensor.Dense, error) {
	if t := g.units[unit{n, dtype}]; t != nil {
		return t, nil
	}
	one := make([]float64, n*n)
	for i := range n {
		one[i*n+i] = 1
	}
	t := g.engine.New(dtype, n, n)
	if err := g.engine.Convert(t, tensor.New(tensor.WithShape(n, n), tensor.WithBacking(one))); err != nil {
		return nil, err
	}
	g.units[unit{n, dtype}] = t
	return t, nil
}
