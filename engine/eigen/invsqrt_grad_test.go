package eigen

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/simd"
)

var rules = []Rule{AfterRoot, InsideRoot}

// invSqrtGrad is the gradient through InvSqrt at a matrix.
func invSqrtGrad(t *testing.T, n int, g, k []float64, eps float64, rule Rule) []float64 {
	t.Helper()
	values, vectors, err := Symmetric(1, n, k, max(n, 1))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, n*n)
	if err := InvSqrtGrad(1, n, got, g, values, vectors, eps, rule); err != nil {
		t.Fatal(err)
	}
	return got
}

// slopeAlong returns the derivative at t = 0 of sum_ij G_ij InvSqrt(K(t))_ij by central differences of
// second and fourth order together.
func slopeAlong(
	t *testing.T, n int, g []float64, eps float64, rule Rule, step float64, k func(t float64) []float64,
) float64 {
	t.Helper()
	at := func(x float64) float64 {
		root := make([]float64, n*n)
		if _, _, err := InvSqrt(1, n, root, k(x), eps, rule); err != nil {
			t.Fatal(err)
		}
		return simd.Dot(g, root)
	}
	return (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
}

func randomMatrix(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), seed))
	g := make([]float64, n*n)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	return g
}

func plus(k []float64, x float64, change []float64) []float64 {
	k = slices.Clone(k)
	simd.Axpy(x, change, k)
	return k
}

func TestInvSqrtGradAgainstCentralDifferences(t *testing.T) {
	families := map[string]func(i, n int) float64{
		"spread":            func(i, n int) float64 { return 0.3 + float64(i)/float64(n) },
		"repeated":          func(i, n int) float64 { return 0.5 + float64(i%3) },
		"all the same":      func(i, n int) float64 { return 2 },
		"nearly repeated":   func(i, n int) float64 { return 1 + 1e-13*float64(i%3) + float64(i%2) },
		"with negative":     func(i, n int) float64 { return []float64{1, -0.4, 2, -0.7}[i%4] + 0.1*float64(i)/float64(n) },
		"negative repeated": func(i, n int) float64 { return []float64{1, -0.4}[i%2] },
	}
	for name, eigenvalue := range families {
		for _, n := range []int{1, 2, 5, 24, 70} {
			for _, rule := range rules {
				t.Run(fmt.Sprintf("%s/%d/rule %d", name, n, rule), func(t *testing.T) {
					values := make([]float64, n)
					for i := range values {
						values[i] = eigenvalue(i, n)
					}
					k, g := withEigenvalues(values), randomMatrix(n, 3)
					got := invSqrtGrad(t, n, g, k, 0.1, rule)
					for seed := range uint64(3) {
						change := randomMatrix(n, 10+seed)
						mirror(n, change)
						norm := math.Sqrt(simd.Dot(change, change))
						want := slopeAlong(t, n, g, 0.1, rule, 3e-3/norm, func(x float64) []float64 { return plus(k, x, change) })
						// The change is random, so the slope along it is of the order of the gradient times its norm
						// over n, and may be smaller by chance.
						scale := max(math.Abs(want), math.Sqrt(simd.Dot(got, got))*norm/float64(n))
						if d := math.Abs(simd.Dot(got, change) - want); !(d <= 1e-6*scale) {
							t.Errorf("slope %.12g, central differences %.12g", simd.Dot(got, change), want)
						}
					}
				})
			}
		}
	}
}

// A singular matrix stays positive semidefinite with the same null space dimension under a congruence
// (I + xM) K (I + xM)^T, along which the rule has a slope.
func TestInvSqrtGradOfSingularMatrix(t *testing.T) {
	for _, n := range []int{2, 9, 40} {
		for _, rule := range rules {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64((i + 1) % 3)
			}
			k, g, m := withEigenvalues(values), randomMatrix(n, 3), randomMatrix(n, 4)
			simd.Scale(1/math.Sqrt(simd.Dot(m, m)), m)
			congruent := func(x float64) []float64 {
				left, half, whole := identity(n), make([]float64, n*n), make([]float64, n*n)
				simd.Axpy(x, m, left)
				simd.Gemm(1, false, false, n, n, n, 1, left, n, k, n, 0, half, n)
				simd.Gemm(1, false, true, n, n, n, 1, half, n, left, n, 0, whole, n)
				mirror(n, whole)
				return whole
			}
			got := invSqrtGrad(t, n, g, k, 0.1, rule)
			change := make([]float64, n*n) // M K + K M^T
			simd.Gemm(1, false, false, n, n, n, 1, m, n, k, n, 0, change, n)
			simd.Gemm(1, false, true, n, n, n, 1, k, n, m, n, 1, change, n)
			slope := simd.Dot(got, change)
			want := slopeAlong(t, n, g, 0.1, rule, 3e-3, congruent)
			tolerance := 1e-6
			if rule == AfterRoot {
				// The rounding of zero eigenvalues, sqrt(1e-16)/step, is what limits the differences here.
				tolerance = 1e-4
			}
			if !(math.Abs(slope-want) <= tolerance*math.Sqrt(simd.Dot(g, g))*10) {
				t.Errorf("order %d rule %d: slope %.12g, central differences %.12g", n, rule, slope, want)
			}
		}
	}
}

// The published gradient is the true one of 1/sqrt at (sqrt(K) + eps)^2, for any eigenvalues.
func TestPublishedGradient(t *testing.T) {
	const n, eps = 24, 0.1
	values, shifted := make([]float64, n), make([]float64, n)
	for i := range values {
		values[i] = float64((i+1)%3) / 4
		shifted[i] = math.Pow(math.Sqrt(values[i])+eps, 2)
	}
	g := randomMatrix(n, 3)
	got := invSqrtGrad(t, n, g, withEigenvalues(values), eps, Published)
	want := invSqrtGrad(t, n, g, withEigenvalues(shifted), 0, AfterRoot)
	// Zero eigenvalues are known to 1e-16, their roots to 1e-8.
	if d := largestDifference(got, want); !(d <= 1e-6*largestAbs(want)) {
		t.Errorf("gradients differ by %.3g of the largest entry", d/largestAbs(want))
	}
}

func TestInvSqrtGradIsSymmetricAndWorksInPlace(t *testing.T) {
	for _, n := range []int{0, 1, 3, 33, 150} {
		k, g := duplicatedGram(n, max(n, 1)), randomMatrix(n, 5)
		got := invSqrtGrad(t, n, g, k, 0.01, AfterRoot)
		for i := range n {
			for j := range i {
				if got[i*n+j] != got[j*n+i] {
					t.Fatalf("entries (%d, %d) and (%d, %d) differ", i, j, j, i)
				}
			}
		}
		values, vectors, err := Symmetric(8, n, k, max(n, 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := InvSqrtGrad(8, n, g, g, values, vectors, 0.01, AfterRoot); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g, got) {
			t.Errorf("order %d: in place and with 8 workers the result has other bits", n)
		}
	}
}

func TestInvSqrtGradRefuses(t *testing.T) {
	for _, rule := range []Rule{AfterRoot, InsideRoot, Published} {
		if err := InvSqrtGrad(1, 2, make([]float64, 4), make([]float64, 4), []float64{0, 1}, identity(2), 0,
			rule); !errors.Is(err, ErrNotFinite) {
			t.Errorf("singular matrix with eps = 0: error %v", err)
		}
	}
	if err := InvSqrtGrad(1, 1, make([]float64, 1), []float64{1}, []float64{1}, []float64{1}, -1, AfterRoot); err == nil {
		t.Error("a negative eps is no error")
	}
}
