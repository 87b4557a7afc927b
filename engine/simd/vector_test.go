package simd

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestVectorKernelsAgreeWithTheirFormulas(t *testing.T) {
	t.Run("float32", testVectorKernels[float32])
	t.Run("float64", testVectorKernels[float64])
}

// Every element is the result of at most two rounded operations on numbers below 2, so it is within
// two spacings of 4 of the exact value.
func testVectorKernels[T Float](t *testing.T) {
	tolerance := 4 * epsilon[T]()
	const a = 0.7
	kernels := map[string]struct {
		run  func(lv level, dst, x, y []T)
		want func(dst, x, y float64) float64
	}{
		"axpy": {
			func(lv level, dst, x, _ []T) { axpy(lv, a, x, dst) },
			func(dst, x, _ float64) float64 { return dst + float64(T(a))*x },
		},
		"add": {
			func(lv level, dst, x, y []T) { add(lv, dst, x, y) },
			func(_, x, y float64) float64 { return x + y },
		},
		"add in place": {
			func(lv level, dst, x, _ []T) { add(lv, dst, dst, x) },
			func(dst, x, _ float64) float64 { return dst + x },
		},
		"mul": {
			func(lv level, dst, x, y []T) { mul(lv, dst, x, y) },
			func(_, x, y float64) float64 { return x * y },
		},
		"mul in place": {
			func(lv level, dst, x, _ []T) { mul(lv, dst, x, dst) },
			func(dst, x, _ float64) float64 { return x * dst },
		},
		"mulAdd": {
			func(lv level, dst, x, y []T) { mulAdd(lv, dst, x, y) },
			func(dst, x, y float64) float64 { return dst + x*y },
		},
		"scale": {
			func(lv level, dst, _, _ []T) { scale(lv, a, dst) },
			func(dst, _, _ float64) float64 { return float64(T(a)) * dst },
		},
		"maximum": {
			func(lv level, dst, x, _ []T) { maximum(lv, dst, x) },
			func(dst, x, _ float64) float64 { return math.Max(dst, x) },
		},
	}
	for name, kernel := range kernels {
		t.Run(name, func(t *testing.T) {
			eachSize(t, func(t *testing.T, lv level, n int) {
				rng := newRand(n)
				dst, x, y := random[T](rng, n, -2, 2), random[T](rng, n, -2, 2), random[T](rng, n, -2, 2)
				before, xBefore, yBefore := slices.Clone(dst.x), slices.Clone(x.whole), slices.Clone(y.whole)
				kernel.run(lv, dst.x, x.x, y.x)
				dst.check(t)
				if !slices.Equal(x.whole, xBefore) || !slices.Equal(y.whole, yBefore) {
					t.Fatal("an input was overwritten")
				}
				for i := range before {
					near(t, i, dst.x[i], kernel.want(float64(before[i]), float64(x.x[i]), float64(y.x[i])), tolerance)
				}
			})
		})
	}
}

// One rounding of a number below 4 in float64, whatever the level.
func TestAxpyWide(t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, n int) {
		rng := newRand(n)
		x, y := random[float32](rng, n, -2, 2), random[float64](rng, n, -2, 2)
		before, xBefore := slices.Clone(y.x), slices.Clone(x.whole)
		axpyWide(lv, 0.7, x.x, y.x)
		y.check(t)
		if !slices.Equal(x.whole, xBefore) {
			t.Fatal("the input was overwritten")
		}
		for i := range before {
			near(t, i, y.x[i], before[i]+0.7*float64(x.x[i]), 4*epsilon[float64]())
		}
	})
}

// Products on a grid add up without rounding: the order of the terms is free.
func TestDotWideIsExactOnAGrid(t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, n int) {
		rng := newRand(n)
		x, y := random[float32](rng, n, -1, 1), random[float32](rng, n, -1, 1)
		want := 0.0
		for i := range x.x {
			x.x[i] = float32(math.Round(0x1p20*float64(x.x[i]))) / 0x1p20
			y.x[i] = float32(math.Round(0x1p20*float64(y.x[i]))) / 0x1p20
			want += float64(x.x[i]) * float64(y.x[i])
		}
		if got := dotWide(lv, x.x, y.x); got != want {
			t.Errorf("the product is %v, want %v", got, want)
		}
	})
}

// Rotations act on the columns asked for alone, within a few roundings.
func TestRotate(t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, cols int) {
		for _, rows := range []int{2, 3, 17} {
			rng := newRand(cols)
			ld := cols + 3
			u := random[float64](rng, rows*ld, -1, 1)
			c, s := make([]float64, rows-1), make([]float64, rows-1)
			for i := range c {
				s[i], c[i] = math.Sincos(float64(i) + 0.3)
			}
			want := slices.Clone(u.x)
			portableRotate(want, ld, cols, c, s)
			before := slices.Clone(u.x)
			if cols > 0 {
				rotate(lv, u.x, ld, cols, c, s)
			}
			u.check(t)
			for i, w := range want {
				if i%ld >= cols {
					w = before[i]
				}
				near(t, i, u.x[i], w, 4*float64(rows)*epsilon[float64]())
			}
		}
	})
}

func TestDotIsTheInnerProduct(t *testing.T) {
	t.Run("float32", testDot[float32])
	t.Run("float64", testDot[float64])
}

// The error of any order of summation is below (n+1)/2 spacings of the sum of magnitudes.
func testDot[T Float](t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, n int) {
		rng := newRand(n)
		x, y := random[T](rng, n, -1, 1), random[T](rng, n, -1, 1)
		var want, magnitude float64
		for i := range n {
			p := float64(x.x[i]) * float64(y.x[i])
			want += p
			magnitude += math.Abs(p)
		}
		near(t, 0, dot(lv, x.x, y.x), want, float64(n+1)*epsilon[T]()*magnitude)
	})
}

func TestArgMaxFindsTheFirstMaximum(t *testing.T) {
	t.Run("float32", testArgMax[float32])
	t.Run("float64", testArgMax[float64])
}

func testArgMax[T Float](t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, n int) {
		if n == 0 {
			return
		}
		rng := newRand(n)
		x := random[T](rng, n, -1, 1).x
		for try := range 50 {
			want := rng.IntN(n)
			for i := range x {
				x[i] = min(x[i], 1)
			}
			x[want] = 2
			x[want+rng.IntN(n-want)] = 2
			if got := argMax(lv, x); got != want {
				t.Fatalf("try %d: maximum at %d, want %d", try, got, want)
			}
		}
		minusInf := T(math.Inf(-1))
		for i := range x {
			x[i] = minusInf
		}
		if got := argMax(lv, x); got != 0 {
			t.Fatalf("maximum of equal elements at %d, want 0", got)
		}
		for i := 1; i < n; i++ {
			x[i] = T(math.NaN())
		}
		if got := argMax(lv, x); got != 0 {
			t.Fatalf("maximum beside NaN at %d, want 0", got)
		}
		if n > 1 {
			x[n-1] = -5
			if got := argMax(lv, x); got != n-1 {
				t.Fatalf("maximum among NaN at %d, want %d", got, n-1)
			}
		}
		x[0] = T(math.NaN())
		if got := argMax(lv, x); got != 0 {
			t.Fatalf("maximum after a NaN at 0 is at %d, want 0", got)
		}
	})
}

func TestMaxPassesOverNaN(t *testing.T) {
	t.Run("float32", testMaxNaN[float32])
	t.Run("float64", testMaxNaN[float64])
}

func testMaxNaN[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		dst, x := make([]T, 37), make([]T, 37)
		for i := range x {
			dst[i], x[i] = 1, T(math.NaN())
		}
		maximum(lv, dst, x)
		for i, v := range dst {
			near(t, i, v, 1, 0)
		}
	})
}

func TestBitsDoNotDependOnAlignment(t *testing.T) {
	t.Run("float32", testAlignment[float32])
	t.Run("float64", testAlignment[float64])
}

func testAlignment[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		const n = 1000
		x, y := random[T](rng, n, -1, 1).x, random[T](rng, n, -1, 1).x
		want := dot(lv, x, y)
		for shift := range 20 {
			xs, ys := make([]T, n+shift)[shift:], make([]T, n+2*shift)[2*shift:]
			copy(xs, x)
			copy(ys, y)
			if got := dot(lv, xs, ys); got != want {
				t.Fatalf("shifted by %d elements: %v, want %v", shift, got, want)
			}
		}
	})
}

func TestShapesMustAgree(t *testing.T) {
	two, three := make([]float32, 2), make([]float32, 3)
	for name, call := range map[string]func(){
		"Dot":                           func() { Dot(two, three) },
		"Axpy":                          func() { Axpy(1, two, three) },
		"Add":                           func() { Add(two, three, two) },
		"Mul":                           func() { Mul(two, two, three) },
		"MulAdd":                        func() { MulAdd(three, three, two) },
		"Max":                           func() { Max(two, three) },
		"Exp":                           func() { Exp(two, three, 1, 0) },
		"PathStepSum":                   func() { PathStepSum(two, two, three, two, 1, 0) },
		"PathStepMax":                   func() { PathStepMax(two, two, two, three, 1, 0) },
		"ArgMax of nothing":             func() { ArgMax([]float64{}) },
		"Gemm with a short matrix":      func() { Gemm(1, false, false, 2, 2, 1, 1, two, 1, two, 2, 0, three, 2) },
		"Gemm with negative dimensions": func() { Gemm(1, false, false, -1, 2, 2, 1, three, 2, three, 2, 0, three, 2) },
		"Gemm with short rows of A":     func() { Gemm(1, false, false, 1, 1, 2, 1, two, 1, two, 1, 0, two, 1) },
		"Gemm with short rows of B":     func() { Gemm(1, true, true, 1, 1, 2, 1, two, 1, two, 1, 0, two, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Fatal("no panic")
				}
			}()
			call()
		})
	}
}

func TestExportedFunctionsRunAtTheActiveLevel(t *testing.T) {
	if Level() != active.String() || active > supported() {
		t.Fatalf("level %s, active %v, supported %v", Level(), active, supported())
	}
	rng := newRand(0)
	x, y := random[float32](rng, 100, -1, 1).x, random[float32](rng, 100, -1, 1).x
	if got, want := Dot(x, y), dot(active, x, y); got != want {
		t.Errorf("Dot is %v, want %v", got, want)
	}
	wantIndex := argMax(active, x)
	if index, value := ArgMax(x); index != wantIndex || value != x[index] {
		t.Errorf("ArgMax is %v at %d, want %v at %d", value, index, x[wantIndex], wantIndex)
	}
	got, want := slices.Clone(x), slices.Clone(x)
	Scale(2, got)
	scale(active, 2, want)
	Axpy(0.5, y, got)
	axpy(active, 0.5, y, want)
	Gemm(2, false, true, 10, 10, 10, 1, x, 10, y, 10, 0.5, got, 10)
	gemm(active, false, 2, false, true, 10, 10, 10, 1, x, 10, y, 10, 0.5, want, 10)
	if !slices.Equal(got, want) {
		t.Error("the exported functions differ from those of the active level")
	}
}

func TestLevelIsTheOneThatIsNamed(t *testing.T) {
	for _, test := range []struct {
		best    level
		name    string
		want    level
		refused string
	}{
		{avx512, "", avx512, ""},
		{avx512, "avx512", avx512, ""},
		{avx512, "avx2", avx2, ""},
		{avx512, "portable", portable, ""},
		{avx2, "avx512", avx2, "GROVE_SIMD=avx512: this machine supports avx2 and lower levels"},
		{portable, "avx512", portable, "GROVE_SIMD=avx512: this machine supports portable and lower levels"},
		{avx2, "sse9", avx2, "GROVE_SIMD=sse9: want portable, avx2, avx512"},
		{avx2, "AVX2", avx2, "GROVE_SIMD=AVX2: want portable, avx2, avx512"},
	} {
		got, err := chosen(test.best, test.name)
		if err == nil {
			err = errors.New("")
		}
		if got != test.want || err.Error() != test.refused {
			t.Errorf("best %v with %q is %v, want %v; error %q, want %q", test.best, test.name, got, test.want, err,
				test.refused)
		}
	}
}
