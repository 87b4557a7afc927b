// Package splits finds the best threshold of a column of values: statistics of examples, what a split gains, and
// columns grouped exactly, by histograms or at a threshold that is drawn. It knows nothing of graphs.
package splits

import (
	"math"

	"github.com/grove-graph/grove/engine"
)

// Column is one dynamic feature on the examples of a node: entries with values of their own, and groups of
// examples that share one.
type Column struct {
	Values []float64
	Of     *Sample // of the entries

	Size    int     // examples of the node
	Sampled []int32 // entries in the sample of the column, see [engine.SampleStride]

	Zero    Statistic // examples whose value is 0 and that have no entry
	Empty   Statistic // examples whose subset is empty
	AtEmpty float64   // their value
}

// Threshold is the best split of a column.
type Threshold struct {
	Gain         float64
	Value        float64
	MissingAbove bool
}

// Scanner finds the best threshold of columns. It is for one goroutine.
type Scanner struct {
	criterion Criterion
	minLeaf   float64 // weight of a child, at least
	Bins      int     // of histograms; 0: thresholds are exact

	groups  groups
	present Column // a column without its missing entries
	some    Sample // that of present
	missing Statistic
	zero    Statistic

	entries     []entry
	buckets     groups
	left, right Statistic

	cells   []engine.Cell // of histograms
	numbers []int         // of the groups of cells
	sums    []float64     // of the examples in each cell
	drawn   []float64     // sample of a column
}

// NewScanner returns a scanner for columns with statistics of a width. bins is 0 where thresholds shall be exact.
func NewScanner(c Criterion, width int, minLeaf, bins int) *Scanner {
	return &Scanner{
		criterion: c, minLeaf: float64(minLeaf), Bins: bins,
		groups: groups{width: width}, buckets: groups{width: width}, missing: NewStatistic(width), zero: NewStatistic(width),
		left: NewStatistic(width), right: NewStatistic(width),
	}
}

// Scan returns the best threshold of a column, of gain 0 if none gains. total is the statistic of all its examples.
func (s *Scanner) Scan(c *Column, total *Statistic) Threshold {
	s.groups.reset()
	s.missing.Reset()
	given := c
	lo, hi, zeros, integers := rangeOf(c.Values)
	if lo != lo {
		c = s.dropMissing(c)
		lo, hi, zeros, integers = rangeOf(c.Values)
	}
	switch {
	case len(c.Values) == 0:
		s.groups.merge(0, &c.Zero)
	case lo == hi && (c.Zero.N == 0 || lo == 0):
		s.groups.start(lo)
		for i := range c.Values {
			s.groups.add(0, c.Of, i)
		}
		s.groups.merge(0, &c.Zero)
	case integers && s.close(c, lo, hi):
		s.count(c, lo, hi, zeros, total)
		s.groups.merge(0, &c.Zero)
	case engine.Histogrammed(c.Size, s.Bins) && s.histogram(c, given):
		return s.best(total)
	default:
		s.zero.Reset()
		s.zero.Plus(&c.Zero)
		s.sort(c)
		s.groups.merge(0, &s.zero)
	}
	s.groups.merge(c.AtEmpty, &c.Empty)
	if len(s.groups.n) < 2 && s.missing.N == 0 {
		return Threshold{}
	}
	return s.best(total)
}

// rangeOf returns the smallest and the largest value, how many are 0, and whether all are integers. Where one is
// missing, the first two are NaN.
func rangeOf(values []float64) (lo, hi float64, zeros int, integers bool) {
	lo, hi, integers = math.Inf(1), math.Inf(-1), true
	for _, v := range values {
		if v == 0 {
			zeros++
			continue
		}
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		if v != float64(int64(v)) {
			integers = false
			if v != v {
				return v, v, 0, false
			}
		}
	}
	if zeros > 0 || len(values) == 0 {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	return lo, hi, zeros, integers
}

// dropMissing returns the column without its missing entries, which go to s.missing.
func (s *Scanner) dropMissing(c *Column) *Column {
	s.present.Values = s.present.Values[:0]
	s.some.Clear()
	for i, v := range c.Values {
		if v != v {
			s.missing.Add(c.Of, i)
			continue
		}
		s.present.Values = append(s.present.Values, v)
		s.some.Take(c.Of, i)
	}
	s.present.Of, s.present.Zero, s.present.Empty, s.present.AtEmpty = &s.some, c.Zero, c.Empty, c.AtEmpty
	s.present.Size = c.Size
	return &s.present
}

// close reports whether whole numbers from lo to hi are so close that counting them is fast.
func (s *Scanner) close(c *Column, lo, hi float64) bool {
	if !engine.Histogrammed(c.Size, s.Bins) {
		return hi-lo < float64(2*len(c.Values)+64)
	}
	if lo == c.AtEmpty || hi == c.AtEmpty {
		lo, hi = 0, 0
		for _, v := range c.Values {
			if v != c.AtEmpty {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return max(hi, 0)-min(lo, 0) < engine.CloseIntegers
}

// count makes a group of every integer that occurs. Where most values are 0, as those of words are, it adds up the
// others alone: the rest of all examples are zeros, for sums are exact. Without the total of all, zeros is to be 0.
func (s *Scanner) count(c *Column, lo, hi float64, zeros int, total *Statistic) {
	b := &s.buckets
	b.reset()
	span := int(hi-lo) + 1
	b.n = growTo(b.n, span)
	b.sum = growTo(b.sum, span*b.width)
	skip := zeros > 0 && 8*zeros >= 7*len(c.Values)
	if c.Of.Target != nil {
		weight, target := c.Of.Weight[:len(c.Values)], c.Of.Target[:len(c.Values)]
		for i, v := range c.Values {
			if skip && v == 0 {
				continue
			}
			at := int(v - lo)
			b.n[at] += weight[i]
			b.sum[at] += target[i]
		}
	} else {
		for i, v := range c.Values {
			if skip && v == 0 {
				continue
			}
			b.add(int(v-lo), c.Of, i)
		}
	}
	if skip {
		s.zero.Reset()
		s.zero.Plus(total)
		for at, n := range b.n {
			s.zero.Minus(&Statistic{n, b.sum[at*b.width : (at+1)*b.width]})
		}
		for _, elsewhere := range []*Statistic{&s.missing, &c.Zero, &c.Empty} {
			s.zero.Minus(elsewhere)
		}
		b.put(int(-lo), &s.zero)
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
func (s *Scanner) best(total *Statistic) Threshold {
	t := s.between(total, false)
	if s.missing.N == 0 {
		return t
	}
	if u := s.between(total, true); u.Gain > t.Gain {
		return u
	}
	return t
}

// between tries all thresholds between groups, with the missing values on one side.
func (s *Scanner) between(total *Statistic, missingAbove bool) Threshold {
	g := &s.groups
	s.left.Reset()
	if !missingAbove {
		s.left.Plus(&s.missing)
	}
	thresholds := len(g.n) - 1
	if missingAbove {
		thresholds++
	}
	at, gain := -1, 0.0
	if s.criterion == Variance {
		at, gain = s.betweenValues(total, thresholds)
	} else {
		at, gain = s.betweenClasses(total, thresholds)
	}
	switch {
	case at < 0:
		return Threshold{}
	case at == len(g.n)-1: // all that is not missing stays below
		return Threshold{gain, g.hi[at], missingAbove}
	}
	missingAbove = missingAbove || s.missing.N == 0 && s.largerAbove(at, total)
	return Threshold{gain, engine.Midpoint(g.hi[at], g.lo[at+1]), missingAbove}
}

// largerAbove reports whether more examples are above the threshold after group at than below it. Examples whose
// value is missing at prediction only follow them.
func (s *Scanner) largerAbove(at int, total *Statistic) bool {
	n := 0.0
	for _, m := range s.groups.n[:at+1] {
		n += m
	}
	return total.N-n > n
}

// betweenValues returns the last group below the best threshold and its gain, for targets that are numbers. It tries so
// many thresholds.
func (s *Scanner) betweenValues(total *Statistic, thresholds int) (at int, most float64) {
	g := &s.groups
	at = -1
	n, sum := s.left.N, s.left.Sum[0]
	base := total.Sum[0] * total.Sum[0] / total.N
	for i := range thresholds {
		n += g.n[i]
		sum += g.sum[i]
		rest, other := total.N-n, total.Sum[0]-sum
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
func (s *Scanner) betweenClasses(total *Statistic, thresholds int) (at int, most float64) {
	g := &s.groups
	at = -1
	s.right.Reset()
	s.right.Plus(total)
	s.right.Minus(&s.left)
	base := s.criterion.score(total.N, total.Sum)
	for i := range thresholds {
		group := Statistic{g.n[i], g.sum[i*g.width : (i+1)*g.width]}
		s.left.Plus(&group)
		s.right.Minus(&group)
		if s.left.N < s.minLeaf || s.right.N < s.minLeaf {
			continue
		}
		gain := s.criterion.score(s.left.N, s.left.Sum) + s.criterion.score(s.right.N, s.right.Sum) - base
		if gain > most {
			at, most = i, gain
		}
	}
	return at, most
}
