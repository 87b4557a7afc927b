package treeg

import (
	"math"
	"slices"
)

// Quantile histograms. A column with at most s.bins values keeps a group for every value, so its splits are those
// of sorting. Otherwise examples are counted in many even cells in one pass, and neighbouring cells are joined until
// each group holds about its share. Where values crowd in few cells the quantiles come from a sorted sample.

// histogram makes about s.bins groups of a column. Groups know their ends, so thresholds are midpoints between examples
// here too. Zeros go to s.zero.
func (s *scanner) histogram(c *column) {
	switch {
	case s.distinct(c):
	case c.of.target != nil && s.even(c):
	default:
		s.quantiles(c)
	}
}

// cells is the number of even cells, crowded the share of the examples, in groups, that one of them may hold.
const (
	cells   = 2048
	crowded = 32
)

// cell is an even part of the range of a column.
type cell struct{ n, sum, lo, hi float64 }

// even joins even cells to groups. The cells at both ends hold what is beyond the bulk of the values. It reports false,
// having done nothing, where a cell is crowded.
func (s *scanner) even(c *column) bool {
	lo, hi := s.bulk(c)
	scale := (cells - 1) / (hi - lo)
	if !(hi > lo) || math.IsInf(scale, 0) || scale == 0 {
		return false
	}
	if s.cells == nil {
		s.cells = make([]cell, cells+1)
	}
	all := s.cells
	for i := range all {
		all[i] = cell{lo: math.Inf(1), hi: math.Inf(-1)}
	}
	weight, target := c.of.weight[:len(c.values)], c.of.target[:len(c.values)]
	for i, v := range c.values {
		at := cells // for zeros
		if v != 0 {
			at = min(max(int((min(v, hi)-lo)*scale), 0), cells-1)
		}
		a := &all[at]
		a.n += weight[i]
		a.sum += target[i]
		if v < a.lo {
			a.lo = v
		}
		if v > a.hi {
			a.hi = v
		}
	}
	total := 0.0
	for i := range all[:cells] {
		total += all[i].n
	}
	share := total / float64(s.bins)
	for i := range all[:cells] {
		if a := &all[i]; a.n > crowded*share && a.lo < a.hi {
			return false
		}
	}
	s.zero.n += all[cells].n
	s.zero.sum[0] += all[cells].sum
	s.join(all[:cells], share)
	return true
}

// bulk returns a range that leaves out the ends of an even sample of the values.
func (s *scanner) bulk(c *column) (lo, hi float64) {
	const size, left = 128, 2
	s.edges = s.edges[:0]
	for i := range size {
		s.edges = append(s.edges, c.values[i*len(c.values)/size])
	}
	slices.Sort(s.edges)
	return s.edges[left], s.edges[size-1-left]
}

// join makes groups of cells that follow one another, each but the last of the given weight or more.
func (s *scanner) join(all []cell, share float64) {
	g := &s.groups
	open := false
	for i := range all {
		a := &all[i]
		if a.n == 0 {
			continue
		}
		if !open {
			g.lo, g.hi, g.n, g.sum = append(g.lo, a.lo), append(g.hi, a.hi), append(g.n, 0), append(g.sum, 0)
		}
		last := len(g.n) - 1
		g.hi[last] = a.hi
		g.n[last] += a.n
		g.sum[last] += a.sum
		open = g.n[last] < share
	}
}

// quantiles makes a group between each two quantiles of an even sample of the values.
func (s *scanner) quantiles(c *column) {
	s.chooseEdges(c)
	b := &s.buckets
	b.reset()
	size := len(s.edges) + 1
	b.n, b.sum = growTo(b.n, size), growTo(b.sum, size*b.width)
	b.lo, b.hi = growTo(b.lo, size), growTo(b.hi, size)
	for i := range size {
		b.lo[i], b.hi[i] = math.Inf(1), math.Inf(-1)
	}
	steps := 1
	for steps < size {
		steps *= 2
	}
	padded := slices.Grow(s.edges, steps)
	for len(padded) < steps {
		padded = append(padded, math.Inf(1))
	}
	s.edges = padded
	for i, v := range c.values {
		if v == 0 {
			s.zero.add(c.of, i)
			continue
		}
		at := 0
		for step := steps / 2; step > 0; step /= 2 {
			if padded[at+step-1] < v {
				at += step
			}
		}
		b.add(at, c.of, i)
		if v < b.lo[at] {
			b.lo[at] = v
		}
		if v > b.hi[at] {
			b.hi[at] = v
		}
	}
	g := &s.groups
	for at, n := range b.n {
		if n != 0 {
			g.lo, g.hi, g.n = append(g.lo, b.lo[at]), append(g.hi, b.hi[at]), append(g.n, n)
			g.sum = append(g.sum, b.sum[at*b.width:(at+1)*b.width]...)
		}
	}
}

// samplesPerBin is the number of values per bin from which quantiles are taken.
const samplesPerBin = 4

// chooseEdges fills s.edges with ascending upper ends of all groups but the last.
func (s *scanner) chooseEdges(c *column) {
	want := s.bins * samplesPerBin
	stride := max(len(c.values)/want, 1)
	s.edges = s.edges[:0]
	for i := 0; i < len(c.values); i += stride {
		if v := c.values[i]; v != 0 {
			s.edges = append(s.edges, v)
		}
	}
	slices.Sort(s.edges)
	sorted := s.edges
	s.edges = s.edges[:0]
	for i := 1; i < s.bins; i++ {
		if len(sorted) == 0 {
			break
		}
		v := sorted[i*len(sorted)/s.bins] // never ahead of what is overwritten
		if len(s.edges) == 0 || v > s.edges[len(s.edges)-1] {
			s.edges = append(s.edges, v)
		}
	}
}
