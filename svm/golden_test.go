package svm

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// goldenSVM is a file of kind linear_svm: exact minimisers for several C.
type goldenSVM struct {
	Name      string
	Kind      string
	Tolerance float64 `json:"tolerance_rel"`
	X         [][]float64
	Y         []float64
	Solutions []struct {
		C         float64
		Weight    []float64
		Intercept float64
		Objective float64
		Decision  []float64
	}
}

func TestGolden(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("linear_svm"), func(t *testing.T, raw []byte) {
		checkGolden(t, testfiles.Decode[goldenSVM](t, raw))
	})
}

func checkGolden(t *testing.T, g *goldenSVM) {
	x := matrix(g.X)
	grid := make([]float64, len(g.Solutions))
	for k, s := range g.Solutions {
		grid[k] = s.C
	}
	for _, setting := range solverSettings() {
		t.Run(setting.name, func(t *testing.T) {
			path, err := FitPath(context.Background(), x, nil, g.Y, grid, setting.options)
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range g.Solutions {
				decision, err := path.Decision(k, x, nil)
				if err != nil {
					t.Fatal(err)
				}
				label := fmt.Sprintf("C = %g: ", want.C)
				closeTo(t, label+"weight", path.Weight[k], want.Weight, g.Tolerance)
				closeTo(t, label+"intercept", path.Bias[k:k+1], []float64{want.Intercept}, g.Tolerance)
				closeTo(t, label+"objective", path.Objective[k:k+1], []float64{want.Objective}, g.Tolerance)
				closeTo(t, label+"decision", decision, want.Decision, g.Tolerance)
			}
		})
	}
}

// closeTo compares with a tolerance relative to the largest magnitude of want.
func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	size := 0.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= tolerance*size) {
			t.Errorf("%s[%d] = %.12g, want %.12g (relative %.1e)", what, i, got[i], want[i], d/size)
			return
		}
	}
}
