package treeg

import "math"

// rule is a split with its adjacency matrix looked up.
type rule struct {
	Split
	op int // operator of the data; no matter where Length is 0
}

// rule looks up the adjacency matrix of a split.
func (d *Data) rule(s Split) rule {
	r := rule{Split: s}
	for o, op := range d.operators {
		if op.arcs == s.Arcs {
			r.op = o
		}
	}
	return r
}

// evaluator computes split functions. Its vectors hold until the next call; it is for one goroutine.
type evaluator struct {
	d       *Data
	empty   Empty
	buffers [3][]float64

	above, below []int32 // for cutInto
}

func newEvaluator(d *Data, empty Empty) *evaluator { return &evaluator{d: d, empty: empty} }

// buffer returns a zero vector of length n.
func (e *evaluator) buffer(i, n int) []float64 {
	if cap(e.buffers[i]) < n {
		e.buffers[i] = make([]float64, n)
	}
	b := e.buffers[i][:n]
	clear(b)
	return b
}

// vector returns v = (A^d o M_r(S)) f_k on one graph (Eq. 1), whose strand of the feature is st. all says that
// S is the whole graph, else subset lists its vertices, ascending. Rows that the mask of target walks drops are
// left as they are without it: who aggregates over S never sees them. v belongs to e or to the data.
func (e *evaluator) vector(r *rule, st *strand, subset []int32, all bool) []float64 {
	x := st.vector(e.d.values)
	switch {
	case r.Walk == Cycle && r.Length > 0:
		return e.cycles(r, st, x, subset, all)
	case all && r.Length == 0:
		return x
	case all || r.Walk == Target && r.Length > 0:
		return st.vector(e.d.walks[r.op][r.Length-1])
	}
	v := e.buffer(0, len(x))
	for _, j := range subset {
		v[j-st.first] = x[j-st.first]
	}
	if r.Length == 0 {
		return v
	}
	g := e.d.kept[r.Feature].grid
	if e.d.kept[r.Feature].missing {
		for i, y := range v {
			if y != y {
				v[i] = 0
			}
		}
	}
	steps := &e.d.operators[r.op].out
	for i := range r.Length {
		next := e.buffer(1+i%2, len(x))
		steps.push(next, v, st.first, g)
		v = next
	}
	return v
}

// cycles returns diag(A^d) o 1_S o x.
func (e *evaluator) cycles(r *rule, st *strand, x []float64, subset []int32, all bool) []float64 {
	v := e.buffer(0, len(x))
	diagonal := e.d.diagonal[r.op][r.Length-1][st.first:]
	g := e.d.cycleGrid(r.Feature)
	if all {
		for i, y := range x {
			v[i] = g.round(diagonal[i] * y)
		}
		return v
	}
	for _, j := range subset {
		i := j - st.first
		v[i] = g.round(diagonal[i] * x[i])
	}
	return v
}

// cycleGrid returns the grid to which closed walks times feature k are rounded: without weights the product is on
// the feature's grid already.
func (d *Data) cycleGrid(k int) grid {
	if d.batch.ArcWeights == nil {
		return noGrid
	}
	return d.kept[k].grid
}

// ofGraph returns the value of a graph (section 3.5): v aggregated over a subset of the given size, or over all
// vertices for source walks. st is nil where the feature does not occur; the value is NaN where all entries are missing.
func (e *evaluator) ofGraph(r *rule, st *strand, v []float64, subset []int32, size int, all bool) float64 {
	switch {
	case size == 0:
		return e.empty.value(r.Walk)
	case st == nil:
		return 0
	case r.Walk == Source || all:
		return summarize(v).value(r.Aggregation)
	}
	return summarizeOver(v, subset, st.first).value(r.Aggregation)
}

// value returns one aggregation.
func (s summary) value(a Aggregation) float64 {
	if s.count == 0 {
		return math.NaN()
	}
	switch a {
	case Sum:
		return s.sum
	case Mean:
		return s.sum / float64(s.count)
	case Min:
		return s.min
	}
	return s.max
}

// goesAbove reports whether a value is above a threshold.
func (s *Split) goesAbove(value, threshold float64) bool {
	return value > threshold || value != value && s.MissingAbove
}

// vertexThreshold is what the entries of v are compared with to cut a subset of the given size (section 3.5).
func (s *Split) vertexThreshold(size int) float64 {
	if s.Aggregation == Sum {
		return s.Threshold / float64(size)
	}
	return s.Threshold
}

// cutInto splits subset, vertices of one graph, into those above the threshold and the others (Eq. 3), appended to
// above and below. v is nil for zeros; v[0] is the entry of vertex first.
func (s *Split) cutInto(above, below []int32, v []float64, subset []int32, first int32) (a, b []int32) {
	if len(subset) == 0 {
		return above, below
	}
	t := s.vertexThreshold(len(subset))
	if v == nil {
		if s.goesAbove(0, t) {
			return append(above, subset...), below
		}
		return above, append(below, subset...)
	}
	for _, j := range subset {
		if s.goesAbove(v[j-first], t) {
			above = append(above, j)
		} else {
			below = append(below, j)
		}
	}
	return above, below
}
