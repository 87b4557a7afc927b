package walks

import (
	"math"
	"slices"
)

// Rule is a split with its adjacency matrix looked up.
type Rule struct {
	Split
	Op int // operator of the data; no matter where Length is 0
}

// Rule looks up the adjacency matrix of a split.
func (in *Input) Rule(s Split) Rule { return Rule{Split: s, Op: max(slices.Index(in.Arcs, s.Arcs), 0)} }

// Evaluator computes split functions. Its vectors hold until the next call; it is for one goroutine.
type Evaluator struct {
	d       *Data
	empty   Empty
	buffers [2][]float64
	list    []int32
	values  []float64 // of a segment, see Data.valuesOf
}

// NewEvaluator returns one for a batch; empty says what an aggregation of nothing is.
func NewEvaluator(d *Data, empty Empty) *Evaluator { return &Evaluator{d: d, empty: empty} }

// buffer returns a zero vector of length n.
func (e *Evaluator) buffer(i, n int) []float64 {
	if cap(e.buffers[i]) < n {
		e.buffers[i] = make([]float64, n)
	}
	b := e.buffers[i][:n]
	clear(b)
	return b
}

// Vector returns v = (A^d o M_r(S)) f_k on one graph (Eq. 1), whose segment of the feature is st. all says that
// S is the whole graph, else subset lists its vertices, ascending. Rows that the mask of target walks drops are
// left as they are without it: who aggregates over S never sees them. v belongs to e or to the data.
func (e *Evaluator) Vector(r *Rule, st *Segment, subset []int32, all bool) []float64 {
	x := e.d.valuesOf(st, &e.values)
	switch {
	case r.Walk == Cycle && r.Length > 0:
		if all {
			subset = e.d.All(st.first, st.first+st.number)
		}
		v := e.buffer(0, len(x))
		e.d.cycles(v, x, r.Feature, st, r.Op, r.Length, subset)
		return v
	case all && r.Length == 0:
		return x
	case all || r.Walk == Target && r.Length > 0:
		return e.d.walksOf(r.Op, r.Length, st, &e.buffers[0])
	}
	if r.Length == 0 {
		v := e.buffer(0, len(x))
		for _, j := range subset {
			v[j-st.first] = x[j-st.first]
		}
		return v
	}
	g := e.d.features[r.Feature].grid
	steps := &e.d.Operators[r.Op].Out
	v := e.buffer(0, len(x))
	steps.push(v, x, e.sources(x, subset, st.first), st.first, g)
	for i := 1; i < r.Length; i++ {
		next := e.buffer(i%2, len(x))
		steps.push(next, v, e.d.All(st.first, st.first+st.number), st.first, g)
		v = next
	}
	return v
}

// sources returns the vertices of a subset whose value is neither 0 nor missing.
func (e *Evaluator) sources(x []float64, subset []int32, first int32) []int32 {
	if cap(e.list) < len(subset) {
		e.list = make([]int32, len(subset))
	}
	e.list = e.list[:len(subset)]
	n := 0
	for _, j := range subset {
		y := x[j-first]
		e.list[n] = j
		step := 0
		if y < 0 || y > 0 {
			step = 1
		}
		n += step
	}
	return e.list[:n]
}

// cycles writes diag(A^d) o x, of the values x, at some vertices of a graph to v, whose first entry is that of the
// graph's first vertex.
func (d *Data) cycles(v, x []float64, feature int, st *Segment, op, length int, vertices []int32) {
	diagonal := d.diagonal[op][length-1]
	g := d.cycleGrid(feature)
	if g == NoGrid {
		for _, j := range vertices {
			v[j-st.first] = diagonal[j] * x[j-st.first]
		}
		return
	}
	for _, j := range vertices {
		v[j-st.first] = g.Round(diagonal[j] * x[j-st.first])
	}
}

// cycleGrid returns the grid to which closed walks times feature k are rounded: without weights the product is on
// the feature's grid already.
func (d *Data) cycleGrid(k int) Grid {
	if !d.Weighted() {
		return NoGrid
	}
	return d.features[k].grid
}

// OfGraph returns the value of a graph (section 3.5): v aggregated over a subset of the given size, or over all
// vertices for source walks. st is nil where the feature does not occur; the value is NaN where all entries are
// missing.
func (e *Evaluator) OfGraph(r *Rule, st *Segment, v []float64, subset []int32, size int, all bool) float64 {
	switch {
	case size == 0:
		return e.empty.Value(r.Walk)
	case st == nil:
		return 0
	case r.Walk == Source || all:
		return aggregate(v, r.Aggregation)
	}
	return aggregateOver(v, subset, st.first, r.Aggregation)
}

// Graph returns the value of a graph, and v where it was needed for that.
func (e *Evaluator) Graph(r *Rule, st *Segment, subset []int32, all bool) (value float64, v []float64) {
	if st == nil {
		return e.OfGraph(r, nil, nil, subset, len(subset), all), nil
	}
	if r.Walk == Source && r.Length > 0 && !all && len(subset) > 0 && (r.Aggregation == Sum || r.Aggregation == Mean) &&
		e.d.starts != nil && e.d.features[r.Feature].grid != NoGrid {
		// 1'A^d(1_S f), whose sum is exact in this order too.
		x, starts := e.d.valuesOf(st, &e.values), e.d.starts[r.Op][r.Length-1]
		for _, j := range subset {
			if y := x[j-st.first]; y == y {
				value += starts[j] * y
			}
		}
		if r.Aggregation == Mean {
			value /= float64(st.number)
		}
		return value, nil
	}
	v = e.Vector(r, st, subset, all)
	return e.OfGraph(r, st, v, subset, len(subset), all), v
}

// Value returns one aggregation.
func (s summary) Value(a Aggregation) float64 {
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

// GoesAbove reports whether a value is above a threshold.
func (s *Split) GoesAbove(value, threshold float64) bool {
	return value > threshold || value != value && s.MissingAbove
}

// VertexThreshold is what the entries of v are compared with to cut a subset of the given size (section 3.5).
func (s *Split) VertexThreshold(size int) float64 {
	if s.Aggregation == Sum {
		return s.Threshold / float64(size)
	}
	return s.Threshold
}

// CutInto splits subset, vertices of one graph, into those above the threshold and the others (Eq. 3), appended to
// above and below. v is nil for zeros; v[0] is the entry of vertex first.
func (s *Split) CutInto(above, below []int32, v []float64, subset []int32, first int32) (a, b []int32) {
	if len(subset) == 0 {
		return above, below
	}
	t := s.VertexThreshold(len(subset))
	if v == nil {
		if s.GoesAbove(0, t) {
			return append(above, subset...), below
		}
		return above, append(below, subset...)
	}
	// Both lists are written at every step and one of them grows: no branch to guess.
	if cap(above)-len(above) < len(subset) || cap(below)-len(below) < len(subset) {
		above, below = slices.Grow(above, len(subset)), slices.Grow(below, len(subset))
	}
	a, b = above[len(above):len(above)+len(subset)], below[len(below):len(below)+len(subset)]
	up, down := 0, 0
	for _, j := range subset {
		x := v[j-first]
		a[up], b[down] = j, j
		step := 0
		if x > t {
			step = 1
		}
		if x != x && s.MissingAbove {
			step = 1
		}
		up += step
		down += 1 - step
	}
	return above[:len(above)+up], below[:len(below)+down]
}
