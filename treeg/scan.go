package treeg

import "github.com/grove-graph/grove/engine"

// column is one dynamic feature on the examples of a node: entries with values of their own, and groups of
// examples that share one.
type column struct {
	values []float64
	of     *sample // of the entries

	size    int     // examples of the node
	sampled []int32 // entries in the sample of the column, see [engine.SampleStride]

	zero    statistic // examples whose value is 0 and that have no entry
	empty   statistic // examples whose subset is empty
	atEmpty float64   // their value
}

// threshold is the best split of a column.
type threshold struct {
	gain         float64
	value        float64
	missingAbove bool
}

// scanner finds the best threshold of columns. It is for one goroutine.
type scanner struct {
	criterion criterion
	minLeaf   float64 // weight of a child, at least
	bins      int     // of histograms; 0: thresholds are exact

	groups  groups
	present column // a column without its missing entries
	some    sample // that of present
	missing statistic
	zero    statistic

	entries     []entry
	buckets     groups
	left, right statistic

	cells   []engine.Cell // of histograms
	numbers []int         // of the groups of cells
	sums    []float64     // of the examples in each cell
	drawn   []float64     // sample of a column
}

// newScanner returns a scanner for columns with statistics of a width. bins is 0 where thresholds shall be exact.
func newScanner(c criterion, width int, minLeaf, bins int) *scanner {
	return &scanner{
		criterion: c, minLeaf: float64(minLeaf), bins: bins,
		groups: groups{width: width}, buckets: groups{width: width}, missing: newStatistic(width), zero: newStatistic(width),
		left: newStatistic(width), right: newStatistic(width),
	}
}

// scan returns the best threshold of a column, of gain 0 if none gains. total is the statistic of all its examples.
func (s *scanner) scan(c *column, total *statistic) threshold {
	s.groups.reset()
	s.missing.reset()
	given := c
	lo, hi, integers := rangeOf(c.values)
	if lo != lo {
		c = s.dropMissing(c)
		lo, hi, integers = rangeOf(c.values)
	}
	switch {
	case len(c.values) == 0:
		s.groups.merge(0, &c.zero)
	case lo == hi && (c.zero.n == 0 || lo == 0):
		s.groups.start(lo)
		for i := range c.values {
			s.groups.add(0, c.of, i)
		}
		s.groups.merge(0, &c.zero)
	case integers && s.close(c, lo, hi):
		s.count(c, lo, hi)
		s.groups.merge(0, &c.zero)
	case engine.Histogrammed(c.size, s.bins) && s.histogram(c, given):
		return s.best(total)
	default:
		s.zero.reset()
		s.zero.plus(&c.zero)
		s.sort(c)
		s.groups.merge(0, &s.zero)
	}
	s.groups.merge(c.atEmpty, &c.empty)
	if len(s.groups.n) < 2 && s.missing.n == 0 {
		return threshold{}
	}
	return s.best(total)
}

// rangeOf returns the smallest and the largest value, and whether all are integers. Where one is missing, all
// results are NaN and false.
func rangeOf(values []float64) (lo, hi float64, integers bool) {
	if len(values) == 0 {
		return 0, 0, false
	}
	lo, hi, integers = values[0], values[0], true
	for _, v := range values {
		if v < lo {
			lo = v
		} else if v > hi {
			hi = v
		}
		if v != float64(int64(v)) {
			integers = false
			if v != v {
				return v, v, false
			}
		}
	}
	return lo, hi, integers
}

// dropMissing returns the column without its missing entries, which go to s.missing.
func (s *scanner) dropMissing(c *column) *column {
	s.present.values = s.present.values[:0]
	s.some.clear()
	for i, v := range c.values {
		if v != v {
			s.missing.add(c.of, i)
			continue
		}
		s.present.values = append(s.present.values, v)
		s.some.take(c.of, i)
	}
	s.present.of, s.present.zero, s.present.empty, s.present.atEmpty = &s.some, c.zero, c.empty, c.atEmpty
	s.present.size = c.size
	return &s.present
}

// close reports whether whole numbers from lo to hi are so close that counting them is fast.
func (s *scanner) close(c *column, lo, hi float64) bool {
	if !engine.Histogrammed(c.size, s.bins) {
		return hi-lo < float64(2*len(c.values)+64)
	}
	if lo == c.atEmpty || hi == c.atEmpty {
		lo, hi = 0, 0
		for _, v := range c.values {
			if v != c.atEmpty {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return max(hi, 0)-min(lo, 0) < engine.CloseIntegers
}

// count makes a group of every integer that occurs.
func (s *scanner) count(c *column, lo, hi float64) {
	b := &s.buckets
	b.reset()
	span := int(hi-lo) + 1
	b.n = growTo(b.n, span)
	b.sum = growTo(b.sum, span*b.width)
	if c.of.target != nil {
		weight, target := c.of.weight[:len(c.values)], c.of.target[:len(c.values)]
		for i, v := range c.values {
			at := int(v - lo)
			b.n[at] += weight[i]
			b.sum[at] += target[i]
		}
	} else {
		for i, v := range c.values {
			b.add(int(v-lo), c.of, i)
		}
	}
	for at, n := range b.n {
		if n != 0 {
			v := lo + float64(at)
			s.groups.lo, s.groups.hi, s.groups.n = append(s.groups.lo, v), append(s.groups.hi, v), append(s.groups.n, n)
			s.groups.sum = append(s.groups.sum, b.sum[at*b.width:(at+1)*b.width]...)
		}
	}
}

// growTo returns n zeros, in the memory of x if it can.
func growTo(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, 2*n)
	}
	x = x[:n]
	clear(x)
	return x
}

// best returns the best threshold between the groups.
func (s *scanner) best(total *statistic) threshold {
	t := s.between(total, false)
	if s.missing.n == 0 {
		return t
	}
	if u := s.between(total, true); u.gain > t.gain {
		return u
	}
	return t
}

// between tries all thresholds between groups, with the missing values on one side.
func (s *scanner) between(total *statistic, missingAbove bool) threshold {
	g := &s.groups
	s.left.reset()
	if !missingAbove {
		s.left.plus(&s.missing)
	}
	at, gain := -1, 0.0
	if s.criterion == variance {
		at, gain = s.betweenValues(total, missingAbove)
	} else {
		at, gain = s.betweenClasses(total, missingAbove)
	}
	switch {
	case at < 0:
		return threshold{}
	case at == len(g.n)-1: // all that is not missing stays below
		return threshold{gain, g.hi[at], missingAbove}
	}
	return threshold{gain, engine.Midpoint(g.hi[at], g.lo[at+1]), missingAbove || s.missing.n == 0 && s.largerAbove(at, total)}
}

// largerAbove reports whether more examples are above the threshold after group at than below it. Examples whose
// value is missing at prediction only follow them.
func (s *scanner) largerAbove(at int, total *statistic) bool {
	n := 0.0
	for _, m := range s.groups.n[:at+1] {
		n += m
	}
	return total.n-n > n
}

// betweenValues returns the last group below the best threshold and its gain, for targets that are numbers.
func (s *scanner) betweenValues(total *statistic, missingAbove bool) (at int, most float64) {
	g := &s.groups
	last := len(g.n) - 1
	if missingAbove {
		last++
	}
	at = -1
	n, sum := s.left.n, s.left.sum[0]
	base := total.sum[0] * total.sum[0] / total.n
	for i := range last {
		n += g.n[i]
		sum += g.sum[i]
		rest, other := total.n-n, total.sum[0]-sum
		if n < s.minLeaf || rest < s.minLeaf {
			continue
		}
		if gain := float64(sum*sum/n) + float64(other*other/rest) - base; gain > most {
			at, most = i, gain
		}
	}
	return at, most
}

// betweenClasses is betweenValues for classes.
func (s *scanner) betweenClasses(total *statistic, missingAbove bool) (at int, most float64) {
	g := &s.groups
	last := len(g.n) - 1
	if missingAbove {
		last++
	}
	at = -1
	s.right.reset()
	s.right.plus(total)
	s.right.minus(&s.left)
	base := s.criterion.score(total.n, total.sum)
	for i := range last {
		group := statistic{g.n[i], g.sum[i*g.width : (i+1)*g.width]}
		s.left.plus(&group)
		s.right.minus(&group)
		if s.left.n < s.minLeaf || s.right.n < s.minLeaf {
			continue
		}
		gain := s.criterion.score(s.left.n, s.left.sum) + s.criterion.score(s.right.n, s.right.sum) - base
		if gain > most {
			at, most = i, gain
		}
	}
	return at, most
}
