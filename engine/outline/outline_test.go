package outline_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/outline"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/internal/spantest"
)

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// No inner product is above its bound; near a small span the bound is close to it.
func TestOutlinesBoundInnerProducts(t *testing.T) {
	for _, falls := range []float64{0, 0.5, 1, 2, 4} {
		x := spantest.Unit(700, 520, falls, 0, rand.New(rand.NewPCG(1, 2)))
		gap := check(t, x, 700, 520, 1e-14, func(x, y []float64) float64 { return simd.Dot(x, y) })
		single := check(t, narrow(x), 700, 520, 1e-14, func(x, y []float32) float64 { return simd.DotWide(x, y) })
		t.Logf("falling by %g: bounds are %.2g above", falls, gap)
		if most := map[float64]float64{2: 5e-3, 4: 1e-5}[falls]; most > 0 && (gap > most || single > most) {
			t.Errorf("falling by %g: bounds are %g and %g above on the mean, want at most %g", falls, gap, single, most)
		}
	}
}

// check returns by how much bounds are above inner products on the mean.
func check[T simd.Float](t *testing.T, x []T, n, d int, rounding float64, exact func(x, y []T) float64) float64 {
	t.Helper()
	b := outline.New(1, x, n, d)
	if b == nil {
		t.Fatal("no basis")
	}
	o := b.Of(1, x, n)
	sum := 0.0
	for i := range n {
		for j := range n {
			product := exact(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
			bound := float64(simd.Dot(o[i*outline.Width:(i+1)*outline.Width], o[j*outline.Width:(j+1)*outline.Width])) +
				b.Allowance()
			if product > bound+rounding {
				t.Fatalf("vectors %d and %d: product %.17g, bound %.17g", i, j, product, bound)
			}
			sum += bound - product
		}
	}
	return sum / float64(n*n)
}

// Vectors of other length than 1, that the span was not taken from, are bounded too.
func TestOutlinesOfOtherVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := narrow(spantest.Unit(600, 512, 2, 0, rng))
	b := outline.New(1, x, 600, 512)
	y := narrow(spantest.Unit(50, 512, 0, 0, rng))
	for i := range y[:25*512] {
		y[i] *= float32(i/512) / 25
	}
	o, other := b.Of(1, x, 600), b.Of(1, y, 50)
	for i := range 600 {
		for j := range 50 {
			product := simd.DotWide(x[i*512:(i+1)*512], y[j*512:(j+1)*512])
			bound := float64(simd.Dot(o[i*outline.Width:(i+1)*outline.Width], other[j*outline.Width:(j+1)*outline.Width]))
			if product > bound+b.Allowance() {
				t.Fatalf("vectors %d and %d: product %g, bound %g", i, j, product, bound)
			}
		}
	}
}

// Few distinct vectors span less than an outline has room for.
func TestOutlinesOfASmallSpan(t *testing.T) {
	distinct := spantest.Unit(3, 512, 0, 0, rand.New(rand.NewPCG(5, 6)))
	x := slices.Repeat(distinct, 200)
	if gap := check(t, x, 600, 512, 1e-14, func(x, y []float64) float64 { return simd.Dot(x, y) }); gap > 1e-5 {
		t.Errorf("bounds are %g above", gap)
	}
	if b := outline.New(1, make([]float64, 600*512), 600, 512); b != nil {
		t.Error("zero vectors have a span")
	}
}

func TestSameOutlinesForAnyNumberOfWorkers(t *testing.T) {
	x := narrow(spantest.Unit(3000, 512, 1, 0, rand.New(rand.NewPCG(7, 8))))
	want := outline.New(1, x, 3000, 512).Of(1, x, 3000)
	if got := outline.New(3, x, 3000, 512).Of(3, x, 3000); !slices.Equal(got, want) {
		t.Error("three workers give other bits")
	}
}

func TestNoOutlinesWhereTheyAreNotWorthIt(t *testing.T) {
	x := narrow(spantest.Unit(600, 600, 1, 0, rand.New(rand.NewPCG(9, 10))))
	if outline.New(1, x[:600*511], 600, 511) != nil || outline.New(1, x, 500, 600) != nil {
		t.Error("outlines of short vectors, or of few")
	}
}
