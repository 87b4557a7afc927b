package treeg

import (
	"math"
	"slices"
)

// entry is a value with the position of its example.
type entry struct {
	value float64
	at    int32
}

// sort makes a group of every value that occurs; zeros go to s.zero.
func (s *scanner) sort(c *column) {
	s.entries = s.entries[:0]
	for i, v := range c.values {
		if v == 0 {
			s.zero.add(c.of, i)
		} else {
			s.entries = append(s.entries, entry{v, int32(i)})
		}
	}
	sortEntries(s.entries)
	g := &s.groups
	for i, e := range s.entries {
		if i == 0 || e.value != s.entries[i-1].value {
			g.start(e.value)
		}
		g.add(len(g.n)-1, c.of, int(e.at))
	}
}

// sortEntries sorts by value: quicksort by the median of three down to short runs, which are inserted.
func sortEntries(e []entry) {
	for depth := 0; len(e) > 24; depth++ {
		if depth > 64 {
			slices.SortFunc(e, func(a, b entry) int {
				if a.value < b.value {
					return -1
				}
				return 1
			})
			return
		}
		a, b, c := e[0].value, e[len(e)/2].value, e[len(e)-1].value
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(e)-1
		for i <= j {
			for e[i].value < pivot {
				i++
			}
			for e[j].value > pivot {
				j--
			}
			if i <= j {
				e[i], e[j] = e[j], e[i]
				i++
				j--
			}
		}
		if j+1 < len(e)-i {
			sortEntries(e[:j+1])
			e = e[i:]
		} else {
			sortEntries(e[i:])
			e = e[:j+1]
		}
	}
	for i := 1; i < len(e); i++ {
		x := e[i]
		j := i
		for ; j > 0 && e[j-1].value > x.value; j-- {
			e[j] = e[j-1]
		}
		e[j] = x
	}
}

// histogram makes at most s.bins groups: one for every value if there are no more, otherwise one between each
// two quantiles of an even sample of the values. Zeros go to s.zero. A group knows the values at its ends, so
// thresholds are midpoints between examples here too.
func (s *scanner) histogram(c *column) {
	if s.distinct(c) {
		return
	}
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
