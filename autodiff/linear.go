package autodiff

import (
	"math"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Linear adds x W^T + b for the rows of x (items x D), a weight W (outputs x D) and a bias b (1 x outputs).
func (g *Graph) Linear(x, weight, bias *G.Node) *G.Node {
	sx, sw, sb := g.dims("Linear", x, 2), g.dims("Linear", weight, 2), g.dims("Linear", bias, 2)
	outputs, d := sw[0], sw[1]
	g.want(sx[1] == d, "Linear: rows of %d columns, weights for %d", sx[1], d)
	g.want(sb[0] == 1 && sb[1] == outputs, "Linear: bias of shape %v, want (1, %d)", sb, outputs)
	op := &operation{name: "linear layer", shape: tensor.Shape{varying, outputs}, wrt: []bool{true, true, true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		out := m.tensor(g.engine, g.dtype, in[0].Shape()[0], outputs)
		return out, g.engine.Linear(out, dense(in[0]), dense(in[1]), dense(in[2]))
	}
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		toRows := func(m *memory, in []G.Value) (G.Value, error) {
			out := m.tensor(g.engine, g.dtype, in[1].Shape()[0], d)
			return out, g.engine.MatMul(out, dense(in[1]), dense(in[0]), engine.MatMul{Alpha: 1})
		}
		toWeight := func(m *memory, in []G.Value) (G.Value, error) {
			out := m.tensor(g.engine, g.dtype, outputs, d)
			return out, g.engine.MatMul(out, dense(in[1]), dense(in[0]), engine.MatMul{TransA: true, Alpha: 1})
		}
		toBias := func(m *memory, in []G.Value) (G.Value, error) {
			out := m.tensor(g.engine, g.dtype, 1, outputs)
			all := engine.Segments{Offsets: []int32{0, int32(in[0].Shape()[0])}}
			return out, g.engine.SegmentReduce(out, dense(in[0]), all, engine.Sum)
		}
		return G.Nodes{
			g.derived("gradient of linear layer to rows", sx, toRows, in[1], grad),
			g.derived("gradient of linear layer to weight", sw, toWeight, in[0], grad),
			g.derived("gradient of linear layer to bias", sb, toBias, grad),
		}
	}
	return g.add(op, x, weight, bias)
}

// ReLU adds max(0, x) for the rows of x, Float32 in host memory.
func (g *Graph) ReLU(x *G.Node) *G.Node {
	shape := g.dims("ReLU", x, 2)
	op := &operation{name: "rectifier", shape: shape, wrt: []bool{true}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) { return g.rectify(m, dense(in[0]), dense(in[0])), nil }
	op.gradient = func(in G.Nodes, _, grad *G.Node) G.Nodes {
		back := func(m *memory, in []G.Value) (G.Value, error) { return g.rectify(m, dense(in[1]), dense(in[0])), nil }
		return G.Nodes{g.derived("gradient of rectifier", shape, back, in[0], grad)}
	}
	return g.add(op, x)
}

// rectify returns the elements of x, with zeros where those of sign are not above zero.
func (g *Graph) rectify(m *memory, x, sign *tensor.Dense) *tensor.Dense {
	result := m.tensor(g.engine, g.dtype, x.Shape()...)
	out, signs := result.Float32s(), sign.Float32s()
	for i, v := range x.Float32s() {
		bits := math.Float32bits(v) // of an integer the choice takes no branch, which would often be guessed wrong
		if signs[i] <= 0 {
			bits = 0
		}
		out[i] = math.Float32frombits(bits)
	}
	return result
}
