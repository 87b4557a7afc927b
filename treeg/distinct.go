package treeg

import (
	"math"
	"slices"
)

// distinct is a hash table from values to small numbers, in order of appearance.
type distinct struct {
	slots  []int32 // number + 1 of the value, 0 where free
	values []float64
}

// find returns the number of v, which gets one if it has none.
func (t *distinct) find(v float64) int {
	mask := uint64(len(t.slots) - 1)
	h := math.Float64bits(v) * 0x9e3779b97f4a7c15
	for i := (h >> 32) & mask; ; i = (i + 1) & mask {
		switch at := t.slots[i]; {
		case at == 0:
			t.values = append(t.values, v)
			t.slots[i] = int32(len(t.values))
			return len(t.values) - 1
		case t.values[at-1] == v:
			return int(at - 1)
		}
	}
}

func (t *distinct) reset(most int) {
	size := 16
	for size < 4*most {
		size *= 2
	}
	if len(t.slots) != size {
		t.slots = make([]int32, size)
	}
	clear(t.slots)
	t.values = t.values[:0]
}

// distinct makes a group of every value, unless there are more than s.bins; it reports whether it did. Zeros go to
// s.zero.
func (s *scanner) distinct(c *column) bool {
	s.table.reset(s.bins + 1)
	b := &s.buckets
	b.reset()
	b.n, b.sum = growTo(b.n, s.bins+1), growTo(b.sum, (s.bins+1)*b.width)
	zeros := false
	for i, v := range c.values {
		if v == 0 {
			zeros = true
			continue
		}
		at := s.table.find(v)
		if at == s.bins {
			return false
		}
		b.add(at, c.of, i)
	}
	if zeros {
		for i, v := range c.values {
			if v == 0 {
				s.zero.add(c.of, i)
			}
		}
	}
	order := make([]int, len(s.table.values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if s.table.values[i] < s.table.values[j] {
			return -1
		}
		return 1
	})
	g := &s.groups
	for _, at := range order {
		v := s.table.values[at]
		g.lo, g.hi, g.n = append(g.lo, v), append(g.hi, v), append(g.n, b.n[at])
		g.sum = append(g.sum, b.sum[at*b.width:(at+1)*b.width]...)
	}
	return true
}
