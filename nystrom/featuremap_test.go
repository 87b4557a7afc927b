package nystrom_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// kernelMatrix returns exp(-|x-y|^2/2) for all pairs of the given points on a line.
func kernelMatrix(x, y []float64) (out []float64) {
	for _, a := range x {
		for _, b := range y {
			out = append(out, math.Exp(-(a-b)*(a-b)/2))
		}
	}
	return out
}

func TestFeatureMapReproducesTheLandmarks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	z := []float64{0, 1.5, 3, 4.5, 6, 7.5}
	x := append([]float64(nil), z...)
	for range 20 {
		x = append(x, 7.5*rng.Float64())
	}
	for _, e := range engines() {
		for _, rule := range []engine.InvSqrtRule{engine.AfterRoot, engine.InsideRoot} {
			f, err := nystrom.FitFeatureMap(e.engine, table(e, 6, 6, kernelMatrix(z, z)), 1e-8, rule)
			if err != nil {
				t.Fatal(err)
			}
			features, err := f.Transform(e.engine, table(e, len(x), 6, kernelMatrix(x, z)))
			if err != nil {
				t.Fatal(err)
			}
			if f.Landmarks() != 6 || features.Dtype() != e.dtype {
				t.Fatalf("%d features of dtype %v, want 6 of %v", f.Landmarks(), features.Dtype(), e.dtype)
			}
			got, want := gram(features), kernelMatrix(x, x)
			for i := range x {
				for j := range x {
					// Exact between a landmark and anything, close elsewhere.
					tolerance := 0.15
					if i < 6 || j < 6 {
						tolerance = max(e.tolerance, 1e-6)
					}
					if math.Abs(got[i*len(x)+j]-want[i*len(x)+j]) > tolerance {
						t.Fatalf("%s: kernel of %g and %g is %g, want %g", e.name, x[i], x[j], got[i*len(x)+j], want[i*len(x)+j])
					}
				}
			}
		}
	}
}

func TestFeatureMapTakesRepeatedLandmarks(t *testing.T) {
	z := []float64{0, 0, 2, 2, 2}
	for _, e := range engines() {
		for _, rule := range []engine.InvSqrtRule{engine.AfterRoot, engine.InsideRoot} {
			f, err := nystrom.FitFeatureMap(e.engine, table(e, 5, 5, kernelMatrix(z, z)), 1e-4, rule)
			if err != nil {
				t.Fatal(err)
			}
			features, err := f.Transform(e.engine, table(e, 5, 5, kernelMatrix(z, z)))
			if err != nil {
				t.Fatal(err)
			}
			// eps and, in float32, rounding times 1/eps.
			near(t, e.name, gram(features), kernelMatrix(z, z), 5e-3)
		}
	}
}

func TestFeatureMapRefuses(t *testing.T) {
	e := engines()[1]
	for _, c := range []struct {
		name   string
		matrix *tensor.Dense
		eps    float64
		want   string
	}{
		{"not square", table(e, 2, 3, make([]float64, 6)), 0.1, "must be square"},
		{"no regularisation", table(e, 1, 1, []float64{1}), 0, "must be positive"},
		{"NaN", table(e, 2, 2, []float64{1, 0, 0, math.NaN()}), 0.1, "entry (1, 1) is NaN"},
		{"not symmetric", table(e, 2, 2, []float64{1, 2, 3, 1}), 0.1, "not symmetric: entries (1, 0) and (0, 1) are 3 and 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := nystrom.FitFeatureMap(e.engine, c.matrix, c.eps, engine.AfterRoot); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	f, err := nystrom.FitFeatureMap(e.engine, table(e, 2, 2, []float64{1, 0, 0, 1}), 0.1, engine.AfterRoot)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Transform(e.engine, table(e, 4, 3, make([]float64, 12))); err == nil ||
		!strings.Contains(err.Error(), "2 columns") {
		t.Errorf("error %v, want one about 2 columns", err)
	}
}
