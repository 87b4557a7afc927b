package engine

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTotalAddsEveryNumberOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 41))
	for _, n := range []int{0, 1, 2, 31, 32, 33, 255, 256, 257, 1000} {
		whole, real, want, near := make([]float64, n), make([]float64, n), 0.0, 0.0
		for i := range n {
			whole[i], real[i] = float64(r.IntN(1000)), r.NormFloat64()
			want += whole[i]
			near += real[i]
		}
		if got := Total(n, func(i int) float64 { return whole[i] }); got != want {
			t.Errorf("%d whole numbers: %g, want %g", n, got, want)
		}
		if got := Total(n, func(i int) float64 { return real[i] }); math.Abs(got-near) > 1e-12*float64(n) {
			t.Errorf("%d numbers: %g, want %g", n, got, near)
		}
	}
}

// Targets lie on a grid on which all sums are exact, next to the values less their mean.
func TestTargetsLieOnAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 41))
	for range 100 {
		of := TreeTargets{}
		sum, size := 0.0, math.Exp(20*r.NormFloat64())
		for range 1 + r.IntN(600) {
			of.Values, of.Weights = append(of.Values, size*(3+r.NormFloat64())), append(of.Weights, float64(1+r.IntN(3)))
			sum += of.Values[len(of.Values)-1]
		}
		of.Centre()
		n, unit := float64(len(of.Values)), of.Unit()
		if len(of.Values) > 1 && unit == 0 {
			t.Fatalf("no grid for %g values of size %g", n, size)
		}
		for i, x := range of.Targets {
			if unit > 0 && math.Mod(x, unit) != 0 {
				t.Fatalf("target %g is no multiple of %g", x, unit)
			}
			if want := of.Weights[i] * (of.Values[i] - sum/n); math.Abs(x-want) > 1e-12*n*size {
				t.Fatalf("target %g, want %g", x, want)
			}
		}
	}
}

// What is known of a node is what follows from its values one by one.
func TestSumsOfANode(t *testing.T) {
	of := TreeTargets{Values: []float64{0.5, -0.25, 0.5, 0.75}, Weights: []float64{1, 2, 1, 1}}
	of.Centre()
	all, same := of.Sums([]int32{0, 1, 2, 3}), of.Sums([]int32{0, 2})
	if all.Count != 4 || all.Weight != 5 || !all.Mixed || all.Sum != 1.25 || all.Curvature != 0.25+0.1875+0.25+0.1875 {
		t.Errorf("all: %+v", all)
	}
	// Targets are the values less 0.375, times the weight.
	if math.Abs(all.Centre+0.125) > 1e-12 || math.Abs(all.Impurity-0.875) > 1e-12 {
		t.Errorf("all: %+v, want the centre -0.125 and the impurity 0.875", all)
	}
	if same.Mixed || same.Impurity != 0 || same.Sum != 1 {
		t.Errorf("equal values: %+v", same)
	}
	classes := TreeTargets{Weights: []float64{1, 2, 4}, Classes: []int32{2, 0, 2}, Number: 3}
	if s := classes.Sums([]int32{0, 1, 2}); s.Classes[0] != 2 || s.Classes[1] != 0 || s.Classes[2] != 5 || !s.Mixed {
		t.Errorf("classes: %+v", s)
	}
	if s := classes.Sums([]int32{0, 2}); s.Mixed || s.Weight != 5 {
		t.Errorf("one class: %+v", s)
	}
}
