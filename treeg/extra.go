package treeg

import (
	"math"
	"math/rand/v2"
)

// uniform returns a number from 0 to 1 that follows from a seed and the dynamic feature of a split, in whatever order
// the features are searched.
func (s *Split) uniform(seed uint64) float64 {
	which := uint64(s.Feature)
	for _, part := range [...]int{s.Length, s.Arcs.Type, int(s.Walk), int(s.Aggregation), s.Pointer} {
		which = which*0x9e3779b97f4a7c15 + uint64(part)
	}
	for _, part := range [...]bool{s.Arcs.Against, s.Above} {
		which *= 2
		if part {
			which++
		}
	}
	var r rand.PCG
	r.Seed(seed, which)
	return float64(r.Uint64()>>11) / (1 << 53)
}

// draw returns the threshold that lies at a share u of the way from the least to the largest value of a column, of gain
// 0 if it does not gain. The value of empty subsets, which is far from others, counts where all others are the same.
func (s *scanner) draw(c *column, total *statistic, u float64) threshold {
	s.groups.reset()
	s.missing.reset()
	lo, hi, _ := rangeOf(c.values)
	if lo != lo {
		c = s.dropMissing(c)
		lo, hi, _ = rangeOf(c.values)
	}
	if len(c.values) == 0 {
		lo, hi = math.Inf(1), math.Inf(-1)
	}
	if c.zero.n > 0 {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo >= hi && c.empty.n > 0 {
		lo, hi = min(lo, c.atEmpty), max(hi, c.atEmpty)
	}
	if lo > hi || lo == hi && s.missing.n == 0 {
		return threshold{}
	}
	at := min(max(lo+u*(hi-lo), lo), hi)
	if at == hi && lo < hi {
		at = lo
	}
	s.halve(c, lo, at, hi)
	return s.best(total)
}

// halve makes a group of the values up to a threshold, and where there are others one of those above it, which begins at
// the threshold, so that the threshold lies between the two.
func (s *scanner) halve(c *column, lo, at, hi float64) {
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
	for i, v := range c.values {
		g.add(half(v), c.of, i)
	}
	g.put(half(0), &c.zero)
	g.put(half(c.atEmpty), &c.empty)
}
