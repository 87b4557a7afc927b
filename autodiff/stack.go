package autodiff

import (
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// stack is memory in which the rows of several nodes lie one after another.
type stack struct {
	graph *Graph
	nodes int
	own   *memory
	held  []bool // nodes whose results are computed there
}

// stack gives the nodes x common memory, that of an operation on them.
func (g *Graph) stack(op *operation, x []*G.Node) *stack {
	s := &stack{graph: g, nodes: len(x), own: op.newMemory(), held: make([]bool, len(x))}
	if len(x) == 1 {
		return s
	}
	for i, node := range x {
		of, ok := node.Op().(*operation)
		if ok && len(of.memory) > 0 && of.memory[0].stack == nil {
			of.memory[0].stack, of.memory[0].slot, s.held[i] = s, i, true
		}
	}
	return s
}

// slot returns the place of a node's rows.
func (s *stack) slot(m *memory, i int, shape tensor.Shape) *tensor.Dense {
	n, d := shape[0], shape[1]
	whole := s.own.tensor(s.graph.engine, s.graph.dtype, s.nodes*n, d)
	return m.view(whole, i*n*d, n, d)
}

// rows returns the rows of all nodes.
func (s *stack) rows(in []G.Value) (*tensor.Dense, error) {
	if s.nodes == 1 {
		return dense(in[0]), nil
	}
	shape := in[0].Shape()
	whole := s.own.tensor(s.graph.engine, s.graph.dtype, s.nodes*shape[0], shape[1])
	for i, held := range s.held {
		if held {
			continue
		}
		at := engine.Placement{Row: i * shape[0], Stride: 1}
		if err := s.graph.engine.Place(whole, dense(in[i]), nil, at); err != nil {
			return nil, err
		}
	}
	return whole, nil
}
