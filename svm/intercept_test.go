package svm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// goldenLinear is a file of form svm_type linear_l2_squared_hinge: LIBLINEAR's formulation.
type goldenLinear struct {
	Type      string      `json:"svm_type"`
	Train     [][]float64 `json:"X_train"`
	Test      [][]float64 `json:"X_test"`
	Targets   []float64   `json:"y_train"`
	Solutions []struct {
		C     float64
		Bias  float64
		Order []int `json:"label_order"`
		Exact struct {
			W         [][]float64
			Objective []float64
			Test      [][]float64 `json:"decision_test"`
		}
	}
}

func TestGoldenPenalisedIntercept(t *testing.T) {
	testfiles.Golden(t, "", func(data []byte) bool {
		var form goldenLinear
		_ = json.Unmarshal(data, &form)
		return form.Type == "linear_l2_squared_hinge"
	}, func(t *testing.T, data []byte) {
		g := testfiles.Decode[goldenLinear](t, data)
		for _, setting := range solverSettings() {
			t.Run(setting.name, func(t *testing.T) { g.check(t, setting.options) })
		}
	})
}

func (g *goldenLinear) check(t *testing.T, o Options) {
	for _, s := range g.Solutions {
		o.Intercept, o.Constant = NoIntercept, 0
		if s.Bias >= 0 {
			o.Intercept, o.Constant = PenalisedIntercept, s.Bias
		}
		for machine, want := range s.Exact.W {
			y := make([]float64, len(g.Targets))
			for i, class := range g.Targets {
				y[i] = -1
				if class == float64(s.Order[machine]) {
					y[i] = 1
				}
			}
			path, err := FitPath(context.Background(), matrix(g.Train), nil, y, []float64{s.C}, o)
			if err != nil {
				t.Fatal(err)
			}
			decisions, err := path.Decision(0, matrix(g.Test), nil)
			if err != nil {
				t.Fatal(err)
			}
			label := fmt.Sprintf("C = %g, bias %g, machine %d: ", s.C, s.Bias, machine)
			closeTo(t, label+"objective", path.Objective, s.Exact.Objective[machine:machine+1], 1e-9)
			got := path.Weight[0]
			if s.Bias >= 0 {
				got = append(got, path.Bias[0]/s.Bias)
			}
			closeTo(t, label+"weights", got, want, 1e-7)
			tested := make([]float64, len(g.Test))
			for i := range tested {
				tested[i] = s.Exact.Test[i][machine]
			}
			closeTo(t, label+"decisions", decisions, tested, 1e-7)
		}
	}
}

// At the optimum the gradient vanishes whatever becomes of the intercept.
func TestInterceptGradientVanishes(t *testing.T) {
	grid := []float64{1e-4, 1e-2, 1, 30, 1e4}
	for _, setting := range solverSettings() {
		for i, p := range randomProblems(42) {
			for _, constant := range []float64{0, 1, 3} {
				o := setting.options
				o.Intercept, o.Constant = PenalisedIntercept, constant
				if constant == 0 {
					o.Intercept = NoIntercept
				}
				path, err := FitPath(context.Background(), p.x(), nil, p.y, grid, o)
				if err != nil {
					t.Fatal(err)
				}
				for k, c := range grid {
					label := fmt.Sprintf("%s: problem %d (%s), C = %g, constant %g", setting.name, i, p.name, c, constant)
					checkIntercept(t, label, p, c, constant, path, k)
				}
			}
		}
	}
}

// checkIntercept holds a solution against the definition: the constant is one more feature.
func checkIntercept(t *testing.T, label string, p problem, c, constant float64, path *Path, k int) {
	t.Helper()
	wide := problem{rows: make([][]float64, len(p.rows)), y: p.y}
	for i, x := range p.rows {
		wide.rows[i] = append(append([]float64(nil), x...), constant)
	}
	w := append(append([]float64(nil), path.Weight[k]...), 0)
	if constant != 0 {
		w[len(w)-1] = path.Bias[k] / constant
	} else if path.Bias[k] != 0 {
		t.Errorf("%s: bias %g", label, path.Bias[k])
	}
	g, scale, rounding := gradient(wide, c, w, 0)
	g[len(g)-1] = 0 // of a free intercept, which there is none of
	if norm := math.Sqrt(inner(g, g)); norm > 10*gradientTolerance(c)*scale+rounding {
		t.Errorf("%s: gradient %.1e of %.1e", label, norm, scale)
	}
	if want := objective(wide, c, w, 0); math.Abs(path.Objective[k]-want) > 1e-8*want {
		t.Errorf("%s: objective %.12g, by definition %.12g", label, path.Objective[k], want)
	}
}

// Without a free intercept rows of one label are a problem like any other.
func TestOneLabelWithoutFreeIntercept(t *testing.T) {
	x := [][]float64{{1, 2}, {2, 1}, {0, 1}}
	y := []float64{-1, -1, -1}
	path, err := FitPath(context.Background(), matrix(x), nil, y, []float64{0.3}, Options{Intercept: PenalisedIntercept})
	if err != nil {
		t.Fatal(err)
	}
	checkIntercept(t, "one label", problem{rows: x, y: y}, 0.3, 1, path, 0)
	if path.Bias[0] >= 0 || path.Objective[0] <= 0 {
		t.Errorf("bias %g, objective %g", path.Bias[0], path.Objective[0])
	}
}
