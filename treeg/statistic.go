package treeg

import "math"

// sample holds the weights, and the targets or classes, of some examples.
type sample struct {
	weight []float64
	target []float64 // times the weight; nil where there are classes
	class  []int32
}

func (s *sample) clear() { s.weight, s.target, s.class = s.weight[:0], s.target[:0], s.class[:0] }

// take appends example i of another sample.
func (s *sample) take(of *sample, i int) {
	s.weight = append(s.weight, of.weight[i])
	if of.target != nil {
		s.target = append(s.target, of.target[i])
	} else {
		s.class = append(s.class, of.class[i])
	}
}

// statistic is what a split needs to know of a set of examples. Sums are exact (see the package comment), so
// their order does not matter.
type statistic struct {
	n   float64   // sum of the weights
	sum []float64 // of the targets, one number; or the weight of every class
}

func newStatistic(width int) statistic { return statistic{sum: make([]float64, width)} }

func (s *statistic) reset() {
	s.n = 0
	clear(s.sum)
}

// add takes up example i.
func (s *statistic) add(of *sample, i int) {
	s.n += of.weight[i]
	if of.target != nil {
		s.sum[0] += of.target[i]
	} else {
		s.sum[of.class[i]] += of.weight[i]
	}
}

// plus adds another statistic.
func (s *statistic) plus(t *statistic) {
	s.n += t.n
	for i, v := range t.sum {
		s.sum[i] += v
	}
}

// minus subtracts another statistic.
func (s *statistic) minus(t *statistic) {
	s.n -= t.n
	for i, v := range t.sum {
		s.sum[i] -= v
	}
}

// criterion says what a split reduces. Its score is the part of n times the impurity that differs between splits,
// with the sign turned: a split gains score(LTE) + score(GT) - score(node).
type criterion uint8

const (
	variance criterion = iota // (sum of targets)^2 / n
	gini                      // sum over classes of n_c^2 / n
	entropy                   // sum over classes of n_c log2 n_c - n log2 n
)

func (c criterion) score(n float64, sum []float64) float64 {
	score := 0.0
	if c == entropy {
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
func (g *groups) add(at int, of *sample, i int) {
	g.n[at] += of.weight[i]
	if of.target != nil {
		g.sum[at] += of.target[i]
	} else {
		g.sum[at*g.width+int(of.class[i])] += of.weight[i]
	}
}

// merge takes examples that share the value v into the group that holds it, or makes one.
func (g *groups) merge(v float64, s *statistic) {
	if s.n == 0 {
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
func (g *groups) put(at int, s *statistic) {
	if s.n == 0 {
		return
	}
	g.n[at] += s.n
	for k, x := range s.sum {
		g.sum[at*g.width+k] += x
	}
}
