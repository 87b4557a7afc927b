package engine

import (
	"math"
	"slices"
)

// Histograms of columns. Examples are weighed in many even cells of the range where a sample has its values, and cells
// that follow each other are joined until each group of them has about its share; thresholds lie between groups.
// Zeros, which may be most, and the value of empty subsets have cells of their own: the other values are called proper.
// Where no cell has two values, and where cells do not tell values apart, thresholds are exact. All of this depends on
// nothing but the values, so that every engine chooses the same.

// NumCells is the number of cells that Of returns: 1024 even ones, which zeros and empty subsets may split.
const (
	evenCells = 1024
	NumCells  = evenCells + 4
)

// Cells are even parts of a range; the first and the last hold what is beyond it. The zero Cells tell nothing apart.
type Cells struct{ From, To, Scale, Empty float64 }

// Of returns the cell of a value, which must not be -0. Larger values are not in smaller cells.
func (c *Cells) Of(v float64) int {
	return max(int((min(v, c.To)-c.From)*c.Scale), 0) + steps(v, 0) + steps(v, c.Empty)
}

// steps returns 0 below a bound, 1 on it and 2 above it, without a branch that values from both sides mislead.
func steps(v, bound float64) int {
	return int(1 - math.Float64bits(v-bound)>>63 + math.Float64bits(bound-v)>>63)
}

const (
	sampleExamples = 128 // of a column, at least
	sampleLeast    = 16  // proper values among them
	sampleBeyond   = 64  // of so many one is beyond the range at either end
	crowded        = 32  // shares that a cell of several values may hold
	sortBelow      = 4   // examples for each bin up to which sorting is as fast
)

// Histogrammed reports whether columns of so many examples are histograms of the given number of bins, 0 for none.
func Histogrammed(examples, bins int) bool { return bins > 0 && examples > sortBelow*bins }

// SampleStride returns s where the sample of a column of so many examples is every s-th of them.
func SampleStride(examples int) int { return max(examples/sampleExamples, 1) }

// SampleCells returns the cells for a column by the proper values in its sample, which it sorts, and the value of empty
// subsets. It reports false where they say too little.
func SampleCells(sample []float64, empty float64) (Cells, bool) {
	if len(sample) < sampleLeast {
		return Cells{}, false
	}
	slices.Sort(sample)
	beyond := len(sample) / sampleBeyond
	lo, hi := sample[beyond], sample[len(sample)-1-beyond]
	c := Cells{lo, hi, (evenCells - 1) / (hi - lo), empty}
	if !(c.Scale > 0 && c.Scale <= math.MaxFloat64) {
		return Cells{}, false
	}
	return c, true
}

// Cell holds the weight of the examples in a cell, with their least and largest value.
type Cell struct{ Weight, Low, High float64 }

// EmptyCell returns a cell without examples.
func EmptyCell() Cell { return Cell{0, math.Inf(1), math.Inf(-1)} }

// Groups numbers the group that each cell is joined to, ascending. It reports false where groups do not tell the proper
// values apart: where few cells have examples, or one with several values has too many. Without any cell of several
// values each is a group.
func (c *Cells) Groups(numbers []int, cells []Cell, bins int) bool {
	zero, empty := c.Of(0), c.Of(c.Empty)
	occupied, weight, most, several := 0, 0.0, 0.0, false
	for i := range cells {
		x := &cells[i]
		if x.Weight == 0 || i == zero || i == empty {
			continue
		}
		occupied++
		weight += x.Weight
		if x.Low < x.High {
			several, most = true, max(most, x.Weight)
		}
	}
	if several && (occupied <= bins || most*float64(bins) > crowded*weight) {
		return false
	}
	below := 0.0
	for i := range cells {
		numbers[i] = i
		if several {
			numbers[i] = int(below*float64(bins)/weight) + steps(float64(i), float64(zero)) + steps(float64(i), float64(empty))
		}
		if i != zero && i != empty {
			below += cells[i].Weight
		}
	}
	return true
}

// groups returns the group of each value of a column, nil where thresholds are exact. Larger values are not in smaller
// groups; a missing value is in none.
func (s *SplitSearch) groups(values []float64, t *Search) []int {
	if !Histogrammed(len(values), s.Bins) {
		return nil
	}
	empty := 0.0
	if s.Offsets != nil {
		empty = t.Empty
	}
	proper := func(v float64) bool { return v == v && v != 0 && v != empty }
	var sample []float64
	for i := 0; i < len(values); i += SampleStride(len(values)) {
		if proper(values[i]) {
			sample = append(sample, values[i])
		}
	}
	even, ok := SampleCells(sample, empty)
	if !ok || closeIntegers(values, empty) {
		return nil
	}
	cells, numbers := make([]Cell, NumCells), make([]int, NumCells)
	for i := range cells {
		cells[i] = EmptyCell()
	}
	cellOf := func(v float64) int { return even.Of(v + 0) } // -0 becomes 0
	for i, v := range values {
		if v == v {
			c := &cells[cellOf(v)]
			*c = Cell{c.Weight + s.Weights[int(s.Nodes[t.Node])+i], min(c.Low, v), max(c.High, v)}
		}
	}
	if !even.Groups(numbers, cells, s.Bins) {
		return nil
	}
	groups := make([]int, len(values))
	for i, v := range values {
		if v == v {
			groups[i] = numbers[cellOf(v)]
		}
	}
	return groups
}

// CloseIntegers is the range of whole numbers, with 0, below which their thresholds are exact.
const CloseIntegers = evenCells

// closeIntegers reports whether all proper values are such whole numbers.
func closeIntegers(values []float64, empty float64) bool {
	lo, hi := 0.0, 0.0
	for _, v := range values {
		switch {
		case v != v || v == empty:
		case v != math.Trunc(v):
			return false
		default:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return hi-lo < CloseIntegers
}
