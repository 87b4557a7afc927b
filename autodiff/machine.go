package autodiff

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// Machine runs the operations of a graph one after another, on the goroutine that calls it. The operations keep
// their own memory and compute on their own engine, so that nothing is left to do for a tape machine of gorgonia but
// to start a goroutine for every run and to look at each instruction, which takes a tenth of a step.
type Machine struct {
	graph  *Graph
	steps  []instruction
	place  map[*G.Node]int
	values []G.Value // by place
}

// instruction computes the value of a place from those of others.
type instruction struct {
	op   G.Op
	to   int
	from []int
	in   []G.Value
}

// Machine compiles the graph. Values of nodes are good from a run to the next.
func (g *Graph) Machine() (*Machine, error) {
	sorted, err := G.Sort(g.ExprGraph)
	if err != nil {
		return nil, err
	}
	m := &Machine{graph: g, place: map[*G.Node]int{}, values: make([]G.Value, len(sorted))}
	for i := range sorted { // the root is the first
		node := sorted[len(sorted)-1-i]
		m.place[node] = i
		if node.Op() == nil || node.Op().Arity() == 0 && node.Value() != nil { // a parameter or a constant
			m.values[i] = node.Value()
			continue
		}
		step := instruction{op: node.Op(), to: i}
		for children := g.From(node.ID()); children != nil && children.Next(); {
			child, ok := children.Node().(*G.Node)
			if !ok {
				return nil, fmt.Errorf("node %v is none of gorgonia", children.Node())
			}
			step.from = append(step.from, m.place[child])
		}
		step.in = make([]G.Value, len(step.from))
		m.steps = append(m.steps, step)
	}
	return m, nil
}

// Run runs all operations. Its error is that of the first operation that failed.
func (m *Machine) Run() error {
	for i := range m.steps {
		step := &m.steps[i]
		for k, from := range step.from {
			step.in[k] = m.values[from]
		}
		value, err := step.op.Do(step.in...)
		if err != nil {
			return fmt.Errorf("%s: %w", step.op, err)
		}
		m.values[step.to] = value
	}
	return nil
}

// Value returns the value of a node after a run.
func (m *Machine) Value(node *G.Node) G.Value { return m.values[m.place[node]] }
