package autodiff

import (
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

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
			if e.String() == "cpu" && (difference != nil) != (dtype == tensor.Float32) {
				t.Errorf("%v, precision %d: difference %v", dtype, p, difference)
			}
		}
	}
}
