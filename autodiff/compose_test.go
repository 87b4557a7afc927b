package autodiff

import (
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// plain is a network that a user of gorgonia writes with its own operations alone: two layers whose weights are shared,
// a node that is used twice, softmax and cross-entropy, which is trained for some steps of Adam.
type plain struct {
	graph      *G.ExprGraph
	parameters []*G.Node
	gradients  G.Nodes
	loss       *G.Node
}

const plainSteps = 12

// newPlain builds the network on tensors that put makes of the same numbers.
func newPlain(t *testing.T, put func(name string, values []float64, shape ...int) *tensor.Dense) *plain {
	t.Helper()
	const items, inputs, hidden, classes = 9, 5, 7, 3
	p := &plain{graph: G.NewGraph()}
	add := func(name string, values []float64, shape ...int) *G.Node {
		v := put(name, values, shape...)
		return G.NewTensor(p.graph, v.Dtype(), v.Dims(), G.WithShape(shape...), G.WithName(name), G.WithValue(v))
	}
	oneHot := make([]float64, items*classes)
	for i := range items {
		oneHot[i*classes+i%classes] = 1
	}
	x, y := add("x", normal(1, items*inputs), items, inputs), add("y", oneHot, items, classes)
	w, bias := add("w", normal(2, inputs*hidden), inputs, hidden), add("bias", normal(3, hidden), 1, hidden)
	shared, last := add("shared", normal(4, hidden*hidden), hidden, hidden), add("last", normal(5, hidden*classes), hidden,
		classes)
	p.parameters = []*G.Node{w, bias, shared, last}
	first := G.Must(G.Rectify(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, w)), bias, nil, []byte{0}))))
	second := G.Must(G.Add(first, G.Must(G.Tanh(G.Must(G.Mul(first, shared)))))) // first is used twice
	third := G.Must(G.Sigmoid(G.Must(G.Mul(second, shared))))
	chances := G.Must(G.SoftMax(G.Must(G.Mul(third, last))))
	each := G.Must(G.Sum(G.Must(G.HadamardProd(y, G.Must(G.Log(chances)))), 1))
	p.loss = G.Must(G.Neg(G.Must(G.Mean(each))))
	var err error
	if p.gradients, err = G.Grad(p.loss, p.parameters...); err != nil {
		t.Fatal(err)
	}
	return p
}

// solve trains with a machine and a solver of gorgonia, and returns the losses and the parameters.
func (p *plain) solve(t *testing.T, opts ...G.VMOpt) []float64 {
	t.Helper()
	vm := G.NewTapeMachine(p.graph, append(opts, G.BindDualValues(p.parameters...))...)
	defer vm.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(0.05))
	var all []float64
	for range plainSteps {
		if err := vm.RunAll(); err != nil {
			t.Fatal(err)
		}
		all = append(all, number(p.loss.Value()))
		if err := solver.Step(G.NodesToValueGrads(p.parameters)); err != nil {
			t.Fatal(err)
		}
		vm.Reset()
	}
	return append(all, p.values(t)...)
}

// step trains with Grove's machine and Adam.
func (p *plain) step(t *testing.T, e engine.Engine, dtype tensor.Dtype) []float64 {
	t.Helper()
	g := On(e, dtype, p.graph)
	defer g.Release()
	m, err := g.Machine(append(G.Nodes{p.loss}, p.gradients...)...)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	var weights []Parameter
	for _, n := range p.parameters {
		weights = append(weights, Parameter{Name: n.Name(), Value: dense(n.Value())})
	}
	optimiser := newAdam(e, weights, &TrainOptions{})
	defer optimiser.release()
	for range plainSteps {
		if err := G.VM(m).RunAll(); err != nil {
			t.Fatal(err)
		}
		all = append(all, number(p.loss.Value()))
		var gradients []*tensor.Dense
		for _, n := range p.gradients {
			gradients = append(gradients, dense(n.Value()))
		}
		if err := optimiser.step(gradients, 0.05); err != nil {
			t.Fatal(err)
		}
	}
	return append(all, p.values(t)...)
}

func (p *plain) values(t *testing.T) []float64 {
	t.Helper()
	var all []float64
	for _, n := range p.parameters {
		values, err := engine.Float64s(dense(n.Value()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, values...)
	}
	return all
}

// placed returns what puts numbers on an engine.
func placed(t *testing.T, e engine.Engine, dtype tensor.Dtype) func(string, []float64, ...int) *tensor.Dense {
	return func(_ string, values []float64, shape ...int) *tensor.Dense {
		return upload(t, e, dtype, values, shape...)
	}
}

// onItsOwn returns a tensor of gorgonia's own engine.
func onItsOwn(dtype tensor.Dtype, values []float64, shape ...int) *tensor.Dense {
	x := tensor.New(tensor.Of(dtype), tensor.WithShape(shape...))
	for i, v := range values {
		if dtype == tensor.Float32 {
			x.Set(i, float32(v))
		} else {
			x.Set(i, v)
		}
	}
	return x
}

// A user's graph gives on Grove's engines what it gives on gorgonia's own: to rounding, which is 2^-52 or 2^-23 of
// sums of some dozen terms and grows over the steps.
func TestPlainGraph(t *testing.T) {
	e := enginetest.Open(t, 2)
	for dtype, tolerance := range map[tensor.Dtype]float64{tensor.Float64: 1e-9, tensor.Float32: 2e-3} {
		t.Run(fmt.Sprint(dtype), func(t *testing.T) {
			want := newPlain(t, func(_ string, values []float64, shape ...int) *tensor.Dense {
				return onItsOwn(dtype, values, shape...)
			}).solve(t)
			if want[plainSteps-1] > 0.6*want[0] {
				t.Fatalf("losses %.3f: nothing is learnt", want[:plainSteps])
			}
			got := newPlain(t, placed(t, e, dtype)).step(t, e, dtype)
			if err := closeTo(got, want, tolerance); err != nil {
				t.Errorf("Grove's machine on %s: %v", e, err)
			}
			if e.Host() == e {
				got = newPlain(t, placed(t, e, dtype)).solve(t, G.WithEngine(e))
				if err := closeTo(got, want, tolerance); err != nil {
					t.Errorf("a tape machine on %s: %v", e, err)
				}
			}
		})
	}
}

// A lisp machine differentiates while it runs; on host memory it does so on Grove's engine.
func TestLispMachine(t *testing.T) {
	e := engine.NewCPU(2)
	graph, put := G.NewGraph(), placed(t, e, tensor.Float64)
	input := func(name string, seed uint64, rows, columns int) *G.Node {
		v := put(name, normal(seed, rows*columns), rows, columns)
		return G.NewMatrix(graph, tensor.Float64, G.WithShape(rows, columns), G.WithName(name), G.WithValue(v))
	}
	inputs, weight := input("x", 1, 4, 3), input("w", 2, 3, 2)
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Tanh(G.Must(G.Mul(inputs, weight))))))))
	if err := G.NewLispMachine(graph, G.WithEngine(e)).RunAll(); err != nil {
		t.Fatal(err)
	}
	x, w := elements(t, inputs.Value()), elements(t, weight.Value())
	cost, want := 0.0, make([]float64, len(w))
	for i := range 4 {
		for j := range 2 {
			sum := 0.0
			for k := range 3 {
				sum += x[3*i+k] * w[2*k+j]
			}
			y := math.Tanh(sum)
			cost += y * y
			for k := range 3 {
				want[2*k+j] += 2 * y * (1 - y*y) * x[3*i+k]
			}
		}
	}
	grad, err := weight.Grad()
	if err != nil {
		t.Fatal(err)
	}
	if err := closeTo(append(elements(t, grad), number(loss.Value())), append(want, cost), 1e-12); err != nil {
		t.Error(err)
	}
}

// Where a graph cannot run there is an error, no panic: gorgonia's machines keep values in host memory, and an input
// lies where its engine is.
func TestGraphsThatCannotRun(t *testing.T) {
	e := enginetest.Open(t, 1)
	elsewhere := newPlain(t, placed(t, engine.NewCPU(1), tensor.Float64))
	_, err := On(e, tensor.Float64, elsewhere.graph).Machine()
	if wrong := e.Host() != e; (err != nil) != wrong {
		t.Errorf("inputs in host memory for %s: error %v", e, err)
	}
	if e.Host() == e {
		return
	}
	for _, opts := range [][]G.VMOpt{nil, {G.WithEngine(e)}} {
		p := newPlain(t, placed(t, e, tensor.Float64))
		vm := G.NewTapeMachine(p.graph, opts...)
		if err := vm.RunAll(); err == nil {
			t.Errorf("a tape machine of gorgonia runs on %s", e)
		} else {
			t.Log(err)
		}
	}
}
