package splits

import (
	"math"
)

// Draw returns the threshold that lies at a share u of the way from the least to the largest value of a column, of gain
// 0 if it does not gain. The value of empty subsets, which is far from others, counts where all others are the same.
func (s *Scanner) Draw(c *Column, total *Statistic, u float64) Threshold {
	s.groups.reset()
	s.missing.Reset()
	lo, hi, _, _ := rangeOf(c.Values)
	if lo != lo {
		c = s.dropMissing(c)
		lo, hi, _, _ = rangeOf(c.Values)
	}
	if len(c.Values) == 0 {
		lo, hi = math.Inf(1), math.Inf(-1)
	}
	if c.Zero.N > 0 {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo >= hi && c.Empty.N > 0 {
		lo, hi = min(lo, c.AtEmpty), max(hi, c.AtEmpty)
	}
	if lo > hi || lo == hi && s.missing.N == 0 {
		return Threshold{}
	}
	at := min(max(lo+u*(hi-lo), lo), hi)
	if at == hi && lo < hi {
		at = lo
	}
	s.halve(c, lo, at, hi)
	return s.best(total)
}

// halve makes a group of the values up to a threshold, and where there are others one of those above it, which begins
// at the threshold, so that the threshold lies between the two.
func (s *Scanner) halve(c *Column, lo, at, hi float64) {
	g := &s.groups
	g.start(lo)
	g.hi[0] = at
	if at < hi {
		g.start(at)
		g.hi[1] = hi
	}
	half := func(value float64) int {
		if value > at {
			return 1
		}
		return 0
	}
	for i, v := range c.Values {
		g.add(half(v), c.Of, i)
	}
	g.put(half(0), &c.Zero)
	g.put(half(c.AtEmpty), &c.Empty)
}
