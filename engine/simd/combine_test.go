package simd

import (
	"math"
	"slices"
	"testing"
)

func testCombine[T Float](t *testing.T) {
	eachSize(t, func(t *testing.T, lv level, n int) {
		if n == 0 {
			return
		}
		const matrixRows = 7
		for _, rows := range []int{1, 2, 40} {
			rng := newRand(n)
			x, y := random[T](rng, matrixRows*n, -2, 2), guard[T](n)
			index, factor := make([]int32, rows), make([]float64, rows)
			for k := range index {
				index[k], factor[k] = int32(rng.IntN(matrixRows)), rng.NormFloat64()
			}
			before := slices.Clone(x.whole)
			combine(lv, y.x, index, factor, x.x)
			y.check(t)
			if !slices.Equal(x.whole, before) {
				t.Fatal("the input was overwritten")
			}
			for i := range n {
				want, size := 0.0, 0.0
				for k, r := range index {
					term := float64(T(factor[k])) * float64(x.x[int(r)*n+i])
					want, size = want+term, size+math.Abs(term)
				}
				near(t, i, y.x[i], want, float64(rows)*size*epsilon[T]())
			}
		}
	})
}

func TestCombineAddsMultiplesOfRows(t *testing.T) {
	t.Run("float32", testCombine[float32])
	t.Run("float64", testCombine[float64])
}

func TestCombineWantsRowsOfTheMatrix(t *testing.T) {
	x, y := make([]float32, 12), []float32{1, 2, 3}
	Combine(y, nil, nil, x)
	if !slices.Equal(y, []float32{0, 0, 0}) {
		t.Errorf("the sum of no rows is %v", y)
	}
	Combine([]float32{}, []int32{9}, []float64{1}, x)
	for _, bad := range []func(){
		func() { Combine(y, []int32{4}, []float64{1}, x) },
		func() { Combine(y, []int32{-1}, []float64{1}, x) },
		func() { Combine(y, []int32{0, 1}, []float64{1}, x) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}
