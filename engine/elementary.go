package engine

import "math"

// The exponential and the logarithm in plain arithmetic: every product, sum and quotient is rounded, none is fused, so
// that each has the same bits on all processors and devices. Both are those of FreeBSD (e_exp.c, e_log.c; Sun
// Microsystems 1993), of an error below one unit in the last place. kernels/elementary.cuh has them step by step.

// Ln 2 in two parts, of which the first has so few bits that a whole multiple of it is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// The arguments from which exp returns 0, where numbers are about to be no longer normal, and infinity.
const (
	leastExponent = -708.
	mostExponent  = 7.09782712893383973096e+02
)

// exp returns e^x, infinity beyond the largest number, and 0 below e^-708.
func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > mostExponent:
		return math.Inf(1)
	case x < leastExponent:
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	t := float64(r * r)
	c := float64(t*4.13813679705723846039e-08) - 1.65339022054652515390e-06
	c = float64(t*c) + 6.61375632143793436117e-05
	c = float64(t*c) - 2.77777777770155933842e-03
	c = float64(t*c) + 1.66666666666666019037e-01
	c = r - float64(t*c)
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return scale(y, int(k))
}

// scale returns y 2^k of a number from 1/2 to 2 whose result is normal: 2^k may be beyond the largest number.
func scale(y float64, k int) float64 {
	return float64(y*2) * math.Float64frombits(uint64(1022+k)<<52)
}

// log returns the natural logarithm of a positive, normal number.
func log(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1022
	f := math.Float64frombits(bits&(1<<52-1) | 1022<<52) // from 1/2 to 1
	if f < math.Sqrt2/2 {
		f, exponent = 2*f, exponent-1
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s4*1.479819860511658591e-01) + 1.818357216161805012e-01
	odd = float64(s4*odd) + 2.857142874366239149e-01
	odd = float64(s4*odd) + 6.666666666666735130e-01
	even := float64(s4*1.531383769920937332e-01) + 2.222219843214978396e-01
	even = float64(s4*even) + 3.999999999940941908e-01
	r := float64(s2*odd) + float64(s4*even)
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+r)) + float64(k*ln2Low))) - f)
}
