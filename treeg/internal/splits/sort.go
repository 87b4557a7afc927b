package splits

import (
	"cmp"
	"slices"
)

// entry is a value with the position of its example.
type entry struct {
	value float64
	at    int32
}

// sort makes a group of every value that occurs; zeros go to s.zero.
func (s *Scanner) sort(c *Column) {
	s.entries = s.entries[:0]
	for i, v := range c.Values {
		if v == 0 {
			s.zero.Add(c.Of, i)
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
		g.add(len(g.n)-1, c.Of, int(e.at))
	}
}

// sortEntries sorts by value: quicksort by the median of three down to short runs, which are inserted.
func sortEntries(e []entry) {
	for depth := 0; len(e) > 24; depth++ {
		if depth > 64 {
			slices.SortFunc(e, func(a, b entry) int { return cmp.Compare(a.value, b.value) })
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
