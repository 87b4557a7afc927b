package treeg

import "slices"

// spread holds one feature along walks from the two subsets of a cut, in one graph.
type spread struct {
	d       *Data
	vectors [][2][]float64 // operator*length + length-1, then below and above: A^d(1_S f), nil for zeros
	memory  [][2][]float64
	cycles  []float64 // diag(A^d) o f
	sources [2][]int32
}

func (s *spread) init(d *Data) {
	s.d = d
	count := len(d.operators) * d.length
	s.vectors = make([][2][]float64, count)
	s.memory = make([][2][]float64, count)
}

// index returns the place of an operator and a length above 0.
func (d *Data) index(op, length int) int { return op*d.length + length - 1 }

// split sorts the vertices with a value by the side of the cut on which they are.
func (s *spread) split(c *cut, st *strand) {
	sources := s.d.sources[st.from:st.to]
	up := slices.Grow(s.sources[1][:0], len(sources))[:len(sources)]
	down := slices.Grow(s.sources[0][:0], len(sources))[:len(sources)]
	ups, downs := 0, 0
	for _, v := range sources {
		up[ups], down[downs] = v, v
		side := c.side[v]
		ups += int(side & above)
		downs += int(side >> 1)
	}
	s.sources[0], s.sources[1] = down[:downs], up[:ups]
}

// walk fills in the vectors of walks of up to the given length from the sources.
func (s *spread) walk(c *cut, feature int, st *strand, length int) {
	d := s.d
	number := st.to - st.from
	x := st.vector(d.values)
	kept := &d.kept[feature]
	subtract := c.whole && kept.exact && !d.weighted() && len(s.sources[0])+len(s.sources[1]) == number
	fewer, other := 0, 1 // the walks from fewer sources are made, those from the other side are the rest
	if len(s.sources[1]) < len(s.sources[0]) {
		fewer, other = 1, 0
	}
	for o, op := range d.operators {
		for l := 1; l <= length; l++ {
			at := d.index(o, l)
			for _, side := range [2]int{fewer, other} {
				var v []float64
				switch {
				case len(s.sources[side]) == 0:
				case len(s.sources[side]) == number:
					v = st.vector(d.walks[o][l-1])
				case side == other && subtract:
					v = s.buffer(at, side, len(x))
					minus(v, st.vector(d.walks[o][l-1]), s.vectors[at][fewer])
				default:
					v = s.buffer(at, side, len(x))
					clear(v)
					if l == 1 {
						op.out.pushFrom(v, x, s.sources[side], st.first, kept.grid)
					} else {
						op.out.push(v, s.vectors[at-1][side], st.first, kept.grid)
					}
				}
				s.vectors[at][side] = v
			}
		}
	}
}

func (s *spread) buffer(at, side, n int) []float64 {
	if cap(s.memory[at][side]) < n {
		s.memory[at][side] = make([]float64, n)
	}
	return s.memory[at][side][:n]
}

// minus computes v = a - b.
func minus(v, a, b []float64) {
	a, b = a[:len(v)], b[:len(v)]
	for i := range v {
		v[i] = a[i] - b[i]
	}
}

// cycle returns closed walks times the feature, at some vertices.
func (s *spread) cycle(feature int, st *strand, op, length int, vertices []int32) []float64 {
	x := st.vector(s.d.values)
	if cap(s.cycles) < len(x) {
		s.cycles = make([]float64, len(x))
	}
	v := s.cycles[:len(x)]
	diagonal := s.d.diagonal[op][length-1]
	g := s.d.cycleGrid(feature)
	if g == noGrid {
		for _, j := range vertices {
			v[j-st.first] = diagonal[j] * x[j-st.first]
		}
		return v
	}
	for _, j := range vertices {
		v[j-st.first] = g.round(diagonal[j] * x[j-st.first])
	}
	return v
}
