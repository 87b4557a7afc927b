package simd

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkGemm reports the speed of products on one core at every level, and that of gonum.
//
// The shapes (m, n, k) are square ones and those of the models: products of vertices or paths with
// filters, Gram matrices and thin matrices.
func BenchmarkGemm(b *testing.B) {
	for _, shape := range [][3]int{
		{16, 16, 16}, {64, 64, 64}, {128, 128, 128}, {512, 512, 512}, {1024, 1024, 1024},
		{20000, 32, 37}, {20000, 128, 4}, {20000, 4, 128}, {4, 20000, 128}, {1, 1000, 1000}, {1000, 1, 1000},
	} {
		m, n, k := shape[0], shape[1], shape[2]
		b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
			b.Run("float32", func(b *testing.B) {
				benchmarkGemm(b, m, n, k, func(a, x, c []float32) {
					general := func(rows, cols int, data []float32) blas32.General {
						return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
					}
					blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(m, k, a), general(k, n, x), 0, general(m, n, c))
				})
			})
			b.Run("float64", func(b *testing.B) {
				benchmarkGemm(b, m, n, k, func(a, x, c []float64) {
					general := func(rows, cols int, data []float64) blas64.General {
						return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
					}
					blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(m, k, a), general(k, n, x), 0, general(m, n, c))
				})
			})
		})
	}
}

func benchmarkGemm[T Float](b *testing.B, m, n, k int, gonum func(a, x, c []T)) {
	rng := newRand(0)
	a, x, c := random[T](rng, m*k, -1, 1).x, random[T](rng, k*n, -1, 1).x, make([]T, m*n)
	report := func(name string, run func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	for lv := portable; lv <= supported(); lv++ {
		for flags, name := range []string{"NN", "TN", "NT", "TT"} {
			transA, transB := flags&1 != 0, flags&2 != 0
			lda, ldb := k, n
			if transA {
				lda = m
			}
			if transB {
				ldb = k
			}
			report(lv.String()+"/"+name, func() { gemm(lv, false, 1, transA, transB, m, n, k, 1, a, lda, x, ldb, 0, c, n) })
		}
	}
	report("gonum", func() { gonum(a, x, c) })
}
