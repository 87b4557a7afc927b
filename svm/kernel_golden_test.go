package svm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// goldenKernel is a file of form svm_type c_svc or epsilon_svr with a precomputed kernel.
type goldenKernel struct {
	Type      string      `json:"svm_type"`
	Kernel    string      `json:"kernel"`
	Train     [][]float64 `json:"K_train"`
	Test      [][]float64 `json:"K_test"`
	Targets   []float64   `json:"y_train"`
	Solutions []struct {
		C         float64
		Epsilon   float64
		Order     []int        `json:"label_order"`
		Reference goldenRunSVM `json:"eps_1e12"`
	}
}

type goldenRunSVM struct {
	Pairs []struct {
		Positive  int       `json:"positive_class"`
		Negative  int       `json:"negative_class"`
		Coef      []float64 `json:"coef"`
		Rho       float64   `json:"rho"`
		Objective float64   `json:"objective"`
	}
	Train        [][]float64 `json:"decision_train"`
	Test         [][]float64 `json:"decision_test"`
	PredictTrain []float64   `json:"predict_train"`
	PredictTest  []float64   `json:"predict_test"`
}

// kernelPath is a way to the optimum: from a matrix of either type or from computed rows, with and without
// shrinking, cold and warm.
type kernelPath struct {
	name     string
	options  KernelOptions
	double   bool
	rows     bool
	cold     bool
	decision float64 // tolerance, relative to the decision or to 1
}

// The references were made with kernel values rounded to float32, as LIBSVM keeps them while it trains.
// With the rounded values the decisions are the same; with the exact ones the objective is a little lower,
// and decisions move by up to a few 1e-5 where the kernel is nearly singular.
var kernelPaths = []kernelPath{
	{name: "warm", options: KernelOptions{Tolerance: 1e-10}, decision: 1e-7},
	{name: "cold", options: KernelOptions{Tolerance: 1e-10}, cold: true, decision: 1e-7},
	{name: "without shrinking", options: KernelOptions{Tolerance: 1e-10, NoShrinking: true}, decision: 1e-7},
	{name: "rows", options: KernelOptions{Tolerance: 1e-10, Workers: 3}, rows: true, decision: 1e-7},
	{name: "float64", options: KernelOptions{Tolerance: 1e-10}, double: true, decision: 1e-4},
}

const goldenObjective = 1e-8 // relative

func TestGoldenKernel(t *testing.T) {
	testfiles.Golden(t, "", func(data []byte) bool {
		var form goldenKernel
		_ = json.Unmarshal(data, &form)
		return (form.Type == "c_svc" || form.Type == "epsilon_svr") && form.Kernel == "precomputed"
	}, func(t *testing.T, data []byte) {
		g := testfiles.Decode[goldenKernel](t, data)
		for _, path := range kernelPaths {
			t.Run(path.name, func(t *testing.T) {
				kernel := g.kernel(t, path)
				for i := 0; i < len(g.Solutions); {
					to := len(g.Solutions)
					for n := i + 1; n < to; n++ { // an ascending grid at a time
						last, next := g.Solutions[n-1], g.Solutions[n]
						if path.cold || next.C <= last.C || next.Epsilon != last.Epsilon {
							to = n
						}
					}
					g.check(t, kernel, i, to, path)
					i = to
				}
			})
		}
	})
}

func (g *goldenKernel) kernel(t *testing.T, path kernelPath) Kernel {
	n := len(g.Train)
	rounded := make([]float32, 0, n*n)
	diagonal := make([]float64, n)
	for i, row := range g.Train {
		for _, v := range row {
			rounded = append(rounded, float32(v))
		}
		diagonal[i] = float64(rounded[i*n+i])
	}
	if path.rows {
		return NewRowCache(diagonal, 8*n*5, func(i int, out []float64) error {
			for j, v := range rounded[i*n : (i+1)*n] {
				out[j] = float64(v)
			}
			return nil
		})
	}
	x := tensor.New(tensor.WithShape(n, n), tensor.WithBacking(rounded))
	if path.double {
		x = matrix(g.Train)
	}
	k, err := NewMatrix(x)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// check solves for the values from to to-1 of C and compares with the file.
func (g *goldenKernel) check(t *testing.T, k Kernel, from, to int, path kernelPath) {
	o := path.options
	grid := make([]float64, 0, to-from)
	for _, s := range g.Solutions[from:to] {
		grid = append(grid, s.C)
	}
	var classifiers []*KernelClassifier
	var regressors []*KernelRegressor
	var err error
	if g.Type == "c_svc" {
		classes := make([]int, len(g.Targets))
		for i, y := range g.Targets {
			classes[i] = int(y)
		}
		classifiers, err = FitKernelClassifier(context.Background(), k, nil, classes, grid, o)
	} else {
		regressors, err = FitKernelRegressor(context.Background(), k, nil, g.Targets, grid, g.Solutions[from].Epsilon, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range g.Solutions[from:to] {
		label := fmt.Sprintf("C = %g: ", s.C)
		var machines []*Expansion
		if classifiers != nil {
			m := classifiers[i]
			machines = m.expansions()
			if fmt.Sprint(m.Classes) != fmt.Sprint(s.Order) {
				t.Errorf("%sclasses %v, want %v", label, m.Classes, s.Order)
			}
			for p, pair := range m.Pairs {
				want := s.Reference.Pairs[p]
				if m.Classes[pair.First] != want.Positive || m.Classes[pair.Second] != want.Negative {
					t.Errorf("%spair %d: %+v, want %d and %d", label, p, pair, want.Positive, want.Negative)
				}
			}
			g.predicts(t, label+"training part", m, g.Train, s.Reference.Train, s.Reference.PredictTrain, path.decision)
			g.predicts(t, label+"test part", m, g.Test, s.Reference.Test, s.Reference.PredictTest, path.decision)
		} else {
			m := regressors[i]
			machines = []*Expansion{&m.Expansion}
			g.predicts(t, label+"training part", m, g.Train, s.Reference.Train, s.Reference.PredictTrain, path.decision)
			g.predicts(t, label+"test part", m, g.Test, s.Reference.Test, s.Reference.PredictTest, path.decision)
		}
		for p, want := range s.Reference.Pairs {
			machine := fmt.Sprintf("%smachine %d: ", label, p)
			g.feasible(t, machine, machines[p], s.C)
			got := g.objective(machines[p], s.Epsilon)
			closeTo(t, machine+"objective", []float64{got}, []float64{want.Objective}, goldenObjective)
			if path.double {
				closeTo(t, machine+"own objective", []float64{machines[p].Objective}, []float64{got}, 1e-12)
			}
		}
	}
}

// feasible checks the constraints of a machine.
func (g *goldenKernel) feasible(t *testing.T, label string, m *Expansion, c float64) {
	sum := 0.0
	for s, b := range m.Coefficients {
		sum += b
		if math.Abs(b) > c {
			t.Errorf("%scoefficient of %d is %g, beyond C", label, m.Objects[s], b)
		}
	}
	if math.Abs(sum) > 1e-12*c*float64(len(g.Targets)) {
		t.Errorf("%scoefficients add up to %g", label, sum)
	}
}

// objective is written straight from the definition, with the kernel of the file.
func (g *goldenKernel) objective(m *Expansion, epsilon float64) float64 {
	sum := 0.0
	for s, b := range m.Coefficients {
		for r, c := range m.Coefficients {
			sum += b * c * g.Train[m.Objects[s]][m.Objects[r]] / 2
		}
		if g.Type == "c_svc" {
			sum -= math.Abs(b)
		} else {
			sum += epsilon*math.Abs(b) - g.Targets[m.Objects[s]]*b
		}
	}
	return sum
}

// predicts compares decisions, and predictions where no decision is too close to call.
func (g *goldenKernel) predicts(
	t *testing.T, label string, machine any, k, decisions [][]float64, predicted []float64, tolerance float64,
) {
	var want, got []float64
	var classes []int
	sure := make([]bool, len(k))
	for i, row := range decisions {
		sure[i] = true
		for _, d := range row {
			want = append(want, d)
			sure[i] = sure[i] && math.Abs(d) > tolerance
		}
	}
	switch m := machine.(type) {
	case *KernelClassifier:
		x, err := m.Decisions(matrix(k))
		if err != nil {
			t.Fatal(err)
		}
		got = x.Float64s()
		if classes, err = m.Predict(matrix(k)); err != nil {
			t.Fatal(err)
		}
	case *KernelRegressor:
		var err error
		if got, err = m.Predict(matrix(k)); err != nil {
			t.Fatal(err)
		}
	}
	for i, d := range want {
		if math.Abs(got[i]-d) > tolerance*max(1, math.Abs(d)) {
			t.Errorf("%s: decision %d is %.12g, want %.12g", label, i, got[i], d)
		}
	}
	for i, c := range classes {
		if sure[i] && float64(c) != predicted[i] {
			t.Errorf("%s: object %d has class %d, want %g", label, i, c, predicted[i])
		}
	}
}
