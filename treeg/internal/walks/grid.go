package walks

import (
	"math"

	"github.com/grove-graph/grove/engine"
)

// Grid is a power of two that numbers are rounded to multiples of, so that sums of them are exact whatever
// their order. It is stored by its exponent; NoGrid leaves numbers as they are.
type Grid int

// NoGrid is the grid that leaves numbers as they are.
const NoGrid Grid = -5000

// Round returns the multiple of 2^g nearest to x, whose magnitude must be below 2^(g+51).
func (g Grid) Round(x float64) float64 {
	if g == NoGrid {
		return x
	}
	shift := math.Float64frombits(uint64(1023+52+int(g))<<52 | 1<<51) // 1.5 * 2^(52+g)
	return (x + shift) - shift
}

// GridFor returns the finest grid on which sums up to bound are exact.
func GridFor(bound float64) Grid {
	if g, ok := engine.GridFor(bound); ok {
		return Grid(g)
	}
	return NoGrid
}

// coarse reports whether rounding to g would lose more of numbers of the given magnitude than the last bits
// of a float32.
func (g Grid) coarse(magnitude float64) bool {
	_, e := math.Frexp(magnitude)
	return g != NoGrid && int(g) > e-26
}

// holds reports whether x, of a magnitude that round allows, is a multiple of 2^g.
func (g Grid) holds(x float64) bool { return g.Round(x) == x }

// Valid reports whether round can use the grid.
func (g Grid) Valid() bool { return g == NoGrid || g >= engine.MinGrid && g <= engine.MaxGrid }
