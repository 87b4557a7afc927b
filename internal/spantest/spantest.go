// Package spantest makes vectors for tests of what is fast near a small span.
package spantest

import (
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine/simd"
)

// Unit returns n unit vectors of d elements. In directions that all share they fall off like a power of the number of
// the direction: by 0 they lie anywhere, by 2 near a small span. From the vector around on, where that is not 0, they
// scatter around those before.
func Unit(n, d int, falls float64, around int, rng *rand.Rand) []float64 {
	raw, turned, x := make([]float64, n*d), make([]float64, d*d), make([]float64, n*d)
	for i := range turned {
		turned[i] = rng.NormFloat64()
	}
	for i := range raw {
		if raw[i] = rng.NormFloat64(); around > 0 && i >= around*d {
			raw[i] = raw[i%(around*d)] + raw[i]/4
		}
	}
	for i := range raw {
		raw[i] *= math.Pow(float64(1+i%d), -falls)
	}
	simd.Gemm(1, false, false, n, d, d, 1, raw, d, turned, d, 0, x, d)
	for i := range n {
		row := x[i*d : (i+1)*d]
		length := math.Sqrt(simd.Dot(row, row))
		for c := range row {
			row[c] /= length
		}
	}
	return x
}
