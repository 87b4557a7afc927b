package eigen

import (
	"fmt"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkSymmetric reports how many times faster than gonum's EigenSym the decomposition is, on
// the Gram matrix of random points and on a random matrix.
func BenchmarkSymmetric(b *testing.B) {
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024} {
		for _, m := range []struct {
			name string
			a    []float64
		}{{"gram", duplicatedGram(n, n)}, {"random", randomSymmetric(n)}} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/n=%d/workers=%d", m.name, n, workers), func(b *testing.B) {
					for b.Loop() {
						if _, _, err := Symmetric(workers, n, m.a, n); err != nil {
							b.Fatal(err)
						}
					}
					own := b.Elapsed().Seconds() / float64(b.N)
					if n > 512 {
						return // gonum takes ten seconds for one
					}
					b.ReportMetric(gonumSeconds(n, m.a)/own, "times-gonum")
				})
			}
		}
	}
}

// gonumSeconds returns the time of one decomposition with vectors by gonum.
func gonumSeconds(n int, a []float64) float64 {
	var eigen mat.EigenSym
	start, runs := time.Now(), 0
	for runs == 0 || time.Since(start) < 50*time.Millisecond {
		eigen.Factorize(mat.NewSymDense(n, a), true)
		runs++
	}
	return time.Since(start).Seconds() / float64(runs)
}

func BenchmarkInvSqrt(b *testing.B) {
	for _, n := range []int{32, 128, 512} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			k := duplicatedGram(n, n)
			dst := make([]float64, n*n)
			for b.Loop() {
				if _, _, err := InvSqrt(1, n, dst, k, 0.01, AfterRoot); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
