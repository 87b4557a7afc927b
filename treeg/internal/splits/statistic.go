package splits

import "math"

// Sample holds the weights, and the targets or classes, of some examples.
type Sample struct {
	Weight []float64
	Target []float64 // times the weight; nil where there are classes
	Class  []int32
}

// Clear removes all examples.
func (s *Sample) Clear() { s.Weight, s.Target, s.Class = s.Weight[:0], s.Target[:0], s.Class[:0] }

// Take appends example i of another sample.
func (s *Sample) Take(of *Sample, i int) {
	s.Weight = append(s.Weight, of.Weight[i])
	if of.Target != nil {
		s.Target = append(s.Target, of.Target[i])
	} else {
		s.Class = append(s.Class, of.Class[i])
	}
}

// Statistic is what a split needs to know of a set of examples. Sums are exact (see the package comment), so
// their order does not matter.
type Statistic struct {
	N   float64   // sum of the weights
	Sum []float64 // of the targets, one number; or the weight of every class
}

// NewStatistic returns that of no examples, of so many sums.
func NewStatistic(width int) Statistic { return Statistic{Sum: make([]float64, width)} }

// Reset forgets all examples.
func (s *Statistic) Reset() {
	s.N = 0
	clear(s.Sum)
}

// Add takes up example i.
func (s *Statistic) Add(of *Sample, i int) {
	s.N += of.Weight[i]
	if of.Target != nil {
		s.Sum[0] += of.Target[i]
	} else {
		s.Sum[of.Class[i]] += of.Weight[i]
	}
}

// Plus adds another statistic.
func (s *Statistic) Plus(t *Statistic) {
	s.N += t.N
	for i, v := range t.Sum {
		s.Sum[i] += v
	}
}

// Minus subtracts another statistic.
func (s *Statistic) Minus(t *Statistic) {
	s.N -= t.N
	for i, v := range t.Sum {
		s.Sum[i] -= v
	}
}

// Criterion says what a split reduces. Its score is the term of n times the impurity that differs between splits,
// with the sign turned: a split gains score(LTE) + score(GT) - score(node).
type Criterion uint8

const (
	Variance Criterion = iota // (sum of targets)^2 / n
	Gini                      // sum over classes of n_c^2 / n
	Entropy                   // sum over classes of n_c log2 n_c - n log2 n
)

func (c Criterion) score(n float64, sum []float64) float64 {
	score := 0.0
	if c == Entropy {
		for _, x := range sum {
			if x > 0 {
				score += x * math.Log2(x)
			}
		}
		return score - n*math.Log2(n)
	}
	for _, x := range sum {
		score += float64(x * x)
	}
	return score / n
}

// groups are ascending, disjoint ranges of values, each with the statistic of the examples in it.
type groups struct {
	width  int
	lo, hi []float64
	n      []float64
	sum    []float64 // width for each
}

func (g *groups) reset() { g.lo, g.hi, g.n, g.sum = g.lo[:0], g.hi[:0], g.n[:0], g.sum[:0] }

// start appends an empty group of one value.
func (g *groups) start(v float64) {
	g.lo, g.hi, g.n = append(g.lo, v), append(g.hi, v), append(g.n, 0)
	for range g.width {
		g.sum = append(g.sum, 0)
	}
}

// add takes example i into a group.
func (g *groups) add(at int, of *Sample, i int) {
	g.n[at] += of.Weight[i]
	if of.Target != nil {
		g.sum[at] += of.Target[i]
	} else {
		g.sum[at*g.width+int(of.Class[i])] += of.Weight[i]
	}
}

// merge takes examples that share the value v into the group that holds it, or makes one.
func (g *groups) merge(v float64, s *Statistic) {
	if s.N == 0 {
		return
	}
	at := 0
	for at < len(g.n) && g.hi[at] < v {
		at++
	}
	if at == len(g.n) || g.lo[at] > v {
		last := len(g.n)
		g.start(v)
		copy(g.lo[at+1:], g.lo[at:last])
		copy(g.hi[at+1:], g.hi[at:last])
		copy(g.n[at+1:], g.n[at:last])
		copy(g.sum[(at+1)*g.width:], g.sum[at*g.width:last*g.width])
		g.lo[at], g.hi[at], g.n[at] = v, v, 0
		clear(g.sum[at*g.width : (at+1)*g.width])
	}
	g.put(at, s)
}

// put takes examples into a group, which must be there unless they are none.
func (g *groups) put(at int, s *Statistic) {
	if s.N == 0 {
		return
	}
	g.n[at] += s.N
	for k, x := range s.Sum {
		g.sum[at*g.width+k] += x
	}
}
