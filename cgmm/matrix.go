package cgmm

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// matrix is a matrix that both the host and the engine work on. Where the engine works in host memory they share it.
type matrix struct {
	engine engine.Engine
	t      *tensor.Dense
	mirror *tensor.Dense // of t in host memory
	host   []float64     // its elements
}

func newMatrix(e engine.Engine, rows, columns int) *matrix {
	t := e.New(tensor.Float64, rows, columns)
	mirror := e.Mirror(t)
	return &matrix{e, t, mirror, mirror.Float64s()}
}

// push brings what the host wrote to the engine.
func (m *matrix) push() error { return m.engine.Convert(m.t, m.mirror) }

// pull brings what the engine wrote to the host.
func (m *matrix) pull() error { return m.engine.Convert(m.mirror, m.t) }

// as returns the elements in another shape.
func (m *matrix) as(shape ...int) *tensor.Dense { return engine.View(m.t, 0, shape...) }

func release(e engine.Engine, matrices ...*matrix) {
	for _, m := range matrices {
		if m != nil {
			e.Release(m.t)
		}
	}
}

// cached returns a with its entries as those of a batch, which a device keeps: they are uploaded once and not for
// every product.
func cached(a *engine.Sparse) *engine.Sparse {
	a.Batch = &graph.Batch{Offsets: []int32{0}, RowPtr: a.RowPtr, Col: a.Col, ArcWeights: a.Values}
	return a
}
