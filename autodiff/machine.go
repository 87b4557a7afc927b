package autodiff

import (
	"fmt"
	"slices"

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
	shown  map[*G.Node]bool // that somebody looks at after a run
	merged map[int]bool     // places that are not computed, but added to another as they would be
}

// instruction computes the value of a place from those of others.
type instruction struct {
	op   G.Op
	of   *composed // nil for Grove's operations and the user's own
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
	m := &Machine{graph: g, place: map[*G.Node]int{}, values: make([]G.Value, len(sorted)), needed: map[*G.Node]bool{},
		shown: map[*G.Node]bool{}, merged: map[int]bool{}}
	for _, node := range outputs {
		m.need(node)
		m.shown[node] = true
	}
	for i := range sorted { // the root is the first
		node := sorted[len(sorted)-1-i]
		if !m.needed[node] {
			continue
		}
		m.place[node] = i
		children := g.children(node)
		if node.Op() == nil || len(children) == 0 && node.Value() != nil { // a parameter or a constant
			if m.values[i], err = g.given(node); err != nil {
				return nil, err
			}
			continue
		}
		step := instruction{op: node.Op(), to: i}
		if add := m.sum(node, children); add != nil {
			step.op, children = add, append([]*G.Node{children[0]}, g.children(children[1])...)
		} else {
			step.of = g.compose(node, children)
		}
		for _, child := range children {
			step.from = append(step.from, m.place[child])
		}
		step.in = make([]G.Value, len(step.from))
		m.steps = append(m.steps, step)
	}
	m.steps = slices.DeleteFunc(m.steps, func(s instruction) bool { return m.merged[s.to] })
	return m, nil
}

// gradientSum is what gorgonia calls the operation that adds up the gradients of a node that is used several times.
const gradientSum = "+ false"

// sum returns the operation that adds the second child of a sum to the memory of the first as it is computed, nil where
// the node is no such sum. The operation takes the first child, and what the second is computed from.
func (m *Machine) sum(node *G.Node, of []*G.Node) *operation {
	if fmt.Sprint(node.Op()) != gradientSum {
		return nil
	}
	into, ok := of[0].Op().(*operation)
	last, also := of[1].Op().(*operation)
	if !ok || !also || !into.exclusive || last.accumulate == nil || m.users(of[0]) > 1 || m.users(of[1]) > 1 {
		return nil
	}
	m.merged[m.place[of[1]]] = true
	return &operation{graph: m.graph, name: "sum with " + last.name, compute: func(in []G.Value) (G.Value, error) {
		return in[0], last.accumulate(dense(in[0]), in[1:])
	}}
}

// users counts who needs the value of a node: other nodes, and whoever looks at it.
func (m *Machine) users(n *G.Node) int {
	count := 0
	if m.shown[n] {
		count++
	}
	for parents := m.graph.To(n.ID()); parents.Next(); {
		if m.needed[parents.Node().(*G.Node)] {
			count++
		}
	}
	return count
}

// children returns the nodes that a node is computed from, in order.
func (g *Graph) children(node *G.Node) []*G.Node {
	var out []*G.Node
	for children := g.From(node.ID()); children != nil && children.Next(); {
		out = append(out, children.Node().(*G.Node))
	}
	if op, ok := node.Op().(*operation); ok {
		out = out[:len(out)-op.blind]
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
		run := step.op.Do
		if step.of != nil {
			run = step.of.run
		}
		value, err := run(step.in...)
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

// RunAll implements [G.VM]: it is Run, and gives the nodes their values, scalars as numbers of gorgonia.
func (m *Machine) RunAll() error {
	if err := m.Run(); err != nil {
		return err
	}
	for node, place := range m.place {
		value := []G.Value{m.values[place]}
		if node.Op() == nil || value[0] == nil {
			continue
		}
		if err := (&composed{scalar: []bool{node.IsScalar()}}).numbers(value); err != nil {
			return err
		}
		if _, table := value[0].(*Table); !table && node.Type().Eq(G.TypeOf(value[0])) {
			G.WithValue(value[0])(node)
		}
	}
	return nil
}

// Reset implements [G.VM]; a machine can run again as it is.
func (m *Machine) Reset() {}

// Close implements [G.VM]; the memory of results is the graph's, see [Graph.Release].
func (m *Machine) Close() error { return nil }

var _ G.VM = (*Machine)(nil)

// Let gives an input of the graph a value for the next runs.
func (m *Machine) Let(input *G.Node, value G.Value) { m.values[m.place[input]] = value }

// Value returns the value of a node after a run.
func (m *Machine) Value(node *G.Node) G.Value { return m.values[m.place[node]] }
