package splits

import "github.com/grove-graph/grove/engine"

// histogram makes groups of the values of a column by the histograms of the engine, see [engine.Cells]. Groups know
// their ends, so thresholds are midpoints between examples here too. It reports false where thresholds are to be
// exact. given is the column with its missing entries.
func (s *Scanner) histogram(c, given *Column) bool {
	s.drawn = s.drawn[:0]
	for _, i := range given.Sampled {
		if v := given.Values[i]; v == v && v != 0 && v != c.AtEmpty {
			s.drawn = append(s.drawn, v)
		}
	}
	even, ok := engine.SampleCells(s.drawn, c.AtEmpty)
	if !ok {
		return false
	}
	s.weigh(c, &even)
	return s.join(&even, c.AtEmpty, &c.Zero, &c.Empty)
}

// join makes groups of the cells that are filled with entries, and of the examples that have none. It reports false
// where thresholds are to be exact.
func (s *Scanner) join(even *engine.Cells, atEmpty float64, zero, empty *Statistic) bool {
	s.put(even.Of(0), 0, zero)
	s.put(even.Of(atEmpty), atEmpty, empty)
	if !even.Groups(s.numbers, s.cells, s.Bins) {
		return false
	}
	g := &s.groups
	last := -1
	for i := range s.cells {
		x := &s.cells[i]
		if x.Weight == 0 {
			continue
		}
		if s.numbers[i] != last {
			last = s.numbers[i]
			g.start(x.Low)
		}
		at := len(g.n) - 1
		g.hi[at] = x.High
		g.n[at] += x.Weight
		for k := range g.width {
			g.sum[at*g.width+k] += s.sums[i*g.width+k]
		}
	}
	return true
}

// clearCells empties the cells.
func (s *Scanner) clearCells() {
	if s.cells == nil {
		s.cells, s.numbers = make([]engine.Cell, engine.NumCells), make([]int, engine.NumCells)
	}
	for i := range s.cells {
		s.cells[i] = engine.EmptyCell()
	}
	s.sums = growTo(s.sums, s.groups.width*engine.NumCells)
}

// weigh fills the cells with the entries of a column.
func (s *Scanner) weigh(c *Column, even *engine.Cells) {
	s.clearCells()
	width := s.groups.width
	cells, weight := s.cells, c.Of.Weight[:len(c.Values)]
	for i, v := range c.Values {
		at := even.Of(v + 0) // -0 becomes 0
		x := &cells[at]
		x.Weight += weight[i]
		if v < x.Low {
			x.Low = v
		}
		if v > x.High {
			x.High = v
		}
		if c.Of.Target != nil {
			s.sums[at] += c.Of.Target[i]
		} else {
			s.sums[at*width+int(c.Of.Class[i])] += weight[i]
		}
	}
}

// put takes examples that share a value into a cell of no other.
func (s *Scanner) put(at int, value float64, examples *Statistic) {
	if examples.N == 0 {
		return
	}
	x := &s.cells[at]
	x.Weight, x.Low, x.High = x.Weight+examples.N, value, value
	for k, sum := range examples.Sum {
		s.sums[at*s.groups.width+k] += sum
	}
}
