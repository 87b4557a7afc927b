package autodiff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Rounding keeps 10 or 7 bits of mantissa, of ties the ones that tensor cores take, and what is not finite.
func TestRound(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		p       engine.Precision
		x, want float32
	}{
		{engine.TF32, 1 + 0x1p-10, 1 + 0x1p-10}, {engine.TF32, 1 + 0x1p-11, 1 + 0x1p-10},
		{engine.TF32, -1 - 0x1p-11, -1 - 0x1p-10},
		{engine.TF32, 1 + 0x1p-12, 1}, {engine.TF32, inf, inf}, {engine.TF32, -inf, -inf}, {engine.TF32, 0, 0},
		{engine.BFloat16, 1 + 0x1p-7, 1 + 0x1p-7}, {engine.BFloat16, 1 + 0x1p-8, 1},
		{engine.BFloat16, 1 + 0x3p-8, 1 + 0x4p-8},
		{engine.BFloat16, -3 - 0x1p-7, -3}, {engine.BFloat16, inf, inf},
	} {
		got := []float32{c.x}
		if round(got, got, c.p); got[0] != c.want {
			t.Errorf("%v in precision %d is %v, want %v", c.x, c.p, got[0], c.want)
		}
	}
	nan := []float32{float32(math.NaN())}
	if round(nan, nan, engine.TF32); nan[0] == nan[0] {
		t.Error("NaN has become a number")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		x := []float32{float32(rng.NormFloat64() * math.Exp(20*rng.NormFloat64()))}
		for p, bits := range map[engine.Precision]float64{engine.TF32: 0x1p-11, engine.BFloat16: 0x1p-8} {
			got := []float32{0}
			if round(got, x, p); math.Abs(float64(got[0]-x[0])) > bits*math.Abs(float64(x[0])) {
				t.Errorf("%v in precision %d is %v", x[0], p, got[0])
			}
		}
	}
}

// Less precision changes a step a little, and float64 not at all.
func TestPrecision(t *testing.T) {
	e, b := enginetest.Open(t, 1), manyRings(t, 40)
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		var full []float64
		for _, p := range []engine.Precision{engine.Full, engine.TF32, engine.BFloat16} {
			opt := Options{Layers: layers(true, graph.Paths, engine.Sum, 3, 1), Loss: CrossEntropy, Epsilon: 0.1,
				Precision: p}
			n := example(t, e, dtype, opt, 2)
			rows := upload(t, e, dtype, normal(5, 3*b.NumVertices()), b.NumVertices(), 3)
			got := numbers(t, n, prepare(t, n, b, Features{Rows: rows}))
			if p == engine.Full {
				full = got
				continue
			}
			difference := closeTo(got, full, 1e-7)
			tolerance := map[engine.Precision]float64{engine.TF32: 0.02, engine.BFloat16: 0.1}[p]
			if err := closeTo(got, full, tolerance); err != nil {
				t.Errorf("%v, precision %d: %v", dtype, p, err)
			}
			if _, device := e.(engine.Device); !device &&
				(difference != nil) != (dtype == tensor.Float32) {
				t.Errorf("%v, precision %d: difference %v", dtype, p, difference)
			}
		}
	}
}
