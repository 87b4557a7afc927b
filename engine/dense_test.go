package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// Arguments that do not fit are refused with an error that names the operation.
func TestRefusals(t *testing.T) {
	for _, c := range enginetest.Cases() {
		if !strings.HasPrefix(c.Name, "refused: ") {
			continue
		}
		for _, e := range []engine.Engine{engine.Reference{}, engine.NewCPU(2)} {
			if got := c.Bits(e, tensor.Float32); !strings.HasPrefix(got, c.Operation+": ") {
				t.Errorf("%s on %v, %s: no error", c.Operation, e, c.Name)
			}
		}
	}
}

// The gradient of the cross-entropy is its derivative by central differences.
func TestCrossEntropyGradient(t *testing.T) {
	e := engine.Reference{}
	logits := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{0.3, -1, 2, 0.5, 0.5, -0.25}))
	loss, grad := e.New(tensor.Float64, 2), e.New(tensor.Float64, 2, 3)
	target := []int32{2, 0}
	at := func() float64 {
		if err := e.SoftmaxCrossEntropy(loss, grad, logits, target, nil); err != nil {
			t.Fatal(err)
		}
		return loss.Float64s()[0] + loss.Float64s()[1]
	}
	const h = 1e-5
	x := logits.Float64s()
	for i := range x {
		x[i] += h
		above := at()
		x[i] -= 2 * h
		below := at()
		x[i] += h
		at()
		if want := (above - below) / (2 * h); math.Abs(grad.Float64s()[i]-want) > 1e-9 {
			t.Errorf("gradient %d is %g, difference quotient %g", i, grad.Float64s()[i], want)
		}
	}
}

// Adam walks down a parabola to its minimum, and its first step has the length of the rate.
func TestAdamMinimises(t *testing.T) {
	e := engine.NewCPU(1)
	x, m1, m2, g := e.New(tensor.Float64, 1), e.New(tensor.Float64, 1), e.New(tensor.Float64, 1),
		e.New(tensor.Float64, 1)
	x.Float64s()[0] = 3
	of := []engine.AdamState{{Parameter: x, Moment1: m1, Moment2: m2, Gradient: g}}
	for step := 1; step <= 2000; step++ {
		g.Float64s()[0] = 2 * (x.Float64s()[0] - 1)
		if err := e.Adam(of, engine.Adam{Rate: 0.05, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
			Step: step}); err != nil {
			t.Fatal(err)
		}
		if first := x.Float64s()[0]; step == 1 && math.Abs(first-2.95) > 1e-6 {
			t.Errorf("the first step leads to %g, want 2.95", first)
		}
	}
	if last := x.Float64s()[0]; math.Abs(last-1) > 1e-3 {
		t.Errorf("ends at %g, want the minimum at 1", last)
	}
}
