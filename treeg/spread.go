package treeg

import "slices"

// spread holds one feature along walks from the two subsets of a cut, in one graph.
type spread struct {
	d       *Data
	vectors [][2][]float64 // operator*length + length-1, then below and above: A^d(1_S f), nil for zeros
	memory  [][2][]float64
	cycles  [][]float64 // operator*length + length-1: diag(A^d) o f
	sources [2][]int32
}

func (s *spread) init(d *Data) {
	s.d = d
	count := len(d.operators) * d.length
	s.vectors = make([][2][]float64, count)
	s.memory = make([][2][]float64, count)
	s.cycles = make([][]float64, count)
}

// index returns the place of an operator and a length above 0.
func (d *Data) index(op, length int) int { return op*d.length + length - 1 }

// split sorts the vertices with a value by the side of the cut on which they are.
func (s *spread) split(c *cut, st *strand) {
	sources := s.d.sources[st.from:st.to]
	up, down := slices.Grow(s.sources[1][:0], len(sources))[:len(sources)], slices.Grow(s.sources[0][:0], len(sources))[:len(sources)]
	ups, downs := 0, 0
	for _, v := range sources {
		up[ups], down[downs] = v, v
		side := c.side[v]
		ups += int(side & above)
		downs += int(side >> 1)
	}
	s.sources[0], s.sources[1] = down[:downs], up[:ups]
}

// walk fills in the vectors of walks of up to the given length from the sources. Where rows is not nil, only their
// entries are needed of the longest walks.
func (s *spread) walk(c *cut, feature int, st *strand, length int, rows []int32) {
	d := s.d
	number := st.to - st.from
	x := st.vector(d.values)
	kept := &d.kept[feature]
	subtract := c.whole && kept.exact && d.batch.ArcWeights == nil
	for o, op := range d.operators {
		for l := 1; l <= length; l++ {
			at := d.index(o, l)
			for side := range s.sources {
				var v []float64
				switch {
				case len(s.sources[side]) == 0:
				case len(s.sources[side]) == number:
					v = st.vector(d.walks[o][l-1])
				case side == 1 && subtract && len(s.sources[0]) > 0 && len(s.sources[0])+len(s.sources[1]) == number:
					v = s.buffer(at, side, len(x))
					if l == length && rows != nil {
						minusAt(v, st.vector(d.walks[o][l-1]), s.vectors[at][0], rows, st.first)
					} else {
						minus(v, st.vector(d.walks[o][l-1]), s.vectors[at][0])
					}
				case l > 1 && l == length && rows != nil:
					v = s.buffer(at, side, len(x))
					for _, i := range rows {
						v[i-st.first] = op.in.pull(s.vectors[at-1][side], i, st.first, kept.grid)
					}
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

// minusAt computes v = a - b at some vertices.
func minusAt(v, a, b []float64, rows []int32, first int32) {
	for _, i := range rows {
		v[i-first] = a[i-first] - b[i-first]
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

// cycle fills in closed walks times the feature.
func (s *spread) cycle(feature int, st *strand, op, length int) []float64 {
	at := s.d.index(op, length)
	x := st.vector(s.d.values)
	if cap(s.cycles[at]) < len(x) {
		s.cycles[at] = make([]float64, len(x))
	}
	v := s.cycles[at][:len(x)]
	diagonal := s.d.diagonal[op][length-1][st.first:]
	g := s.d.cycleGrid(feature)
	for i, y := range x {
		v[i] = g.round(diagonal[i] * y)
	}
	return v
}
