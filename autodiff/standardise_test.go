package autodiff

import (
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Columns are standardised by the standard, and the gradient is that of differences.
func TestStandardise(t *testing.T) {
	e := enginetest.Open(t, 2)
	a := Affine{Mean: []float64{1, -2, 0.5}, Scale: []float64{0.25, 3, 1}}
	s, err := NewStandard(e, tensor.Float64, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if err := s.Set(a); err != nil {
		t.Fatal(err)
	}
	differentiateOn(t, e, []tensor.Shape{{5, 3}}, nil, func(g *Graph, p []*G.Node) *G.Node {
		return g.Standardise(p[0], s)
	})

	g, x := NewGraph(e, tensor.Float64), normal(3, 15)
	defer g.Release()
	y := g.Standardise(g.Parameter("x", upload(t, e, tensor.Float64, x, 5, 3)), s)
	for i, got := range elements(t, ran(t, g).Value(y)) {
		if want := (x[i] - a.Mean[i%3]) / a.Scale[i%3]; math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("element %d is %g, want %g", i, got, want)
		}
	}
	back, err := s.Affine()
	if err != nil || back.Scale[1] != 3 || back.Mean[1] != -2 {
		t.Errorf("means and scales %v, %v", back, err)
	}
	wrong := NewGraph(e, tensor.Float64)
	if wrong.Standardise(wrong.Parameter("x", upload(t, e, tensor.Float64, x, 3, 5)), s); wrong.Err() == nil {
		t.Error("a standard of 3 columns standardises 5")
	}
}

// Parameters with a rate of their own move as far as a training at that rate moves them, others as at the common one.
func TestRatesOfParameters(t *testing.T) {
	e := enginetest.Open(t, 1)
	step := func(o TrainOptions) [][]float64 {
		var p []Parameter
		var grads []*tensor.Dense
		for i, name := range []string{"a", "b", "c"} {
			p = append(p, Parameter{Name: name, Value: upload(t, e, tensor.Float64, normal(uint64(i), 4), 1, 4)})
			grads = append(grads, upload(t, e, tensor.Float64, normal(uint64(i+5), 4), 1, 4))
		}
		a := newAdam(e, p, &o)
		defer a.release()
		for range 3 {
			if err := a.step(grads, o.Rate); err != nil {
				t.Fatal(err)
			}
		}
		var out [][]float64
		for _, p := range p {
			values, err := engine.Float64s(p.Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, values)
		}
		return out
	}
	mixed := step(TrainOptions{Rate: 0.1, Rates: map[string]float64{"b": 0.02}})
	common, slow := step(TrainOptions{Rate: 0.1}), step(TrainOptions{Rate: 0.02})
	for i, want := range [][]float64{common[0], slow[1], common[2]} {
		for j, v := range mixed[i] {
			if math.Abs(v-want[j]) > 1e-15 {
				t.Errorf("parameter %d element %d is %g, want %g", i, j, v, want[j])
			}
		}
	}
	if common[1][0] == slow[1][0] {
		t.Error("the rate makes no difference")
	}
	o := TrainOptions{BatchSize: 1, Rate: 1, MaxLoss: 1, Rates: map[string]float64{"a": -1}}
	if o.Check() == nil {
		t.Error("a rate of -1 passes")
	}
}
