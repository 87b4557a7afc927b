package autodiff

import (
	"fmt"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// composition is a use of gorgonia's operations on parameters of some shapes.
type composition struct {
	name   string
	shapes []tensor.Shape
	build  func(p []*G.Node) (*G.Node, error)
}

func of(shape ...int) tensor.Shape { return shape }

// compositions are the operations that graphs of users consist of.
func compositions() []composition {
	one := func(name string, f func(*G.Node) (*G.Node, error)) composition {
		return composition{name, []tensor.Shape{of(4, 3)}, func(p []*G.Node) (*G.Node, error) { return f(p[0]) }}
	}
	two := func(name string, a, b tensor.Shape, f func(x, y *G.Node) (*G.Node, error)) composition {
		return composition{name, []tensor.Shape{a, b}, func(p []*G.Node) (*G.Node, error) { return f(p[0], p[1]) }}
	}
	square := func(f func(*G.Node) (*G.Node, error)) func(*G.Node) (*G.Node, error) { // of positive numbers
		return func(x *G.Node) (*G.Node, error) { return f(G.Must(G.Add(G.Must(G.Square(x)), half(x)))) }
	}
	along := func(f func(*G.Node, ...int) (*G.Node, error), axes ...int) func(*G.Node) (*G.Node, error) {
		return func(x *G.Node) (*G.Node, error) { return f(x, axes...) }
	}
	all := []composition{
		two("Add", of(4, 3), of(4, 3), G.Add), two("Sub", of(4, 3), of(4, 3), G.Sub),
		two("HadamardProd", of(4, 3), of(4, 3), G.HadamardProd),
		two("HadamardDiv", of(4, 3), of(4, 3), func(x, y *G.Node) (*G.Node, error) {
			return G.HadamardDiv(x, G.Must(G.Add(G.Must(G.Square(y)), half(y))))
		}),
		two("Mul", of(4, 3), of(3, 5), G.Mul), two("Mul by a vector", of(4, 3), of(3), G.Mul),
		two("Mul of vectors", of(5), of(5), G.Mul), two("OuterProd", of(3), of(3), G.OuterProd),
		two("BatchedMatMul", of(2, 4, 3), of(2, 3, 5), func(x, y *G.Node) (*G.Node, error) { return G.BatchedMatMul(x, y) }),
		two("BroadcastAdd", of(4, 3), of(1, 3), func(x, y *G.Node) (*G.Node, error) {
			return G.BroadcastAdd(x, y, nil, []byte{0})
		}),
		two("BroadcastHadamardProd", of(4, 1), of(4, 3), func(x, y *G.Node) (*G.Node, error) {
			return G.BroadcastHadamardProd(x, y, []byte{1}, nil)
		}),
		two("Concat 0", of(4, 3), of(2, 3), func(x, y *G.Node) (*G.Node, error) { return G.Concat(0, x, y) }),
		two("Concat 1", of(4, 3), of(4, 2), func(x, y *G.Node) (*G.Node, error) { return G.Concat(1, x, y) }),
		one("Neg", G.Neg), one("Exp", G.Exp), one("Tanh", G.Tanh), one("Sigmoid", G.Sigmoid), one("Square", G.Square),
		one("Cube", G.Cube), one("Abs", G.Abs), one("Sin", G.Sin), one("Cos", G.Cos), one("Softplus", G.Softplus),
		one("Expm1", G.Expm1), one("Rectify", G.Rectify), one("Log", square(G.Log)), one("Log1p", square(G.Log1p)),
		one("Sqrt", square(G.Sqrt)), one("Inverse", square(G.Inverse)), one("InverseSqrt", square(G.InverseSqrt)),
		one("LeakyRelu", func(x *G.Node) (*G.Node, error) { return G.LeakyRelu(x, 0.1) }),
		one("a number on the left", func(x *G.Node) (*G.Node, error) { return G.Sub(half(x), x) }),
		one("a number on the right", func(x *G.Node) (*G.Node, error) { return G.Div(x, half(x)) }),
		one("itself", func(x *G.Node) (*G.Node, error) { return G.HadamardProd(x, x) }),
		one("Transpose", func(x *G.Node) (*G.Node, error) { return G.Transpose(x, 1, 0) }),
		one("Reshape", func(x *G.Node) (*G.Node, error) { return G.Reshape(x, of(2, 6)) }),
		one("Slice of rows", func(x *G.Node) (*G.Node, error) { return G.Slice(x, G.S(1, 3)) }),
		one("Slice of columns", func(x *G.Node) (*G.Node, error) { return G.Slice(x, nil, G.S(1, 3)) }),
		one("Slice of a column", func(x *G.Node) (*G.Node, error) { return G.Slice(x, nil, G.S(2)) }),
		one("Sum", along(G.Sum)), one("Sum 0", along(G.Sum, 0)), one("Sum 1", along(G.Sum, 1)), one("Mean", along(G.Mean)),
		one("Mean 1", along(G.Mean, 1)), one("Max 1", along(G.Max, 1)), one("SoftMax", along(G.SoftMax)),
		one("LogSoftMax", along(G.LogSoftMax)),
		{"Transpose of three axes", []tensor.Shape{of(2, 3, 4)},
			func(p []*G.Node) (*G.Node, error) { return G.Transpose(p[0], 2, 0, 1) }},
		{"Conv2d", []tensor.Shape{of(2, 1, 4, 4), of(2, 1, 3, 3)}, func(p []*G.Node) (*G.Node, error) {
			return G.Conv2d(p[0], p[1], of(3, 3), []int{1, 1}, []int{1, 1}, []int{1, 1})
		}},
		{"MaxPool2D", []tensor.Shape{of(2, 1, 4, 4)}, func(p []*G.Node) (*G.Node, error) {
			return G.MaxPool2D(p[0], of(2, 2), []int{0, 0}, []int{2, 2})
		}},
		{"SoftMax 0", []tensor.Shape{of(4, 3)}, func(p []*G.Node) (*G.Node, error) { return G.SoftMax(p[0], 0) }},
		{"Sum of three axes", []tensor.Shape{of(2, 3, 4)},
			func(p []*G.Node) (*G.Node, error) { return G.Sum(p[0], 0, 2) }},
	}
	return append(all, composition{"ByIndices", []tensor.Shape{of(4, 3)}, func(p []*G.Node) (*G.Node, error) {
		rows := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int{2, 0, 3}))
		return G.ByIndices(p[0], G.NodeFromAny(p[0].Graph(), rows, G.WithName("rows")), 0)
	}})
}

// half is the constant 0.5 in the dtype of a node.
func half(x *G.Node) *G.Node {
	if x.Dtype() == tensor.Float32 {
		return G.NewConstant(float32(0.5))
	}
	return G.NewConstant(0.5)
}

// differentiated builds the sum of the squares of an operation's result and its gradients, on tensors that put makes.
// What is between, a tape machine writes over.
func (c *composition) differentiated(put func(string, []float64, ...int) *tensor.Dense) (*G.ExprGraph, G.Nodes, error) {
	g := G.NewGraph()
	var parameters G.Nodes
	for i, s := range c.shapes {
		v := put(fmt.Sprint("p", i), normal(uint64(i+1), s.TotalSize()), s...)
		parameters = append(parameters, G.NewTensor(g, v.Dtype(), v.Dims(), G.WithShape(s...), G.WithName(fmt.Sprint("p", i)),
			G.WithValue(v)))
	}
	out, err := c.build(parameters)
	if err != nil {
		return nil, nil, err
	}
	cost := G.Must(G.Square(out))
	if !cost.IsScalar() {
		cost = G.Must(G.Sum(cost))
	}
	gradients, err := G.Grad(cost, parameters...)
	return g, append(G.Nodes{cost}, gradients...), err
}

// Every operation and its gradient are on Grove's machine what they are on gorgonia's own, to some roundings.
func TestCompositions(t *testing.T) {
	e := enginetest.Open(t, 2)
	for dtype, tolerance := range map[tensor.Dtype]float64{tensor.Float64: 1e-12, tensor.Float32: 1e-5} {
		for _, c := range compositions() {
			t.Run(fmt.Sprint(c.name, " ", dtype), func(t *testing.T) {
				plain, wanted, err := c.differentiated(func(_ string, values []float64, shape ...int) *tensor.Dense {
					return onItsOwn(dtype, values, shape...)
				})
				if err != nil {
					t.Fatal(err)
				}
				own := G.NewTapeMachine(plain)
				defer own.Close()
				if err := own.RunAll(); err != nil {
					t.Fatal(err)
				}
				nodes, got, err := c.differentiated(placed(t, e, dtype))
				if err != nil {
					t.Fatal(err)
				}
				g := On(e, dtype, nodes)
				defer g.Release()
				m, err := g.Machine(got...)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second run finds what the first has left
					if err := m.Run(); err != nil {
						t.Fatal(err)
					}
				}
				for i := range got {
					if err := closeTo(elements(t, m.Value(got[i])), elements(t, wanted[i].Value()), tolerance); err != nil {
						t.Errorf("output %d: %v", i, err)
					}
				}
			})
		}
	}
}

// elements returns the numbers of a value.
func elements(t *testing.T, v G.Value) []float64 {
	t.Helper()
	if x, ok := v.(*tensor.Dense); ok {
		if x.IsNativelyAccessible() {
			x = tensor.Materialize(x).(*tensor.Dense)
		}
		return download(t, x)
	}
	return []float64{number(v)}
}
