package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// TestGoldenClassifierFit compares with the optimum of the classifier that a supervised model starts from.
func TestGoldenClassifierFit(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("classifier_fit"), func(t *testing.T, raw []byte) {
		g := testfiles.Decode[struct {
			X         [][]float64
			Labels    []int
			Classes   int         `json:"nclass"`
			Decay     float64     `json:"alpha"`
			Objective float64     `json:"optimum_objective"`
			Reference float64     `json:"reference_objective"`
			Weight    [][]float64 `json:"optimum_weight"`
		}](t, raw)
		p := LinearProblem{Loss: CrossEntropy, Outputs: g.Classes, Classes: g.Labels, Decay: g.Decay,
			Tolerance: 1e-10}
		m, err := FitLinear(context.Background(), matrix(g.X), nil, p)
		if err != nil {
			t.Fatal(err)
		}
		objective := objectiveOf(t, m, matrix(g.X), p)
		if objective > g.Reference {
			t.Errorf("objective %.15g, the published code reaches %.15g", objective, g.Reference)
		}
		closeTo(t, "objective", []float64{objective}, []float64{g.Objective}, 1e-12)
		for k := range g.Weight {
			closeTo(t, fmt.Sprint("weight of class ", k), m.Weight[k], g.Weight[k], 1e-6)
		}
	})
}

// objectiveOf is the objective in plain arithmetic.
func objectiveOf(t testing.TB, m *Linear, x *tensor.Dense, p LinearProblem) float64 {
	t.Helper()
	outputs, err := m.Outputs(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for i := range outputs.Shape()[0] {
		o := outputs.Float64s()[i*p.Outputs : (i+1)*p.Outputs]
		loss := 0.0
		for j, v := range o {
			is := 0.0
			if p.Loss != Squared && p.Classes[i] == j {
				is = 1
			}
			switch p.Loss {
			case CrossEntropy:
				loss += is * (math.Log(sumExp(o)) - v)
			case Logistic:
				loss += (math.Log(1+math.Exp(v)) - is*v) / float64(len(o))
			case SquaredHinge:
				loss += math.Pow(max(0, 1-(2*is-1)*v), 2) / 2
			case Squared:
				loss += math.Pow(v-p.Values[i*len(o)+j], 2) / 2
			}
		}
		if p.Weights != nil {
			loss *= p.Weights[i]
		}
		total += loss
	}
	for _, w := range m.Weight {
		for _, v := range w {
			total += p.Decay / 2 * v * v
		}
	}
	return total
}

func sumExp(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v)
	}
	return sum
}

// linearProblem is a random problem whose columns have very different scales, one of them none at all.
func linearProblem(loss Loss, seed uint64) (*tensor.Dense, LinearProblem) {
	rng := rand.New(rand.NewPCG(seed, 0))
	const n, d, outputs = 40, 6, 3
	p := LinearProblem{Loss: loss, Outputs: outputs, Decay: 0.1}
	var x []float64
	for range n {
		for j := range d {
			x = append(x, (rng.NormFloat64()+3)*math.Pow(10, float64(j-2)))
		}
		x[len(x)-1] = 7
		p.Weights = append(p.Weights, rng.Float64()+0.5)
		if loss != Squared {
			p.Classes = append(p.Classes, rng.IntN(outputs))
			continue
		}
		for range outputs {
			p.Values = append(p.Values, rng.NormFloat64())
		}
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x)), p
}

// At the minimum of a convex function the objective is flat in every direction.
func TestLinearMinimum(t *testing.T) {
	for _, loss := range []Loss{CrossEntropy, Logistic, SquaredHinge, Squared} {
		x, p := linearProblem(loss, 3)
		p.Tolerance = 1e-9
		m, err := FitLinear(context.Background(), x, nil, p)
		if err != nil {
			t.Fatal(err)
		}
		least := objectiveOf(t, m, x, p)
		for k := range m.Weight {
			for j := range m.Weight[k] {
				for _, step := range []float64{-1e-3, 1e-3} {
					was := m.Weight[k][j]
					m.Weight[k][j] += step
					if moved := objectiveOf(t, m, x, p); moved < least*(1-1e-13) {
						t.Errorf("%s: weight %d, %d: objective %.15g, was %.15g", loss, k, j, moved, least)
					}
					m.Weight[k][j] = was
				}
			}
			for _, step := range []float64{-1e-3, 1e-3} {
				m.Bias[k] += step
				if moved := objectiveOf(t, m, x, p); moved < least*(1-1e-13) {
					t.Errorf("%s: bias %d: objective %.15g, was %.15g", loss, k, moved, least)
				}
				m.Bias[k] -= step
			}
		}
	}
}

// A search that starts at its end stays there; a row of weight 2 is a row twice; rows picked are a matrix
// of these rows; workers do not matter.
func TestLinearEquivalences(t *testing.T) {
	x, p := linearProblem(CrossEntropy, 5)
	ctx := context.Background()
	p.Tolerance = 1e-9
	want, err := FitLinear(ctx, x, nil, p)
	if err != nil {
		t.Fatal(err)
	}
	value := objectiveOf(t, want, x, p)
	again := p
	again.Start = want
	m, err := FitLinear(ctx, x, nil, again)
	if err != nil {
		t.Fatal(err)
	}
	if got := objectiveOf(t, m, x, p); math.Abs(got-value) > 1e-12*value {
		t.Errorf("from the end: objective %.15g, want %.15g", got, value)
	}
	parallel := p
	parallel.Workers = 4
	if m, err = FitLinear(ctx, x, nil, parallel); err != nil || !slices.Equal(m.Bias, want.Bias) ||
		!slices.Equal(m.Weight[0], want.Weight[0]) {
		t.Errorf("four workers: %v, %v; want %v", m, err, want)
	}
	double := p
	double.Weights = slices.Repeat([]float64{1}, 40)
	for i := range 10 {
		double.Weights[i] = 2
	}
	var rows []int
	for i := range 40 {
		rows = append(rows, i)
	}
	heavy, err := FitLinear(ctx, x, nil, double)
	if err != nil {
		t.Fatal(err)
	}
	double.Weights = nil
	twice, err := FitLinear(ctx, x, append(rows, rows[:10]...), double)
	if err != nil {
		t.Fatal(err)
	}
	for k := range heavy.Weight {
		closeTo(t, "weight of a row twice", twice.Weight[k], heavy.Weight[k], 1e-5)
	}
}

// What makes no sense is an error of one line; degenerate problems have an answer.
func TestLinearEdges(t *testing.T) {
	ctx := context.Background()
	x := matrix([][]float64{{1, 2}, {3, 4}, {5, 1}})
	ok := LinearProblem{Loss: CrossEntropy, Outputs: 2, Classes: []int{0, 1, 1}, Decay: 1}
	change := func(f func(*LinearProblem)) LinearProblem {
		p := ok
		f(&p)
		return p
	}
	for want, p := range map[string]LinearProblem{
		`loss "hinge"`:      change(func(p *LinearProblem) { p.Loss = "hinge" }),
		"0 outputs":         change(func(p *LinearProblem) { p.Outputs = 0 }),
		"2 classes for":     change(func(p *LinearProblem) { p.Classes = []int{0, 1} }),
		"row 2 has class 2": change(func(p *LinearProblem) { p.Classes = []int{0, 1, 2} }),
		"decay -1":          change(func(p *LinearProblem) { p.Decay = -1 }),
		"1 weights for":     change(func(p *LinearProblem) { p.Weights = []float64{1} }),
		"0 values for":      change(func(p *LinearProblem) { p.Loss = Squared }),
		"1 outputs of 1 feat": change(func(p *LinearProblem) {
			p.Start = &Linear{Weight: [][]float64{{1}}, Bias: []float64{0}}
		}),
	} {
		if _, err := FitLinear(ctx, x, nil, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := FitLinear(ctx, matrix([][]float64{{1, math.NaN()}}), nil,
		change(func(p *LinearProblem) { p.Classes = []int{0} })); err == nil {
		t.Error("NaN was accepted")
	}
	if _, err := FitLinear(ctx, x, []int{}, ok); err == nil {
		t.Error("no rows were accepted")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := FitLinear(gone, x, nil, ok); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Separable classes without decay have no minimum, a single class a loss of zero.
	for _, classes := range [][]int{{0, 1, 1}, {1, 1, 1}} {
		p := change(func(p *LinearProblem) { p.Classes, p.Decay = classes, 0 })
		m, err := FitLinear(ctx, x, nil, p)
		if err != nil {
			t.Fatal(err)
		}
		if loss := objectiveOf(t, m, x, p); loss > 1e-5 {
			t.Errorf("classes %v: loss %g", classes, loss)
		}
	}
}

// However large the decay, the search ends at the minimum, where all is left to the intercepts.
func TestLargeDecays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x, classes := make([][]float64, 50), make([]int, 50)
	for i := range x {
		classes[i] = min(rng.IntN(4), 1)
		x[i] = []float64{rng.NormFloat64(), 1e-3 * rng.NormFloat64(), 1e3 * rng.NormFloat64()}
	}
	for _, loss := range []Loss{CrossEntropy, Logistic, SquaredHinge} {
		p := LinearProblem{Loss: loss, Outputs: 2, Classes: classes}
		first := 0.0
		for _, decay := range []float64{1e12, 1e15, 1e20, 1e100, 1e150, 1e200, 1e300} {
			p.Decay = decay
			m, err := FitLinear(context.Background(), matrix(x), nil, p)
			if err != nil {
				t.Fatalf("%s, decay %g: %v", loss, decay, err)
			}
			objective := objectiveOf(t, m, matrix(x), p)
			if first == 0 {
				first = objective
			}
			if !(math.Abs(objective-first) <= 1e-4*first) {
				t.Errorf("%s, decay %g: the objective is %g, that of a smaller decay %g", loss, decay, objective, first)
			}
		}
		for _, decay := range []float64{-1, 1e307, math.Inf(1), math.NaN()} {
			p.Decay = decay
			if _, err := FitLinear(context.Background(), matrix(x), nil, p); err == nil {
				t.Errorf("%s: a decay of %g is taken", loss, decay)
			}
		}
	}
}
