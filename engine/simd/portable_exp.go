package simd

import "math"

func portableExp[T Float](dst, src []T, scale, shift T) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] = expOf(scale*v + shift)
	}
}

func portablePathStepSum[T Float](acc, next, prefix, s []T, scale, shift T) {
	next, prefix, s = next[:len(acc)], prefix[:len(acc)], s[:len(acc)]
	for i := range acc {
		v := prefix[i] + s[i]
		next[i] = v
		acc[i] += expOf(scale*v + shift)
	}
}

func portablePathStepMax[T Float](acc, next, prefix, s []T, scale, shift T) {
	next, prefix, s = next[:len(acc)], prefix[:len(acc)], s[:len(acc)]
	for i := range acc {
		v := prefix[i] + s[i]
		next[i] = v
		if e := expOf(scale*v + shift); e > acc[i] {
			acc[i] = e
		}
	}
}

func portablePathGradStep[T Float](acc, next, sum, prefix, s, weight []T, scale, shift T) {
	n := len(acc)
	next, sum, prefix, s, weight = next[:n], sum[:n], prefix[:n], s[:n], weight[:n]
	for i := range acc {
		next[i] = prefix[i] + s[i]
		e := expOf(scale*next[i] + shift)
		acc[i] += e
		sum[i] = weight[i] * e
	}
}

func portablePathGradLeaf[T Float](acc, dst, parent, prefix, s, weight []T, scale, shift T) {
	n := len(acc)
	dst, parent, prefix, s, weight = dst[:n], parent[:n], prefix[:n], s[:n], weight[:n]
	for i := range acc {
		e := expOf(scale*(prefix[i]+s[i]) + shift)
		acc[i] += e
		e *= weight[i]
		dst[i] += e
		parent[i] += e
	}
}

func expOf[T Float](t T) T {
	if isFloat32[T]() {
		return T(exp32(float32(t)))
	}
	return T(math.Exp(float64(t)))
}

// powers are the numbers 2^(j/len(powers)). They are never changed.
var powers = func() (p [32]float64) {
	for j := range p {
		p[j] = math.Exp2(float64(j) / float64(len(p)))
	}
	return p
}()

// exp32 is the exponential in float32, several times as fast as that of package math. In float64,
//
//	exp(t) = 2^n * 2^(j/32) * exp(r),   n + j/32 = round(32*t/log 2)/32,   |r| <= log 2/64
//
// with a polynomial for exp(r), whose error of r^4/24 = 6e-10 is below the precision of float32.
func exp32(t float32) float32 {
	const (
		rounder = 0x1.8p52 // a sum with it is rounded to an integer, which is in its lowest bits
		step    = math.Ln2 / float64(len(powers))
	)
	switch {
	case t > 89:
		return float32(math.Inf(1))
	case t < -104:
		return 0
	case t != t:
		return t
	}
	rounded := float64(t)*(1/step) + rounder
	bits := math.Float64bits(rounded)
	r := float64(t) - (rounded-rounder)*step
	power := math.Float64bits(powers[bits%uint64(len(powers))]) + bits/uint64(len(powers))<<52
	return float32(math.Float64frombits(power) * (1 + r*(1+r*(1./2+r*(1./6)))))
}
