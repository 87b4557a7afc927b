package autodiff

import (
	"fmt"
	"reflect"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// On returns a graph of the nodes of a user's own expression graph, whose values lie on an engine. Its [Machine] runs
// gorgonia's operations, those that the methods of [Graph] add, and the user's own in any order.
func On(e engine.Engine, dtype tensor.Dtype, nodes *G.ExprGraph) *Graph {
	g := NewGraph(e, dtype)
	g.ExprGraph = nodes
	return g
}

// given returns the value of an input or a constant. Inputs of floating-point numbers lie on the engine; constants are
// brought there.
func (g *Graph) given(node *G.Node) (G.Value, error) {
	t, ok := node.Value().(*tensor.Dense)
	if !ok || t.Dtype() != tensor.Float32 && t.Dtype() != tensor.Float64 || g.reaches(t) {
		return node.Value(), nil
	}
	if node.Op() == nil {
		return nil, fmt.Errorf("input %s does not lie on engine %s: copy it with engine.FromHost", node.Name(), g.engine)
	}
	return engine.FromHost(g.engine, t)
}

// reaches reports whether a tensor lies where the engine works.
func (g *Graph) reaches(t *tensor.Dense) bool {
	return t.Engine() == tensor.Engine(g.engine) || t.IsNativelyAccessible() && g.engine.Host() == g.engine
}

// composed is an operation of gorgonia's own among those of a graph. gorgonia reads and writes the memory of tensors
// in many places; where that lies on a device, the operations of onDevice work there by the methods of the engine
// alone, and the others on copies in host memory.
type composed struct {
	op     G.Op
	engine engine.Engine
	scalar []bool // children that gorgonia takes for numbers
	last   *tensor.Dense
}

// compose returns the operation of a node, nil where it is none of gorgonia's own.
func (g *Graph) compose(node *G.Node, children []*G.Node) *composed {
	if typeOf(node.Op()).PkgPath() != reflect.TypeFor[G.ExprGraph]().PkgPath() {
		return nil
	}
	c := &composed{op: node.Op(), engine: g.engine}
	for _, child := range children {
		c.scalar = append(c.scalar, child.IsScalar())
	}
	g.composed = append(g.composed, c)
	return c
}

// typeOf returns the type of an operation, or what it points to.
func typeOf(op G.Op) reflect.Type {
	t := reflect.TypeOf(op)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// run computes the value for those of the children, which it does not keep. gorgonia panics where a value is not what
// it takes.
func (c *composed) run(in ...G.Value) (value G.Value, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("gorgonia: %v", failure)
		}
	}()
	c.release()
	if err := c.numbers(in); err != nil {
		return nil, err
	}
	if c.engine.Host() == c.engine {
		if value, err = c.op.Do(in...); err != nil {
			return nil, err
		}
		return whole(value), nil
	}
	if work := onDevice[typeOf(c.op).Name()]; work != nil && c.takes(in) {
		value, err = work(c, in)
	} else {
		value, err = c.onHost(in)
	}
	if err != nil {
		return nil, err
	}
	return c.lift(value)
}

// release gives the memory of the last result back.
func (c *composed) release() {
	if c.last != nil {
		c.engine.Release(c.last)
		c.last = nil
	}
}

// numbers makes numbers of gorgonia of the values that it takes for such, which Grove's operations leave in tensors.
func (c *composed) numbers(in []G.Value) error {
	for i, v := range in {
		t, ok := v.(*tensor.Dense)
		if !ok || !c.scalar[i] || t.Shape().TotalSize() != 1 {
			continue
		}
		values, err := engine.Float64s(t)
		if err != nil {
			return err
		}
		in[i] = G.NewF64(values[0])
		if t.Dtype() == tensor.Float32 {
			in[i] = G.NewF32(float32(values[0]))
		}
	}
	return nil
}

// takes reports whether all tensors lie on the engine.
func (c *composed) takes(in []G.Value) bool {
	for _, v := range in {
		if t, ok := v.(tensor.Tensor); ok && t.Engine() != tensor.Engine(c.engine) {
			return false
		}
	}
	return true
}

// onHost runs the operation on copies in host memory.
func (c *composed) onHost(in []G.Value) (G.Value, error) {
	for i, v := range in {
		if t, ok := v.(*tensor.Dense); ok {
			var err error
			if in[i], err = engine.ToHost(t); err != nil {
				return nil, err
			}
		}
	}
	return c.op.Do(in...)
}

// lift brings a result to the engine, if it takes tensors of that dtype; the machine gives it back.
func (c *composed) lift(v G.Value) (G.Value, error) {
	t, ok := whole(v).(*tensor.Dense)
	if !ok || t.Dtype() != tensor.Float32 && t.Dtype() != tensor.Float64 {
		return v, nil
	}
	if t.Engine() != tensor.Engine(c.engine) {
		var err error
		if t, err = engine.FromHost(c.engine, t); err != nil {
			return nil, err
		}
		c.last = t
	}
	return t, nil
}

// whole returns v, or a copy of it where it is a part of another tensor.
func whole(v G.Value) G.Value {
	if t, ok := v.(*tensor.Dense); ok && t.IsNativelyAccessible() && t.IsMaterializable() {
		return t.Materialize().(*tensor.Dense)
	}
	return v
}
