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
	needed map[*G.Node]bool
}

// instruction computes the value of a place from those of others.
type instruction struct {
	op   G.Op
	to   int
	from []int
	in   []G.Value
	free []*memory // that nobody looks at afterwards
}

// Machine compiles what the given outputs depend on, without outputs the whole graph. Values of nodes are good from a
// run to the next.
func (g *Graph) Machine(outputs ...*G.Node) (*Machine, error) {
	sorted, err := G.Sort(g.ExprGraph)
	if err != nil {
		return nil, err
	}
	if len(outputs) == 0 {
		outputs = sorted
	}
	m := &Machine{graph: g, place: map[*G.Node]int{}, values: make([]G.Value, len(sorted)), needed: map[*G.Node]bool{}}
	for _, node := range outputs {
		m.need(node)
	}
	for i := range sorted { // the root is the first
		node := sorted[len(sorted)-1-i]
		if !m.needed[node] {
			continue
		}
		m.place[node] = i
		if node.Op() == nil || node.Op().Arity() == 0 && node.Value() != nil { // a parameter or a constant
			m.values[i] = node.Value()
			continue
		}
		step := instruction{op: node.Op(), to: i}
		for _, child := range g.children(node) {
			step.from = append(step.from, m.place[child])
		}
		step.in = make([]G.Value, len(step.from))
		m.steps = append(m.steps, step)
	}
	return m, nil
}

// children returns the nodes that a node is computed from.
func (g *Graph) children(node *G.Node) []*G.Node {
	var out []*G.Node
	for children := g.From(node.ID()); children != nil && children.Next(); {
		out = append(out, children.Node().(*G.Node))
	}
	return out
}

// need marks a node and all that it depends on.
func (m *Machine) need(node *G.Node) {
	if m.needed[node] {
		return
	}
	m.needed[node] = true
	for _, child := range m.graph.children(node) {
		m.need(child)
	}
}

// Frugal makes the machine give the memory of a result back once it was looked at for the last time, but for
// those of the given nodes, and take no more memory than a result fills. Runs then hold as little as they can, and
// find new memory every time.
func (m *Machine) Frugal(keep ...*G.Node) {
	looked := map[int]bool{}
	for _, node := range keep {
		looked[m.place[node]] = true
	}
	made := map[int]*memory{} // by place
	for i := range m.steps {
		if op, ok := m.steps[i].op.(*operation); ok && len(op.memory) > 0 {
			made[m.steps[i].to] = op.memory[0] // that of the result
			for _, of := range op.memory {
				of.exact = true
			}
		}
	}
	for i := len(m.steps) - 1; i >= 0; i-- {
		for _, from := range m.steps[i].from {
			if !looked[from] && made[from] != nil {
				m.steps[i].free = append(m.steps[i].free, made[from])
			}
			looked[from] = true
		}
	}
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
		for _, of := range step.free {
			of.release(m.graph.engine)
		}
	}
	return nil
}

// Let gives an input of the graph a value for the next runs.
func (m *Machine) Let(input *G.Node, value G.Value) { m.values[m.place[input]] = value }

// Value returns the value of a node after a run.
func (m *Machine) Value(node *G.Node) G.Value { return m.values[m.place[node]] }
