package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sizes of vectors: empty, around every vector width and multiple of it, and long odd ones.
var sizes = []int{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1025}

// eachLevel runs a test once for every level that this machine supports.
func eachLevel(t *testing.T, test func(t *testing.T, lv level)) {
	for lv := portable; lv <= supported(); lv++ {
		t.Run(lv.String(), func(t *testing.T) { test(t, lv) })
	}
}

// eachSize runs a test for every level and size.
func eachSize(t *testing.T, test func(t *testing.T, lv level, n int)) {
	eachLevel(t, func(t *testing.T, lv level) {
		for _, n := range sizes {
			t.Run(fmt.Sprint(n), func(t *testing.T) { test(t, lv, n) })
		}
	})
}

// guarded is a slice between guard words, which no kernel may touch.
type guarded[T Float] struct{ whole, x []T }

const (
	guardWords = 37 // odd, so that slices are not aligned
	guardValue = 12345.5
)

func guard[T Float](n int) guarded[T] {
	whole := make([]T, n+2*guardWords)
	for i := range whole {
		whole[i] = guardValue
	}
	return guarded[T]{whole, whole[guardWords : guardWords+n : guardWords+n]}
}

func (g guarded[T]) check(t *testing.T) {
	t.Helper()
	for i := range guardWords {
		if g.whole[i] != guardValue {
			t.Fatalf("word %d before the slice was overwritten", guardWords-i)
		}
		if g.whole[len(g.whole)-guardWords+i] != guardValue {
			t.Fatalf("word %d after the slice was overwritten", i)
		}
	}
}

// random returns a guarded slice of numbers uniform in [low, high).
func random[T Float](rng *rand.Rand, n int, low, high float64) guarded[T] {
	g := guard[T](n)
	for i := range g.x {
		g.x[i] = T(low + (high-low)*rng.Float64())
	}
	return g
}

// newRand returns the generator of a test, the same in every run.
func newRand(stream int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(stream))) }

// epsilon is the spacing of the numbers after 1.
func epsilon[T Float]() float64 {
	if T(1)+T(1e-10) == 1 {
		return 0x1p-23
	}
	return 0x1p-52
}

// near fails unless got is within tolerance of want; infinities and NaN must agree.
func near[T Float](t *testing.T, i int, got T, want, tolerance float64) {
	t.Helper()
	g := float64(got)
	if g == want || math.IsNaN(g) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(g-want) <= tolerance) {
		t.Fatalf("element %d is %v, want %v within %.3g", i, got, want, tolerance)
	}
}
