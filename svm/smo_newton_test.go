package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine/simd"
)

// Steps of Newton's method lead to the optimum of the pairs, in a number of steps that hardly grows with C.
func TestNewtonSavesSteps(t *testing.T) {
	for _, kernel := range []string{"linear", "gaussian"} {
		k, y := cloud(200, 4, 2, kernel, 11)
		steps := map[bool]int{}
		var objective [2]float64
		for i, pairsOnly := range []bool{false, true} {
			o := KernelOptions{Tolerance: 1e-4, pairsOnly: pairsOnly}
			m, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{3000}, o)
			if err != nil {
				t.Fatal(err)
			}
			steps[pairsOnly], objective[i] = m[0].Pairs[0].Steps, m[0].Pairs[0].Objective
		}
		if 10*steps[false] > steps[true] {
			t.Errorf("%s: %d steps, of pairs alone %d", kernel, steps[false], steps[true])
		}
		closeTo(t, kernel+": objective", objective[:1], objective[1:], 1e-8)
	}
}

// A kernel that is not positive semi-definite, whose problem may have many local optima, ends in one of them.
func TestIndefiniteKernel(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 5 + r.IntN(60)
		k := make([][]float64, n)
		y := make([]int, n)
		for i := range k {
			k[i] = make([]float64, n)
			y[i] = i % 2
			for j := range i + 1 {
				k[i][j] = r.NormFloat64()
				k[j][i] = k[i][j]
			}
		}
		const tolerance = 1e-5
		o := KernelOptions{Tolerance: tolerance}
		all, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{0.1, 1, 1000}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			checkConditions(t, k, y, m, tolerance)
		}
	}
}

// checkConditions wants no variable that can go down to have a larger gradient than one that can go up.
func checkConditions(t *testing.T, k [][]float64, y []int, m *KernelClassifier, tolerance float64) {
	t.Helper()
	b := make([]float64, len(k))
	for s, i := range m.Pairs[0].Objects {
		b[i] = m.Pairs[0].Coefficients[s]
	}
	lowest, highest := math.Inf(1), math.Inf(-1)
	for i := range k {
		low, high, f := 0.0, m.C, inner(k[i], b)-1
		if y[i] != m.Classes[0] {
			low, high, f = -m.C, 0, inner(k[i], b)+1
		}
		if b[i] < high {
			lowest = min(lowest, f)
		}
		if b[i] > low {
			highest = max(highest, f)
		}
	}
	if rounding := 1e-11 * m.C * float64(len(k)); highest-lowest > tolerance+rounding {
		t.Errorf("%d objects, C = %g: the conditions of an optimum are violated by %g", len(k), m.C, highest-lowest)
	}
}

// Rows that stop at a bound leave a smaller equation, solved as from the start.
func TestFaceLosesVariables(t *testing.T) {
	k, _ := cloud(60, 80, 2, "linear", 4)
	problem := dual{kernel: kernelOf(t, k)}
	for i := range k {
		problem.add(i, math.Sin(float64(i)), -1, 1)
	}
	s := newSMO(problem, KernelOptions{}.withDefaults(60))
	s.scale(100)
	for t := range s.b {
		s.b[t] = math.Cos(float64(t))
	}
	a := newFace(s, all(60))
	if err := a.solve(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{7, 31, 0, 59} {
		a.stop(at)
	}
	small := newFace(s, all(60))
	small.variables = nil
	for i := range 60 {
		if i != 7 && i != 31 && i != 0 && i != 59 {
			small.variables = append(small.variables, i)
		}
	}
	if err := small.solve(); err != nil {
		t.Fatal(err)
	}
	// u depends on the mean of f that was taken out; o, and d = u + sigma o, do not.
	direction := func(a *face) []float64 {
		d := append([]float64(nil), a.u...)
		simd.Axpy(-sum(d)/sum(a.o), a.o, d)
		return d
	}
	whole := direction(a)
	var ones, d []float64
	for _, i := range small.variables {
		ones, d = append(ones, a.o[i]), append(d, whole[i])
	}
	closeTo(t, "inverse times ones", ones, small.o, 1e-8)
	closeTo(t, "direction", d, direction(small), 1e-8)
}
