package mkl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/internal/matrices"
	"github.com/grove-graph/grove/internal/testfiles"
	"gonum.org/v1/gonum/mat"
)

// goldenProblem is a file with kernel matrices and exact solutions of EasyMKL on them.
type goldenProblem struct {
	NumTrain  int `json:"n_train"`
	Labels    []float64
	Train     [][][]float64 `json:"kernels_train"`
	Test      [][][]float64 `json:"kernels_test"`
	Solutions map[string][]goldenSolution
}

type goldenSolution struct {
	Lam           float64
	Degenerate    bool
	Objective     float64
	Gamma         []float64
	Margins       []float64 `json:"margin_contribution"`
	EtaSum        []float64 `json:"eta_sum1"`
	EtaL2         []float64 `json:"eta_l2"`
	Bias          float64
	DecisionTrain []float64 `json:"decision_train"`
	DecisionTest  []float64 `json:"decision_test"`
}

// TestGolden holds weights and decision values against every golden file that has kernel matrices and
// solutions.
func TestGolden(t *testing.T) {
	testfiles.Golden(t, "", testfiles.WithFields("kernels_train", "solutions"), func(t *testing.T, raw []byte) {
		g := testfiles.Decode[goldenProblem](t, raw)
		for scaling, solutions := range g.Solutions {
			for i := range solutions {
				want := &solutions[i]
				t.Run(fmt.Sprintf("%s/lambda %g", scaling, want.Lam), func(t *testing.T) {
					g.check(t, scaling == "mean_diagonal_one", want)
				})
			}
		}
	})
}

const tolerance = 1e-6

func (g *goldenProblem) check(t *testing.T, scaled bool, want *goldenSolution) {
	ctx, n := context.Background(), g.NumTrain
	f := matrices.Of(g.Train...)
	labels := g.Labels[:n]
	s, err := Solve(ctx, f, labels, Options{Lambda: want.Lam, Norm: SumOne, Scale: scaled, Tolerance: 1e-12})
	if want.Degenerate {
		if !errors.Is(err, ErrInseparable) {
			t.Fatalf("error %v, want that the classes cannot be separated", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	near(t, "objective", []float64{s.Objective}, []float64{want.Objective})
	if want.Lam > 0 || definite(f, s.Scales) {
		near(t, "gamma", s.Gamma, want.Gamma)
	}
	near(t, "margins", s.Margins, want.Margins)
	near(t, "weights of sum 1", s.Weights, want.EtaSum)
	test := g.testRows(s.Combined())
	near(t, "bias", []float64{s.Bias}, []float64{want.Bias})
	near(t, "decision values of the training objects", decisions(f, s, labels), want.DecisionTrain)
	var got []float64
	for _, row := range test {
		got = append(got, dot(row, signed(s.Gamma, labels))-s.Bias)
	}
	near(t, "decision values of the test objects", got, want.DecisionTest)
	unit, err := Solve(ctx, f, labels, Options{Lambda: want.Lam, Norm: L2One, Scale: scaled, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "weights of 2-norm 1", unit.Weights, want.EtaL2)
}

// decisions returns what the machine of EasyMKL's own gamma says of the training objects.
func decisions(f Family, s *Solution, labels []float64) []float64 {
	out := make([]float64, f.Objects())
	f.Sum(s.Combined())(out, signed(s.Gamma, labels))
	for i := range out {
		out[i] -= s.Bias
	}
	return out
}

// testRows returns the weighted kernel between test and training objects. A file without test kernels tests
// on its first training objects.
func (g *goldenProblem) testRows(weights []float64) [][]float64 {
	blocks := g.Test
	if blocks == nil {
		for _, k := range g.Train {
			blocks = append(blocks, k[:2])
		}
	}
	rows := make([][]float64, len(blocks[0]))
	for i := range rows {
		rows[i] = make([]float64, g.NumTrain)
		for r, k := range blocks {
			for j, v := range k[i] {
				rows[i][j] += weights[r] * v
			}
		}
	}
	return rows
}

// definite reports whether the sum of the kernels is so far from singular that gamma is unique without a ridge.
func definite(f Family, scales []float64) bool {
	n := f.Objects()
	sum := mat.NewSymDense(n, nil)
	column, unit := make([]float64, n), make([]float64, n)
	for j := range n {
		clear(unit)
		unit[j] = 1
		f.Sum(scales)(column, unit)
		for i := j; i < n; i++ {
			sum.SetSym(i, j, column[i])
		}
	}
	var e mat.EigenSym
	e.Factorize(sum, false)
	values := e.Values(nil)
	return values[0] > 1e-6*values[len(values)-1]
}

// near wants every number within the tolerance, absolute below 1 and relative above.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*max(1, math.Abs(w))) {
			t.Errorf("%s: number %d is %.12g, want %.12g", what, i, got[i], w)
			return
		}
	}
}
