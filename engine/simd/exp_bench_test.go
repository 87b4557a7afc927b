package simd

import (
	"fmt"
	"testing"
)

// BenchmarkPathStepSum reports millions of vectors of filters a second, on one core, at every level.
func BenchmarkPathStepSum(b *testing.B) {
	for _, filters := range []int{16, 32, 100, 128, 1024} {
		b.Run(fmt.Sprint(filters), func(b *testing.B) {
			b.Run("float32", func(b *testing.B) { benchmarkPathStepSum[float32](b, filters) })
			b.Run("float64", func(b *testing.B) { benchmarkPathStepSum[float64](b, filters) })
		})
	}
}

func benchmarkPathStepSum[T Float](b *testing.B, filters int) {
	rng := newRand(0)
	acc, next := make([]T, filters), make([]T, filters)
	prefix, s := random[T](rng, filters, 0, 1).x, random[T](rng, filters, 0, 1).x
	for lv := portable; lv <= supported(); lv++ {
		b.Run(lv.String(), func(b *testing.B) {
			for b.Loop() {
				pathStepSum(lv, acc, next, prefix, s, 4, -8)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvectors/s")
		})
	}
}
