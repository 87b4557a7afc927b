package splits

import (
	"math"

	"github.com/grove-graph/grove/engine"
)

// Gathered is what is known of a column in some examples of a node. What is known of the parts of a node joins to what
// is known of the whole: sums are exact, and the form depends on the values alone.
//
// The form is one of two. By values: of every value that the entries have, ascending. By cells (Cells is not nil): of
// the cells of a histogram that have entries, ascending. It is by cells where the entries fill more cells than a
// histogram has bins and are no close integers, so that a histogram tells them apart.
type Gathered struct {
	Cells     []int32
	Low, High []float64 // of the values in a cell; by values Low is the value, and High is nil
	N         []float64
	Sum       []float64 // the sums of a [Statistic], one after another
	Zero      Statistic // those of the column
	Empty     Statistic
}

// Gather returns what is known of a column without missing entries. Examples are joined to even cells, unless those are
// zero: then the form is by values.
func (s *Scanner) Gather(c *Column, even *engine.Cells) Gathered {
	g := Gathered{Zero: copyOf(&c.Zero), Empty: copyOf(&c.Empty)}
	s.groups.reset()
	switch lo, hi, _, integers := rangeOf(c.Values); {
	case len(c.Values) == 0:
	case integers && s.close(c, lo, hi):
		s.count(c, lo, hi, 0, nil)
	case even.Scale == 0:
		s.zero.Reset()
		s.sort(c)
		s.groups.merge(0, &s.zero)
	default:
		s.weigh(c, even)
		switch occupied, several := s.occupied(even); {
		case occupied > s.Bins:
			s.takeCells(&g)
			return g
		case several:
			s.zero.Reset()
			s.sort(c)
			s.groups.merge(0, &s.zero)
		default:
			s.cellsAsGroups()
		}
	}
	g.Low, g.N, g.Sum = clone(s.groups.lo), clone(s.groups.n), clone(s.groups.sum)
	return g
}

func copyOf(s *Statistic) Statistic { return Statistic{s.N, clone(s.Sum)} }

// clone copies numbers into memory of just their size: what is gathered of many columns is kept.
func clone(x []float64) []float64 { return append(make([]float64, 0, len(x)), x...) }

// occupied returns how many cells of proper values have entries, and whether one has several values.
func (s *Scanner) occupied(even *engine.Cells) (n int, several bool) {
	zero, empty := even.Of(0), even.Of(even.Empty)
	for i := range s.cells {
		if x := &s.cells[i]; x.Weight != 0 && i != zero && i != empty {
			n++
			several = several || x.Low < x.High
		}
	}
	return n, several
}

// takeCells writes the cells that have entries.
func (s *Scanner) takeCells(g *Gathered) {
	width := s.groups.width
	g.Cells, g.Low, g.High, g.N, g.Sum = []int32{}, nil, nil, nil, nil
	for i := range s.cells {
		if x := &s.cells[i]; x.Weight != 0 {
			g.Cells = append(g.Cells, int32(i))
			g.Low, g.High, g.N = append(g.Low, x.Low), append(g.High, x.High), append(g.N, x.Weight)
			g.Sum = append(g.Sum, s.sums[i*width:(i+1)*width]...)
		}
	}
}

// cellsAsGroups makes a group of every cell.
func (s *Scanner) cellsAsGroups() {
	g := &s.groups
	for i := range s.cells {
		if x := &s.cells[i]; x.Weight != 0 {
			g.start(x.Low)
			at := len(g.n) - 1
			g.n[at] = x.Weight
			copy(g.sum[at*g.width:], s.sums[i*g.width:(i+1)*g.width])
		}
	}
}

// Join returns what is known of a column in the examples of both, of even cells.
func (s *Scanner) Join(a, b *Gathered, even *engine.Cells) Gathered {
	zero, empty := copyOf(&a.Zero), copyOf(&a.Empty)
	zero.Plus(&b.Zero)
	empty.Plus(&b.Empty)
	g := Gathered{Zero: zero, Empty: empty}
	if a.Cells == nil && b.Cells == nil {
		s.joinValues(&g, a, b)
		if even.Scale == 0 || g.closeIntegers(even.Empty) {
			return g
		}
	}
	s.clearCells()
	s.pour(a, even)
	s.pour(b, even)
	if occupied, _ := s.occupied(even); a.Cells != nil || b.Cells != nil || occupied > s.Bins {
		s.takeCells(&g)
	}
	return g
}

// joinValues joins two lists of values.
func (s *Scanner) joinValues(g, a, b *Gathered) {
	width := s.groups.width
	for i, j := 0, 0; i < len(a.Low) || j < len(b.Low); {
		switch {
		case j == len(b.Low) || i < len(a.Low) && a.Low[i] < b.Low[j]:
			g.Low, g.N, g.Sum = append(g.Low, a.Low[i]), append(g.N, a.N[i]), append(g.Sum, a.Sum[i*width:(i+1)*width]...)
			i++
			continue
		case i == len(a.Low) || b.Low[j] < a.Low[i]:
			g.Low, g.N = append(g.Low, b.Low[j]), append(g.N, b.N[j])
		default:
			g.Low, g.N = append(g.Low, a.Low[i]), append(g.N, a.N[i]+b.N[j])
			g.Sum = append(g.Sum, a.Sum[i*width:(i+1)*width]...)
			for k := range width {
				g.Sum[len(g.Sum)-width+k] += b.Sum[j*width+k]
			}
			i, j = i+1, j+1
			continue
		}
		g.Sum = append(g.Sum, b.Sum[j*width:(j+1)*width]...)
		j++
	}
}

// closeIntegers reports whether all proper values are whole numbers in a range below [engine.CloseIntegers].
func (g *Gathered) closeIntegers(atEmpty float64) bool {
	lo, hi := 0.0, 0.0
	for _, v := range g.Low {
		switch {
		case v != math.Trunc(v):
			return false
		case v != atEmpty:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return hi-lo < engine.CloseIntegers
}

// pour adds entries to the cells.
func (s *Scanner) pour(g *Gathered, even *engine.Cells) {
	width := s.groups.width
	for i, low := range g.Low {
		at, high := 0, low
		if g.Cells != nil {
			at, high = int(g.Cells[i]), g.High[i]
		} else {
			at = even.Of(low + 0) // -0 becomes 0
		}
		x := &s.cells[at]
		x.Weight, x.Low, x.High = x.Weight+g.N[i], min(x.Low, low), max(x.High, high)
		for k := range width {
			s.sums[at*width+k] += g.Sum[i*width+k]
		}
	}
}

// ScanGathered is [Scanner.Scan] for a column of which something is known in all examples of a node, of whose number
// [engine.Histogrammed] holds. It reports false where cells do not tell what there is to know: gather the column by
// values then.
func (s *Scanner) ScanGathered(g *Gathered, even *engine.Cells, atEmpty float64, total *Statistic) (Threshold, bool) {
	s.groups.reset()
	s.missing.Reset()
	lone := len(g.Low) < 2 && g.Cells == nil
	if even.Scale != 0 && !lone && (g.Cells != nil || !g.closeIntegers(atEmpty)) {
		s.clearCells()
		s.pour(g, even)
		if s.join(even, atEmpty, &g.Zero, &g.Empty) {
			return s.best(total), true
		}
	}
	if g.Cells != nil {
		return Threshold{}, false
	}
	groups, width := &s.groups, s.groups.width
	for i, v := range g.Low {
		groups.start(v)
		groups.n[i] = g.N[i]
		copy(groups.sum[i*width:], g.Sum[i*width:(i+1)*width])
	}
	groups.merge(0, &g.Zero)
	groups.merge(atEmpty, &g.Empty)
	if len(groups.n) < 2 {
		return Threshold{}, true
	}
	return s.best(total), true
}
