package walks

import "slices"

// DenseWalks holds one feature along walks from the two subsets of a cut, in one graph.
type DenseWalks struct {
	d       *Data
	vectors [][2][]float64 // operator*length + length-1, then below and above: A^d(1_S f), nil for zeros
	memory  [][2][]float64
	cycles  []float64 // diag(A^d) o f
	values  []float64 // of a segment, see Data.valuesOf
	all     []float64 // walks of a segment, see Data.walksOf
	sources [2][]int32
}

// Init makes s ready for a batch.
func (s *DenseWalks) Init(d *Data) {
	s.d = d
	count := len(d.Operators) * d.Length
	s.vectors = make([][2][]float64, count)
	s.memory = make([][2][]float64, count)
}

// Index returns the place of an operator and a length above 0.
func (d *Data) Index(op, length int) int { return op*d.Length + length - 1 }

// split sorts the vertices with a value by the side of the cut on which they are.
func (s *DenseWalks) split(c *Cut, st *Segment) {
	sources := s.d.sources[st.from:st.to]
	up := slices.Grow(s.sources[1][:0], len(sources))[:len(sources)]
	down := slices.Grow(s.sources[0][:0], len(sources))[:len(sources)]
	ups, downs := 0, 0
	for _, v := range sources {
		up[ups], down[downs] = v, v
		side := c.Side[v]
		ups += int(side & Above)
		downs += int(side >> 1)
	}
	s.sources[0], s.sources[1] = down[:downs], up[:ups]
}

// Walk makes walks of up to the given length of a feature from the subsets of a cut.
func (s *DenseWalks) Walk(c *Cut, feature int, st *Segment, length int) {
	if length == 0 {
		return
	}
	s.split(c, st)
	d := s.d
	number := st.to - st.from
	x := d.valuesOf(st, &s.values)
	known := &d.features[feature]
	subtract := c.Whole && known.exact && !d.Weighted() && len(s.sources[0])+len(s.sources[1]) == number
	fewer, other := 0, 1 // the walks from fewer sources are made, those from the other side are the rest
	if len(s.sources[1]) < len(s.sources[0]) {
		fewer, other = 1, 0
	}
	for o, op := range d.Operators {
		for l := 1; l <= length; l++ {
			at := d.Index(o, l)
			for _, side := range [2]int{fewer, other} {
				var v []float64
				switch {
				case len(s.sources[side]) == 0:
				case len(s.sources[side]) == number:
					v = d.walksOf(o, l, st, &s.memory[at][side])
				case side == other && subtract:
					v = s.buffer(at, side, len(x))
					minus(v, d.walksOf(o, l, st, &s.all), s.vectors[at][fewer])
				default:
					v = s.buffer(at, side, len(x))
					clear(v)
					if l == 1 {
						op.Out.push(v, x, s.sources[side], st.first, known.grid)
					} else {
						op.Out.push(v, s.vectors[at-1][side], d.All(st.first, st.first+st.number), st.first, known.grid)
					}
				}
				s.vectors[at][side] = v
			}
		}
	}
}

func (s *DenseWalks) buffer(at, side, n int) []float64 {
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
func (s *DenseWalks) cycle(feature int, st *Segment, op, length int, vertices []int32) []float64 {
	s.cycles = slices.Grow(s.cycles[:0], int(st.number))[:st.number]
	s.d.cycles(s.cycles, s.d.valuesOf(st, &s.values), feature, st, op, length, vertices)
	return s.cycles
}

// Summary aggregates a feature of a kind over one subset of a cut, which is not empty, or over all vertices for source
// walks; walk made the walks.
func (s *DenseWalks) Summary(k *Kind, feature int, st *Segment, subset []int32) summary {
	d := s.d
	switch {
	case k.Length == 0:
		x := summarizeOver(d.valuesOf(st, &s.values), subset, st.first)
		if k.Walk == Source {
			x = x.withZeros(int(st.number) - len(subset))
		}
		return x
	case k.Walk == Target:
		return summarizeOver(d.walksOf(k.Op, k.Length, st, &s.all), subset, st.first)
	case k.Walk == Cycle:
		return summarizeOver(s.cycle(feature, st, k.Op, k.Length, subset), subset, st.first)
	}
	v := s.vectors[d.Index(k.Op, k.Length)][k.Side()]
	switch {
	case v == nil && k.Walk == Source:
		return summary{count: int(st.number)}
	case v == nil:
		return summary{count: len(subset)}
	case k.Walk == Source:
		return summarize(v)
	}
	return summarizeOver(v, subset, st.first)
}

// Entries writes a feature of a kind with all vertices as sources at some examples, vertices. With a cut, examples that
// are not on the wanted side of it get 0. It reports whether some entries are not 0.
func (s *DenseWalks) Entries(out []float64, p *Placed, feature int, k Kind, c *Cut, want uint8) (any bool) {
	for i, g := range p.Graphs {
		entries := out[p.Starts[i]:p.Starts[i+1]]
		examples := p.Examples[p.Starts[i]:p.Starts[i+1]]
		st := s.d.Segment(feature, g)
		if st == nil {
			clear(entries)
			continue
		}
		v := s.d.valuesOf(st, &s.values)
		switch {
		case k.Length > 0 && k.Walk == Cycle:
			v = s.cycle(feature, st, k.Op, k.Length, examples)
		case k.Length > 0:
			v = s.d.walksOf(k.Op, k.Length, st, &s.all)
		}
		for i, j := range examples {
			x := v[j-st.first]
			if c != nil && c.Side[j] != want {
				x = 0
			}
			entries[i] = x
			any = any || x != 0
		}
	}
	return any
}
