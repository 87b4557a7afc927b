package mpgk

import (
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

func TestGoldenConvolution(t *testing.T) {
	eachGolden(t, (*goldenFile).convolves, func(t *testing.T, g *goldenFile) {
		b := g.batch(t)
		for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "cpu": enginetest.Open(t, 2)} {
			m := &Model{opt: g.options(RR), input: InputOf(b), engine: e, fitted: make([]iteration, g.Iterations+1)}
			err := m.propagate(t.Context(), b, learner{m}, nil, func(i int, s *state, _ []int32) error {
				if g.VertexKernel != nil {
					if err := closeTo(flat(vertexKernel(t, s)), flat(g.VertexKernel[i]), goldenTolerance); err != nil {
						t.Errorf("%s: vertex kernel %d: %v", name, i, err)
					}
				}
				level, err := newSumLevel(e.Host(), s)
				if err != nil {
					return err
				}
				k, err := level.cross(e, level)
				if err != nil {
					return err
				}
				if err := closeTo(k.Float64s(), flat(g.GraphKernelRR[i]), goldenTolerance); err != nil {
					t.Errorf("%s: graph kernel %d: %v", name, i, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			fitted := fit(t, e, b, g.options(RR))
			err = fitted.EachGram(t.Context(), nil, func(i int, k *tensor.Dense) error {
				return closeTo(k.Float64s(), flat(g.GraphKernelRR[i]), goldenTolerance)
			})
			if err != nil {
				t.Errorf("%s: fitted model: %v", name, err)
			}
		}
	})
}

func TestGoldenBarbell(t *testing.T) {
	eachGolden(t, (*goldenFile).embeds, func(t *testing.T, g *goldenFile) {
		b := g.batch(t)
		for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "cpu": enginetest.Open(t, 2)} {
			m := &Model{opt: g.options(RR), input: InputOf(b), engine: e, fitted: make([]iteration, g.Iterations+1)}
			err := m.propagate(t.Context(), b, learner{m}, nil, func(i int, s *state, _ []int32) error {
				k := vertexKernel(t, s)
				trace := 0.0
				for v := range k {
					trace += k[v][v]
				}
				if i == g.Iterations {
					if err := closeTo(flat(k), flat(g.VertexKernelFinal), goldenTolerance); err != nil {
						t.Errorf("%s: vertex kernel: %v", name, err)
					}
				}
				return closeTo([]float64{trace}, g.VertexKernelTrace[i:i+1], goldenTolerance)
			})
			if err != nil {
				t.Fatal(err)
			}
			const dims = 2
			x, err := EmbedVertices(t.Context(), e, b, g.options(RR), dims, nil)
			if err != nil {
				t.Fatal(err)
			}
			row := func(v int) []float64 { return x.Float64s()[v*dims : (v+1)*dims] }
			variance := [dims]float64{}
			sign := [dims]float64{}
			for v, want := range g.KPCA {
				for d := range dims {
					sign[d] += row(v)[d] * want[d]
					variance[d] += row(v)[d] * row(v)[d]
				}
			}
			for v, want := range g.KPCA {
				for d := range dims {
					if diff := math.Abs(row(v)[d] - math.Copysign(want[d], sign[d]*want[d])); diff > 1e-6+1e-9*math.Abs(want[d]) {
						t.Errorf("%s: coordinate %d of vertex %d is %v, want %v up to the sign", name, d, v, row(v)[d], want[d])
					}
				}
				for u := range v {
					same := math.Hypot(row(u)[0]-row(v)[0], row(u)[1]-row(v)[1]) <= 1e-6
					if same != (g.Orbit[u] == g.Orbit[v]) {
						t.Errorf("%s: vertices %d and %d of the orbits %d and %d are at %v and %v",
							name, u, v, g.Orbit[u], g.Orbit[v], row(u), row(v))
					}
				}
			}
			for d := range dims {
				if math.Abs(variance[d]-g.Eigenvalues[d]) > 1e-6+1e-9*g.Eigenvalues[d] {
					t.Errorf("%s: eigenvalue %d is %v, want %v", name, d, variance[d], g.Eigenvalues[d])
				}
			}
		}
	})
}
