package simd

import (
	"math"
	"slices"
	"testing"
)

func TestNormalisationKernelsAgreeWithTheirFormulas(t *testing.T) {
	t.Run("float32", testNormalisationKernels[float32])
	t.Run("float64", testNormalisationKernels[float64])
}

// Every element is the result of a few rounded operations on numbers below 32.
func testNormalisationKernels[T Float](t *testing.T) {
	tolerance := 64 * epsilon[T]()
	type row = []T
	kernels := map[string]struct {
		run  func(lv level, dst, other row, in []row)
		want func(dst, other float64, in []float64) (float64, float64)
	}{
		"addMoments": {
			func(lv level, dst, other row, in []row) { addMoments(lv, dst, other, in[0], in[1]) },
			func(dst, other float64, in []float64) (float64, float64) {
				d := in[0] - in[1]
				return dst + d, other + d*d
			},
		},
		"addSlopes": {
			func(lv level, dst, other row, in []row) { addSlopes(lv, dst, other, in[0], in[1], in[2]) },
			func(dst, other float64, in []float64) (float64, float64) {
				return dst + in[0], other + in[0]*(in[1]-in[2])
			},
		},
		"normalize": {
			func(lv level, dst, _ row, in []row) { normalize(lv, dst, in[0], in[1], in[2], in[3], -1) },
			func(_, other float64, in []float64) (float64, float64) {
				return math.Max(-1, (in[0]-in[1])*in[2]+in[3]), other
			},
		},
		"normalize in place": {
			func(lv level, dst, _ row, in []row) { normalize(lv, dst, dst, in[1], in[2], in[3], T(math.Inf(-1))) },
			func(dst, other float64, in []float64) (float64, float64) { return (dst-in[1])*in[2] + in[3], other },
		},
		"normalizeGrad": {
			func(lv level, dst, _ row, in []row) {
				normalizeGrad(lv, dst, in[0], in[1], in[2], in[3], in[4], in[5])
			},
			func(_, other float64, in []float64) (float64, float64) {
				return (in[0]-in[3])*in[4] + (in[1]-in[2])*in[5], other
			},
		},
		"rectify": {
			func(lv level, dst, _ row, in []row) { rectify(lv, dst, in[0], in[1]) },
			func(_, other float64, in []float64) (float64, float64) { return math.Max(0, in[0]+in[1]), other },
		},
		"rectifyGrad": {
			func(lv level, dst, _ row, in []row) { rectifyGrad(lv, dst, in[0], in[1]) },
			func(_, other float64, in []float64) (float64, float64) {
				if in[1] > 0 {
					return in[0], other
				}
				return 0, other
			},
		},
	}
	for name, kernel := range kernels {
		t.Run(name, func(t *testing.T) {
			eachSize(t, func(t *testing.T, lv level, n int) {
				rng := newRand(n)
				dst, other := random[T](rng, n, -2, 2), random[T](rng, n, -2, 2)
				var in []row
				for range 6 {
					in = append(in, random[T](rng, n, -2, 2).x)
				}
				before, otherBefore := slices.Clone(dst.x), slices.Clone(other.x)
				kernel.run(lv, dst.x, other.x, in)
				dst.check(t)
				other.check(t)
				for i := range before {
					values := make([]float64, len(in))
					for k := range in {
						values[k] = float64(in[k][i])
					}
					first, second := kernel.want(float64(before[i]), float64(otherBefore[i]), values)
					near(t, i, dst.x[i], first, tolerance)
					near(t, i, other.x[i], second, tolerance)
				}
			})
		})
	}
}

// NaN is neither rectified nor does it keep a slope, and zero keeps none.
func TestRectifyNaN(t *testing.T) {
	nan := math.NaN()
	eachSize(t, func(t *testing.T, lv level, n int) {
		x, y, zero := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = nan
		}
		rectify(lv, y, x, zero)
		for i := range y {
			if !math.IsNaN(y[i]) {
				t.Fatalf("element %d of NaN is %g", i, y[i])
			}
		}
		normalize(lv, y, x, zero, zero, zero, 0)
		for i := range y {
			if !math.IsNaN(y[i]) {
				t.Fatalf("element %d of NaN is normalised to %g", i, y[i])
			}
		}
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
			x[i] = []float64{nan, 0}[i%2]
		}
		rectifyGrad(lv, y, ones, x)
		if !slices.Equal(y, zero) {
			t.Fatalf("slopes of NaN and zero: %g", y)
		}
	})
}
