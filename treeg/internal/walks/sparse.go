package walks

import "slices"

// SparseWalks holds one feature along walks from the two subsets of a cut, in all graphs. Of the walks that a search
// does not need it holds some and not others.
type SparseWalks struct {
	d       *Data
	start   [2]sparseVector   // below and above: the feature on a subset
	vectors [][2]sparseVector // operator*length + length-1, then below and above
}

// sparseVector is a number for each vertex of a batch, most of them zeros.
type sparseVector struct {
	x  []float64 // nil: zeros
	at []int32   // vertices whose number may not be zero, some perhaps twice
}

// Init makes s ready for a batch.
func (s *SparseWalks) Init(d *Data) {
	s.d = d
	s.vectors = make([][2]sparseVector, len(d.Operators)*d.Length)
}

// Walk makes walks of up to a length from the subsets of a cut, as planned.
func (s *SparseWalks) Walk(c *Cut, feature, length int, plan *WalkPlan) {
	s.begin(c, feature)
	for o, op := range s.d.Operators {
		for side := range s.start {
			x := &s.start[side]
			for l := 1; l <= length; l++ {
				y := &s.vectors[s.d.Index(o, l)][side]
				y.reset(len(s.d.numbers))
				s.step(y, x, op, &plan.operators[o], l, s.d.features[feature].grid)
				x = y
			}
		}
	}
}

// begin divides the values of a feature by the side of the cut on which their vertices are.
func (s *SparseWalks) begin(c *Cut, feature int) {
	d := s.d
	for side := range s.start {
		s.start[side].reset(len(d.numbers))
	}
	for _, g := range c.Graphs {
		st := d.Segment(feature, g)
		if st == nil {
			continue
		}
		x := st.vector(d.values) // at vertex level values are kept as such
		for _, v := range d.sources[st.from:st.to] {
			switch c.Side[v] {
			case Below:
				s.start[0].set(v, x[v-st.first])
			case Above:
				s.start[1].set(v, x[v-st.first])
			}
		}
	}
}

// step sets y = A x, at the vertices that are needed or wherever x leads, whichever are fewer arcs.
func (s *SparseWalks) step(y, x *sparseVector, op *operator, n *neededRows, length int, g Grid) {
	if len(x.at) == 0 {
		return
	}
	arcs := 0
	for _, j := range x.at {
		if arcs += int(op.Out.ptr[j+1] - op.Out.ptr[j]); arcs > n.arcs[length-1] {
			for _, v := range n.rows[length-1] {
				if sum := op.In.pull(x.x, v, g); sum != 0 {
					y.set(v, sum)
				}
			}
			return
		}
	}
	if length > 1 { // the order of pull, each vertex once
		slices.Sort(x.at)
		x.at = slices.Compact(x.at)
	}
	for _, j := range x.at {
		op.Out.pushSparse(y, j, x.x[j], g)
	}
}

// Fill writes the entries of walks from one subset at some vertices. It reports whether some are not 0.
func (s *SparseWalks) Fill(out []float64, k Kind, vertices []int32) (any bool) {
	side := k.Side()
	v := &s.vectors[s.d.Index(k.Op, k.Length)][side]
	if len(v.at) == 0 {
		return false
	}
	for i, j := range vertices {
		out[i] = v.x[j]
		any = any || v.x[j] != 0
	}
	return any
}

// reset makes a vector of n zeros.
func (v *sparseVector) reset(n int) {
	if v.x == nil {
		v.x = make([]float64, n)
	}
	for _, i := range v.at {
		v.x[i] = 0
	}
	v.at = v.at[:0]
}

// set gives a vertex, whose number is zero, another.
func (v *sparseVector) set(i int32, x float64) {
	v.x[i] = x
	v.at = append(v.at, i)
}

// pull returns what a step brings to vertex i.
func (r *rows) pull(x []float64, i int32, g Grid) float64 {
	sum := 0.0
	columns := r.col[r.ptr[i]:r.ptr[i+1]]
	if r.weight == nil {
		for _, j := range columns {
			sum += x[j]
		}
		return sum
	}
	weights := r.weight[r.ptr[i]:r.ptr[i+1]]
	for p, j := range columns {
		if v := x[j]; v != 0 {
			sum += g.Round(weights[p] * v)
		}
	}
	return sum
}

// pushSparse adds what a step brings from vertex j, whose number is x.
func (r *rows) pushSparse(y *sparseVector, j int32, x float64, g Grid) {
	for p := r.ptr[j]; p < r.ptr[j+1]; p++ {
		i := r.col[p]
		if y.x[i] == 0 {
			y.at = append(y.at, i)
		}
		if r.weight == nil {
			y.x[i] += x
		} else {
			y.x[i] += g.Round(r.weight[p] * x)
		}
	}
}
