package simd

import (
	"math"
	"slices"
	"testing"
)

// expTolerance is the relative error that the documentation of Exp promises.
func expTolerance[T Float]() float64 {
	if epsilon[T]() == 0x1p-23 {
		return 3e-7
	}
	return 5e-16
}

// smallestNormal is the number below which results may be flushed to 0.
func smallestNormal[T Float]() float64 {
	if epsilon[T]() == 0x1p-23 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// expNear fails unless got is the exponential of x within the documented error.
func expNear[T Float](t *testing.T, i int, got, x T) {
	t.Helper()
	want := math.Exp(float64(x))
	if math.IsInf(float64(T(want)), 1) {
		want = math.Inf(1)
	}
	tolerance := expTolerance[T]() * want
	if want < 2*smallestNormal[T]() {
		tolerance = smallestNormal[T]()
	}
	near(t, i, got, want, tolerance)
}

func TestExpIsAccurateOverItsWholeRange(t *testing.T) {
	t.Run("float32", testExpAccuracy[float32])
	t.Run("float64", testExpAccuracy[float64])
}

func testExpAccuracy[T Float](t *testing.T) {
	low, high := -800.0, 710.0
	if epsilon[T]() == 0x1p-23 {
		low, high = -120, 90
	}
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		for _, span := range [][2]float64{{low, high}, {-50, 0}, {-1, 1}, {-1e-3, 1e-3}, {high - 2, high}} {
			const n = 50_000
			x := random[T](rng, n, span[0], span[1]).x
			got := make([]T, n)
			exp(lv, got, x, 1, 0)
			for i := range x {
				expNear(t, i, got[i], x[i])
			}
		}
	})
}

func TestExpAtSpecialValues(t *testing.T) {
	t.Run("float32", testExpSpecial[float32])
	t.Run("float64", testExpSpecial[float64])
}

func testExpSpecial[T Float](t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	var x, want []T
	for _, p := range [][2]float64{
		{0, 1}, {math.Copysign(0, -1), 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {-nan, nan},
		{1e30, inf}, {-1e30, 0}, {800, inf}, {-800, 0}, {2e9, inf}, {-2e9, 0}, {1e-40, 1},
	} {
		x, want = append(x, T(p[0])), append(want, T(p[1]))
	}
	// A NaN whose payload could be mistaken for a number.
	if epsilon[T]() == 0x1p-23 {
		x = append(x, T(math.Float32frombits(0x7fc00fff)))
	} else {
		x = append(x, T(math.Float64frombits(0x7ff8000000000fff)))
	}
	want = append(want, T(nan))
	eachLevel(t, func(t *testing.T, lv level) {
		for shift := range 40 { // every special value in every lane and in the tail
			src := make([]T, len(x)+shift)
			copy(src[shift:], x)
			dst := make([]T, len(src))
			exp(lv, dst, src, 1, 0)
			for i, w := range want {
				near(t, i, dst[shift+i], float64(w), 0)
			}
		}
	})
}

func TestExpOfAnAffineFunction(t *testing.T) {
	t.Run("float32", testExpAffine[float32])
	t.Run("float64", testExpAffine[float64])
}

// The argument is rounded at most twice, each time by half a spacing of at most 64.
func testExpAffine[T Float](t *testing.T) {
	const factor, shift = 5.25, -4.75
	tolerance := expTolerance[T]() + 64*epsilon[T]()
	eachSize(t, func(t *testing.T, lv level, n int) {
		src, dst := random[T](newRand(n), n, -8, 2), guard[T](n)
		exp(lv, dst.x, src.x, factor, shift)
		dst.check(t)
		for i, v := range src.x {
			want := math.Exp(factor*float64(v) + shift)
			near(t, i, dst.x[i], want, tolerance*want)
		}
		exp(lv, src.x, src.x, factor, shift)
		if !slices.Equal(src.x, dst.x) {
			t.Fatal("in place differs")
		}
		src.check(t)
	})
}

func TestPathStepsAddExponentiateAndPool(t *testing.T) {
	t.Run("float32", testPathSteps[float32])
	t.Run("float64", testPathSteps[float64])
}

func testPathSteps[T Float](t *testing.T) {
	const factor, shift = 2, -6
	steps := map[string]struct {
		run  func(lv level, acc, next, prefix, s []T)
		want func(acc, e T) T
	}{
		"sum": {
			func(lv level, acc, next, prefix, s []T) { pathStepSum(lv, acc, next, prefix, s, factor, shift) },
			func(acc, e T) T { return acc + e },
		},
		"max": {
			func(lv level, acc, next, prefix, s []T) { pathStepMax(lv, acc, next, prefix, s, factor, shift) },
			func(acc, e T) T { return max(acc, e) },
		},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			eachSize(t, func(t *testing.T, lv level, n int) {
				rng := newRand(n)
				acc, prefix, s := random[T](rng, n, 0, 0.1), random[T](rng, n, -3, 3), random[T](rng, n, -1, 1)
				next, before := guard[T](n), slices.Clone(acc.x)
				step.run(lv, acc.x, next.x, prefix.x, s.x)
				for _, g := range []guarded[T]{acc, next, prefix, s} {
					g.check(t)
				}
				e := make([]T, n)
				exp(lv, e, next.x, factor, shift)
				for i := range n {
					near(t, i, next.x[i], float64(prefix.x[i]+s.x[i]), 0)
					near(t, i, acc.x[i], float64(step.want(before[i], e[i])), 0)
				}
				copy(acc.x, before)
				step.run(lv, acc.x, prefix.x, prefix.x, s.x)
				if !slices.Equal(prefix.x, next.x) {
					t.Fatal("next in the place of prefix differs")
				}
			})
		})
	}
}

func TestPathGradSteps(t *testing.T) {
	t.Run("float32", testPathGradSteps[float32])
	t.Run("float64", testPathGradSteps[float64])
}

func testPathGradSteps[T Float](t *testing.T) {
	const factor, shift = 2, -6
	eachSize(t, func(t *testing.T, lv level, n int) {
		rng := newRand(n)
		prefix, s, weight := random[T](rng, n, -3, 3), random[T](rng, n, -1, 1), random[T](rng, n, -1, 1)
		acc, dst, parent := random[T](rng, n, 0, 0.1), random[T](rng, n, -1, 1), random[T](rng, n, -1, 1)
		next, sum := guard[T](n), guard[T](n)
		pooled, scores, above := slices.Clone(acc.x), slices.Clone(dst.x), slices.Clone(parent.x)
		pathGradStep(lv, acc.x, next.x, sum.x, prefix.x, s.x, weight.x, factor, shift)
		e := make([]T, n)
		exp(lv, e, next.x, factor, shift)
		for i := range n {
			near(t, i, next.x[i], float64(prefix.x[i]+s.x[i]), 0)
			near(t, i, acc.x[i], float64(pooled[i]+e[i]), 0)
			near(t, i, sum.x[i], float64(weight.x[i]*e[i]), 0)
		}
		copy(acc.x, pooled)
		pathGradLeaf(lv, acc.x, dst.x, parent.x, prefix.x, s.x, weight.x, factor, shift)
		for i := range n {
			near(t, i, acc.x[i], float64(pooled[i]+e[i]), 0)
			near(t, i, dst.x[i], float64(scores[i]+sum.x[i]), 0)
			near(t, i, parent.x[i], float64(above[i]+sum.x[i]), 0)
		}
		copy(dst.x, scores)
		copy(parent.x, above)
		addToBoth(lv, dst.x, parent.x, sum.x)
		for i := range n {
			near(t, i, dst.x[i], float64(scores[i]+sum.x[i]), 0)
			near(t, i, parent.x[i], float64(above[i]+sum.x[i]), 0)
		}
		for _, g := range []guarded[T]{prefix, s, weight, acc, dst, parent, next, sum} {
			g.check(t)
		}
	})
}

func TestPathStepMaxPassesOverNaN(t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		acc, prefix := []float32{1, 2, 0.25}, []float32{float32(math.NaN()), 0, 0}
		pathStepMax(lv, acc, make([]float32, 3), prefix, make([]float32, 3), 1, 0)
		if want := []float32{1, 2, 1}; !slices.Equal(acc, want) {
			t.Fatalf("got %v, want %v", acc, want)
		}
	})
}
