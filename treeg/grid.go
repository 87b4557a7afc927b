package treeg

import "math"

// grid is a power of two that numbers are rounded to multiples of, so that sums of them are exact whatever
// their order. It is stored by its exponent; noGrid leaves numbers as they are.
type grid int

const noGrid grid = -5000

// exactBits is the number of bits that a sum of multiples of a grid may have: three less than float64 holds.
const exactBits = 50

// round returns the multiple of 2^g nearest to x, whose magnitude must be below 2^(g+51).
func (g grid) round(x float64) float64 {
	if g == noGrid {
		return x
	}
	shift := math.Float64frombits(uint64(1023+52+int(g))<<52 | 1<<51) // 1.5 * 2^(52+g)
	return (x + shift) - shift
}

// The exponents for which round works without overflow or underflow.
const minGrid, maxGrid = -1000, 900

// gridFor returns the finest grid on which sums up to bound are exact.
func gridFor(bound float64) grid {
	if !(bound > 0) || math.IsInf(bound, 0) {
		return noGrid
	}
	_, e := math.Frexp(bound) // bound < 2^e
	g := e - exactBits
	if g < minGrid || g > maxGrid {
		return noGrid
	}
	return grid(g)
}

// coarse reports whether rounding to g would lose more of numbers of the given magnitude than the last bits
// of a float32.
func (g grid) coarse(magnitude float64) bool {
	_, e := math.Frexp(magnitude)
	return g != noGrid && int(g) > e-26
}

// holds reports whether x, of a magnitude that round allows, is a multiple of 2^g.
func (g grid) holds(x float64) bool { return g.round(x) == x }

// valid reports whether round can use the grid.
func (g grid) valid() bool { return g == noGrid || g >= minGrid && g <= maxGrid }
