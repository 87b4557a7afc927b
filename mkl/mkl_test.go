package mkl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/matrices"
)

// randomKernel returns an n x n kernel matrix of the given rank in which classes differ by shift.
func randomKernel(rng *rand.Rand, labels []float64, rank int, shift float64) [][]float64 {
	n := len(labels)
	x := make([][]float64, n)
	for i := range x {
		for range rank {
			x[i] = append(x[i], rng.NormFloat64()+shift*labels[i])
		}
	}
	k := make([][]float64, n)
	for i := range k {
		for j := range n {
			k[i] = append(k[i], dot(x[i], x[j]))
		}
	}
	return k
}

func randomLabels(rng *rand.Rand, n int) []float64 {
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = 1
		if rng.IntN(3) == 0 {
			labels[i] = -1
		}
	}
	labels[0], labels[1] = 1, -1
	return labels
}

// excess returns objective and duality gap at gamma by the definition, and what is wrong with gamma.
func excess(kernels [][][]float64, labels, gamma []float64, factor, ridge float64) (value, gap float64, err error) {
	sums := map[float64]float64{}
	least := map[float64]float64{1: math.Inf(1), -1: math.Inf(1)}
	for i, y := range labels {
		if gamma[i] < 0 {
			return 0, 0, fmt.Errorf("gamma[%d] = %g", i, gamma[i])
		}
		sums[y] += gamma[i]
		slope := ridge * gamma[i]
		for _, k := range kernels {
			for j, v := range k[i] {
				slope += factor * y * labels[j] * v * gamma[j]
			}
		}
		value += gamma[i] * slope
		least[y] = min(least[y], slope)
	}
	if math.Abs(sums[1]-1) > 1e-12 || math.Abs(sums[-1]-1) > 1e-12 {
		return 0, 0, fmt.Errorf("gamma sums to %v", sums)
	}
	return value, 2 * (value - least[1] - least[-1]), nil
}

// Convexity makes the gap a certificate: no other gamma has an objective lower by more.
func TestSolutionsAreOptimal(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(60)
		labels := randomLabels(rng, n)
		var kernels [][][]float64
		for range 1 + rng.IntN(4) {
			kernels = append(kernels, randomKernel(rng, labels, 1+rng.IntN(2*n), rng.Float64()))
		}
		f := matrices.Of(kernels...)
		for _, lambda := range []float64{0, 1e-3, 0.1, 0.9, 1} {
			s, err := Solve(ctx, f, labels, Options{Lambda: lambda, Norm: SumOne, Tolerance: 1e-9})
			if errors.Is(err, ErrInseparable) && lambda == 0 {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, lambda %g: %v", seed, lambda, err)
			}
			value, gap, err := excess(kernels, labels, s.Gamma, 1-lambda, lambda)
			if err != nil || gap > 1e-8*value || math.Abs(value-s.Objective) > 1e-9*value {
				t.Errorf("seed %d, %d objects, lambda %g: objective %g, reported %g, gap %g, error %v",
					seed, n, lambda, value, s.Objective, gap, err)
			}
		}
	}
}

// At lambda 1 the kernels do not matter to gamma: the centres of the classes are nearest.
func TestFullRegularisationTakesTheCentres(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	labels := []float64{1, -1, 1, 1, -1}
	f := matrices.Of(randomKernel(rng, labels, 3, 1))
	s, err := Solve(context.Background(), f, labels, Options{Lambda: 1, Norm: SumOne, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "gamma", s.Gamma, []float64{1. / 3, 1. / 2, 1. / 3, 1. / 3, 1. / 2})
}

func TestWeightsFollowTheKernels(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 1))
	labels := randomLabels(rng, 30)
	good, poor := randomKernel(rng, labels, 6, 2), randomKernel(rng, labels, 6, 0)
	zero := randomKernel(rng, labels, 0, 0)
	for _, opt := range []Options{
		{Lambda: 0.5, Norm: SumOne, Tolerance: 1e-9},
		{Lambda: 0.5, Norm: L2One, Tolerance: 1e-9},
		{Lambda: 0.5, Norm: SumOne, Tolerance: 1e-9, Scale: true},
	} {
		s, err := Solve(ctx, matrices.Of(good, poor, zero, good), labels, opt)
		if err != nil {
			t.Fatal(err)
		}
		w := s.Weights
		if w[0] != w[3] || w[0] < 5*w[1] || w[2] != 0 {
			t.Errorf("%+v: weights %v of a good, a poor, no kernel, the good one", opt, w)
		}
		sum, squares := 0.0, 0.0
		for _, v := range w {
			sum += v
			squares += v * v
		}
		if got := map[Norm]float64{SumOne: sum, L2One: squares}[opt.Norm]; math.Abs(got-1) > 1e-12 {
			t.Errorf("%+v: the norm of the weights is %g", opt, got)
		}
	}
}

// Neither the order of the objects nor swapping the classes changes the weights, and scaled kernels may come
// in any unit.
func TestWeightsDoNotDependOnOrderSignAndUnit(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 1))
	n := 25
	labels := randomLabels(rng, n)
	kernels := [][][]float64{randomKernel(rng, labels, 4, 1), randomKernel(rng, labels, 30, 0.5)}
	solve := func(kernels [][][]float64, labels []float64, scale bool) []float64 {
		opt := Options{Lambda: 0.2, Norm: SumOne, Tolerance: 1e-12, Scale: scale}
		s, err := Solve(ctx, matrices.Of(kernels...), labels, opt)
		if err != nil {
			t.Fatal(err)
		}
		return s.Weights
	}
	order := rng.Perm(n)
	shuffled := make([][][]float64, len(kernels))
	shuffledLabels, swapped := make([]float64, n), make([]float64, n)
	larger := make([][][]float64, len(kernels))
	for i, o := range order {
		shuffledLabels[i], swapped[i] = labels[o], -labels[i]
		for m, k := range kernels {
			row, scaled := make([]float64, n), make([]float64, n)
			for j, p := range order {
				row[j], scaled[j] = k[o][p], float64(10*m+3)*k[i][j]
			}
			shuffled[m], larger[m] = append(shuffled[m], row), append(larger[m], scaled)
		}
	}
	want := solve(kernels, labels, false)
	near(t, "weights in another order", solve(shuffled, shuffledLabels, false), want)
	near(t, "weights of swapped classes", solve(kernels, swapped, false), want)
	near(t, "weights in another unit", solve(larger, labels, true), solve(kernels, labels, true))
}

func TestMistakesAreNamed(t *testing.T) {
	ctx := context.Background()
	labels := []float64{1, -1, 1}
	k := randomKernel(rand.New(rand.NewPCG(1, 1)), labels, 3, 1)
	f := matrices.Of(k)
	good := DefaultOptions()
	solve := func(labels []float64, change func(*Options)) error {
		opt := good
		if change != nil {
			change(&opt)
		}
		_, err := Solve(ctx, f, labels, opt)
		return err
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, stopped := Solve(cancelled, f, labels, good)
	_, inseparable := Solve(ctx, matrices.Of([][]float64{{1, 1}, {1, 1}}), []float64{1, -1}, good)
	for want, err := range map[string]error{
		"2 labels for 3 objects":        solve([]float64{1, -1}, nil),
		"the label 0":                   solve([]float64{1, 0, -1}, nil),
		"3 objects of the class +1":     solve([]float64{1, 1, 1}, nil),
		"lambda 2":                      solve(labels, func(o *Options) { o.Lambda = 2 }),
		"lambda NaN":                    solve(labels, func(o *Options) { o.Lambda = math.NaN() }),
		`norm "max"`:                    solve(labels, func(o *Options) { o.Norm = "max" }),
		"tolerance -1":                  solve(labels, func(o *Options) { o.Tolerance = -1 }),
		"context canceled":              stopped,
		"do not tell the classes apart": inseparable,
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
}
