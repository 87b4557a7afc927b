package autodiff

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Graph is an expression graph whose operations run on an engine. Make it with [NewGraph], add nodes with
// its methods, look at [Graph.Err], then run it with a machine of [Graph.Machine]. It serves one
// goroutine.
type Graph struct {
	*G.ExprGraph
	engine   engine.Engine
	dtype    tensor.Dtype
	precise  engine.Precision // of scores and their gradients
	apart    bool             // rows of scores and projections have the same bits in every batch
	batch    *Batch           // of the current run
	ops      []*operation
	composed []*composed // of machines
	units    map[unit]*tensor.Dense
	salt     int // see unique
	err      error

	// Of a network of one's own.
	network  *Network
	kind     kind
	seed     uint64
	dropouts uint32
	mixings  int  // calls of Neighbours so far
	picks    bool // the rows of items are taken before they are pooled
	shared   bool // see Definition
	features *G.Node
}

// NewGraph returns an empty graph of the given dtype, Float32 or Float64, on an engine.
func NewGraph(e engine.Engine, dtype tensor.Dtype) *Graph {
	return &Graph{ExprGraph: G.NewGraph(), engine: e, dtype: dtype, units: map[unit]*tensor.Dense{}}
}

// Err returns the first error of the methods that added nodes.
func (g *Graph) Err() error { return g.err }

// SetBatch sets the batch that the next runs work on.
func (g *Graph) SetBatch(b *Batch) { g.batch = b }

// Parameter adds an input bound to a tensor on the graph's engine.
func (g *Graph) Parameter(name string, t *tensor.Dense) *G.Node {
	if g.err == nil && !g.reaches(t) {
		g.err = fmt.Errorf("parameter %s does not lie on engine %s: copy it with engine.FromHost", name, g.engine)
	}
	return G.NewTensor(g.ExprGraph, t.Dtype(), t.Dims(), G.WithShape(t.Shape()...), G.WithName(name), G.WithValue(t))
}

// Variable adds a matrix of the given number of columns as an input whose value is set between runs, see [Machine.Let].
func (g *Graph) Variable(name string, columns int) *G.Node {
	return G.NewMatrix(g.ExprGraph, g.dtype, G.WithShape(varying, columns), G.WithName(name))
}

// free gives the memory of all results back.
func (g *Graph) free() {
	for _, op := range g.ops {
		for _, m := range op.memory {
			m.release(g.engine)
		}
	}
	for _, c := range g.composed {
		c.release()
	}
}

// Release gives the memory back that the operations keep. The graph must not run again.
func (g *Graph) Release() {
	g.free()
	for _, t := range g.units {
		g.engine.Release(t)
	}
	g.ops, g.composed, g.units = nil, nil, map[unit]*tensor.Dense{}
}

// operation is one operation of a graph, as gorgonia sees it.
type operation struct {
	graph  *Graph
	name   string
	number int
	arity  int
	dtype  tensor.Dtype
	shape  tensor.Shape // of the result; nil for a scalar
	memory []*memory

	blind     int  // so many of its last children need not run for it, which takes what it needs from the batch
	exclusive bool // nobody but its users looks at the result, which may be overwritten
	// accumulate adds the value to dst, where an addition is all that it is for; nil: it cannot.
	accumulate func(dst *tensor.Dense, in []G.Value) error

	// wrt says which children have a gradient; nil for none.
	wrt []bool
	// compute returns the value for the values of the children.
	compute func(in []G.Value) (G.Value, error)
	// gradient adds the nodes of the gradients with respect to the children, nil where wrt is false.
	gradient func(in G.Nodes, out, grad *G.Node) G.Nodes
}

// varying is the dimension that stands for one that depends on the batch.
const varying = 1

// add adds the node of an operation. After an error it adds nothing and returns nil.
func (g *Graph) add(op *operation, children ...*G.Node) *G.Node {
	if g.err != nil {
		return nil
	}
	op.graph, op.number, op.arity = g, len(g.ops), len(children)
	if op.dtype == (tensor.Dtype{}) {
		op.dtype = g.dtype
	}
	g.ops = append(g.ops, op)
	if len(children) == 0 { // ApplyOp finds the graph through the children
		return G.NewUniqueNode(G.WithType(op.resultType()), G.WithOp(op), G.In(g.ExprGraph), G.WithShape(op.shape...))
	}
	n, err := G.ApplyOp(op, children...)
	if err != nil {
		g.err = fmt.Errorf("%s: %w", op.name, err)
	}
	return n
}

// derived adds the node of an operation without a gradient of its own, whose result lies in m.
func (g *Graph) derived(
	name string, shape tensor.Shape, compute func(m *memory, in []G.Value) (G.Value, error), children ...*G.Node,
) *G.Node {
	op := &operation{name: name, shape: shape}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) { return compute(m, in) }
	return g.add(op, children...)
}

// want records an error unless ok.
func (g *Graph) want(ok bool, format string, args ...any) bool {
	if !ok && g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
	return g.err == nil
}

// dims returns the shape of a node that must have n dimensions.
func (g *Graph) dims(op string, node *G.Node, n int) tensor.Shape {
	if g.err != nil {
		return make(tensor.Shape, n)
	}
	if !g.want(node != nil && node.Dims() == n, "%s: want %d dimensions", op, n) {
		return make(tensor.Shape, n)
	}
	return node.Shape()
}

func (op *operation) Arity() int { return op.arity }

func (op *operation) resultType() hm.Type {
	if op.shape == nil {
		return op.dtype
	}
	return G.TensorType{Dims: op.shape.Dims(), Of: op.dtype}
}

// Type lets the children have any type: the methods that add nodes check them.
func (op *operation) Type() hm.Type {
	types := make([]hm.Type, 0, op.arity+1)
	for i := range op.arity {
		types = append(types, hm.TypeVariable(rune('c'+i)))
	}
	return hm.NewFnType(append(types, op.resultType())...)
}

func (op *operation) InferShape(...G.DimSizer) (tensor.Shape, error) {
	if op.shape == nil {
		return tensor.ScalarShape(), nil
	}
	return op.shape.Clone(), nil
}

func (op *operation) Do(in ...G.Value) (G.Value, error) { return op.compute(in) }

func (op *operation) ReturnsPtr() bool     { return true }
func (op *operation) CallsExtern() bool    { return false }
func (op *operation) OverwritesInput() int { return -1 }
func (op *operation) String() string       { return op.name }

// WriteHash writes a number that no other operation of the graph has: gorgonia takes operations with one
// hash and the same children for one.
func (op *operation) WriteHash(h hash.Hash) {
	fmt.Fprintf(h, "%s %d %d", op.name, op.number, op.graph.salt)
}

func (op *operation) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

func (op *operation) DiffWRT(inputs int) []bool {
	if op.wrt == nil {
		return make([]bool, inputs)
	}
	return op.wrt
}

func (op *operation) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	if op.gradient == nil {
		return nil, fmt.Errorf("%s has no second derivative", op.name)
	}
	out := op.gradient(inputs, output, grad)
	return out, op.graph.err
}

var _ G.SDOp = (*operation)(nil)
