package engine

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rounding keeps 10 or 7 bits of mantissa, of ties the ones that tensor cores take, and what is not finite.
func TestRound(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		p       Precision
		x, want float32
	}{
		{TF32, 1 + 0x1p-10, 1 + 0x1p-10}, {TF32, 1 + 0x1p-11, 1 + 0x1p-10},
		{TF32, -1 - 0x1p-11, -1 - 0x1p-10},
		{TF32, 1 + 0x1p-12, 1}, {TF32, inf, inf}, {TF32, -inf, -inf}, {TF32, 0, 0},
		{BFloat16, 1 + 0x1p-7, 1 + 0x1p-7}, {BFloat16, 1 + 0x1p-8, 1},
		{BFloat16, 1 + 0x3p-8, 1 + 0x4p-8},
		{BFloat16, -3 - 0x1p-7, -3}, {BFloat16, inf, inf},
	} {
		got := []float32{c.x}
		if roundMantissa(got, got, c.p); got[0] != c.want {
			t.Errorf("%v in precision %d is %v, want %v", c.x, c.p, got[0], c.want)
		}
	}
	nan := []float32{float32(math.NaN())}
	if roundMantissa(nan, nan, TF32); nan[0] == nan[0] {
		t.Error("NaN has become a number")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		x := []float32{float32(rng.NormFloat64() * math.Exp(20*rng.NormFloat64()))}
		for p, bits := range map[Precision]float64{TF32: 0x1p-11, BFloat16: 0x1p-8} {
			got := []float32{0}
			if roundMantissa(got, x, p); math.Abs(float64(got[0]-x[0])) > bits*math.Abs(float64(x[0])) {
				t.Errorf("%v in precision %d is %v", x[0], p, got[0])
			}
		}
	}
}
