package cgmm

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// matrix is a matrix that both the host and the engine work on. On the CPU they share its memory.
type matrix struct {
	engine engine.Engine
	t      *tensor.Dense
	host   []float64
	mirror *tensor.Dense // of host, on a device
}

func newMatrix(e engine.Engine, rows, columns int) *matrix {
	m := &matrix{engine: e, t: engine.New(e, tensor.Float64, rows, columns)}
	if _, device := e.(engine.Device); !device {
		m.host = m.t.Float64s()
		return m
	}
	m.host = make([]float64, rows*columns)
	m.mirror = tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(m.host))
	return m
}

// push brings what the host wrote to the engine.
func (m *matrix) push() error {
	if m.mirror == nil {
		return nil
	}
	return m.engine.Convert(m.t, m.mirror)
}

// pull brings what the engine wrote to the host.
func (m *matrix) pull() error {
	if m.mirror == nil {
		return nil
	}
	return m.engine.Convert(m.mirror, m.t)
}

// as returns the elements in another shape.
func (m *matrix) as(shape ...int) *tensor.Dense { return engine.View(m.t, 0, shape...) }

func release(e engine.Engine, matrices ...*matrix) {
	for _, m := range matrices {
		if m != nil {
			engine.Release(e, m.t)
		}
	}
}

// kept returns a with its entries as those of a batch, which a device keeps: they are uploaded once and not for
// every product.
func kept(a *engine.Sparse) *engine.Sparse {
	a.Batch = &graph.Batch{Offsets: []int32{0}, RowPtr: a.RowPtr, Col: a.Col, ArcWeights: a.Values}
	return a
}
