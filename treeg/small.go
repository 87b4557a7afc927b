package treeg

import "math/bits"

// Prediction of small graphs. The subsets of a graph of at most 64 vertices are words, and one-hot features along
// walks are counts of bits. All sums are exact, so the values are those of the lists that larger graphs use.

const smallest = 64

// bitGraph is the graph that a walker is in.
type bitGraph struct {
	first    int32
	n        int
	full     uint64
	in, out  []uint64    // operator*n + vertex: where steps come from and lead to
	ones     []uint64    // by feature: vertices whose value is 1, of the features that are known
	known    []bool      // by feature
	cuts     [][2]uint64 // by depth: the subsets below and above
	subset   []int32     // a word written as a list
	counts   []float64   // of walks
	previous []float64
}

// bitsSuit reports whether graphs of the data may be words: arcs are single and have no weights, no value is missing
// and sums are exact.
func (d *Data) bitsSuit() bool {
	if d.input.Level != Graphs || d.weighted() {
		return false
	}
	for k := range d.kept {
		if d.kept[k].missing || d.kept[k].grid == noGrid {
			return false
		}
	}
	for _, op := range d.operators {
		for v := range len(op.out.ptr) - 1 {
			row := op.out.col[op.out.ptr[v]:op.out.ptr[v+1]]
			for i := 1; i < len(row); i++ {
				if row[i] == row[i-1] {
					return false
				}
			}
		}
	}
	return true
}

// enter reads the arcs of a graph.
func (b *bitGraph) enter(d *Data, first, last int32) {
	n := int(last - first)
	b.first, b.n, b.full = first, n, 1<<n-1
	if len(b.known) == 0 {
		b.known, b.ones = make([]bool, len(d.kept)), make([]uint64, len(d.kept))
		b.in, b.out = make([]uint64, smallest*len(d.operators)), make([]uint64, smallest*len(d.operators))
		b.counts, b.previous = make([]float64, smallest), make([]float64, smallest)
	}
	clear(b.known)
	for o, op := range d.operators {
		in, out := b.in[o*n:(o+1)*n], b.out[o*n:(o+1)*n]
		for v := range n {
			out[v] = word(&op.out, first, v)
		}
		if symmetric(d.batch) && op.arcs.Type == AllArcs {
			copy(in, out)
			continue
		}
		for v := range n {
			in[v] = word(&op.in, first, v)
		}
	}
}

// word returns a row of a matrix within a graph.
func word(r *rows, first int32, v int) uint64 {
	w := uint64(0)
	for _, u := range r.col[r.ptr[int(first)+v]:r.ptr[int(first)+v+1]] {
		w |= 1 << (u - first)
	}
	return w
}

// onesOf returns the vertices with a one-hot feature.
func (b *bitGraph) onesOf(d *Data, k int, st *strand) uint64 {
	if !b.known[k] {
		w := uint64(0)
		for _, v := range d.sources[st.from:st.to] {
			w |= 1 << (v - st.first)
		}
		b.known[k], b.ones[k] = true, w
	}
	return b.ones[k]
}

// list writes a word as a list of vertices of the batch.
func (b *bitGraph) list(w uint64) []int32 {
	b.subset = b.subset[:0]
	for ; w != 0; w &= w - 1 {
		b.subset = append(b.subset, b.first+int32(bits.TrailingZeros64(w)))
	}
	return b.subset
}

// bitLeaf is graph for the small graph that was entered.
func (w *walker) bitLeaf(p *path, g int32) int32 {
	b := &w.bits
	i := int32(0)
	for depth := 0; ; depth++ {
		s := &p.steps[i]
		if !s.split {
			return i
		}
		var value float64
		subset := b.full
		if s.slot >= 0 {
			value = w.row[s.slot]
		} else {
			r := &p.rules[i]
			subset = b.cuts[depth-r.Pointer][bit(r.Above)]
			value = w.bitValue(r, g, subset)
		}
		side, next := 0, s.lte
		if value > s.threshold {
			side, next = 1, s.gt
		}
		if s.pointed[side] {
			for len(b.cuts) <= depth {
				b.cuts = append(b.cuts, [2]uint64{})
			}
			up := w.bitCut(&p.rules[i], g, subset, s.slot >= 0)
			b.cuts[depth] = [2]uint64{subset &^ up, up}
		}
		i = next
	}
}

func bit(x bool) int {
	if x {
		return 1
	}
	return 0
}

// bitValue is the value of a split that uses a subset.
func (w *walker) bitValue(r *rule, g int32, subset uint64) float64 {
	size := bits.OnesCount64(subset)
	if size == 0 {
		return w.e.empty.value(r.Walk)
	}
	st := w.d.strand(r.Feature, g)
	if st == nil {
		return 0
	}
	b := &w.bits
	if r.Feature < w.d.input.Attributes {
		value, _ := w.e.graph(r, st, b.list(subset), false)
		return value
	}
	from := subset & b.onesOf(w.d, r.Feature, st)
	entries := size
	if r.Walk == Source {
		entries = b.n
	}
	if sums := r.Aggregation == Sum || r.Aggregation == Mean; sums {
		sum := w.bitSum(r, st, subset, from)
		if r.Aggregation == Mean {
			return sum / float64(entries)
		}
		return sum
	}
	return w.bitExtreme(r, st, subset, from)
}

// bitSum adds up the entries of v; from are the vertices of the subset whose value is 1.
func (w *walker) bitSum(r *rule, st *strand, subset, from uint64) float64 {
	b := &w.bits
	switch {
	case r.Length == 0:
		return float64(bits.OnesCount64(from))
	case r.Walk == Source:
		return b.sum(w.d.starts[r.op][r.Length-1][b.first:], from)
	case r.Walk == Cycle:
		return b.sum(w.d.diagonal[r.op][r.Length-1][b.first:], from)
	case r.Walk == Target:
		return b.sum(st.vector(w.d.walks[r.op][r.Length-1]), subset)
	case r.Length == 1:
		count := 0
		for m := subset; m != 0; m &= m - 1 {
			count += bits.OnesCount64(b.in[r.op*b.n+bits.TrailingZeros64(m)] & from)
		}
		return float64(count)
	case r.Length == 2:
		in, out := b.in[r.op*b.n:(r.op+1)*b.n], b.out[r.op*b.n:(r.op+1)*b.n]
		count := 0
		for m := range in {
			count += bits.OnesCount64(in[m]&from) * bits.OnesCount64(out[m]&subset)
		}
		return float64(count)
	}
	return b.sum(w.bitVector(r, from), subset)
}

// sum adds up some entries of a vector.
func (b *bitGraph) sum(v []float64, w uint64) float64 {
	sum := 0.0
	for ; w != 0; w &= w - 1 {
		sum += v[bits.TrailingZeros64(w)]
	}
	return sum
}

// bitExtreme is the smallest or the largest of the entries of v.
func (w *walker) bitExtreme(r *rule, st *strand, subset, from uint64) float64 {
	b := &w.bits
	entries, v := subset, []float64(nil)
	zeros := false
	switch {
	case r.Length == 0 || r.Walk == Cycle:
		entries = from
		zeros = subset != from || r.Walk == Source && subset != b.full
		if r.Length > 0 {
			v = w.d.diagonal[r.op][r.Length-1][b.first:]
		} else {
			v = st.vector(w.d.values)
		}
	case r.Walk == Target:
		v = st.vector(w.d.walks[r.op][r.Length-1])
	default:
		v = w.bitVector(r, from)
		if r.Walk == Source {
			entries = b.full
		}
	}
	var s summary
	if zeros {
		s = summary{count: 1}
	}
	for ; entries != 0; entries &= entries - 1 {
		x := v[bits.TrailingZeros64(entries)]
		if s.count == 0 {
			s = summary{min: x, max: x, count: 1}
		}
		s.min, s.max = min(s.min, x), max(s.max, x)
	}
	return s.value(r.Aggregation)
}

// bitVector counts the walks from some vertices to every vertex.
func (w *walker) bitVector(r *rule, from uint64) []float64 {
	b := &w.bits
	in := b.in[r.op*b.n : (r.op+1)*b.n]
	v, last := b.counts[:b.n], b.previous[:b.n]
	for i, sources := range in {
		v[i] = float64(bits.OnesCount64(sources & from))
	}
	for range r.Length - 1 {
		v, last = last, v
		for i, sources := range in {
			v[i] = b.sum(last, sources)
		}
	}
	return v
}

// bitCut returns the vertices of the subset that are above the threshold.
func (w *walker) bitCut(r *rule, g int32, subset uint64, all bool) (up uint64) {
	if subset == 0 {
		return 0
	}
	b := &w.bits
	t := r.vertexThreshold(bits.OnesCount64(subset))
	st := w.d.strand(r.Feature, g)
	if st == nil {
		if 0 > t {
			return subset
		}
		return 0
	}
	v := []float64(nil)
	hot := r.Feature >= w.d.input.Attributes
	switch {
	case hot && r.Length == 0:
		ones := b.onesOf(w.d, r.Feature, st)
		if 1 > t {
			up |= subset & ones
		}
		if 0 > t {
			up |= subset &^ ones
		}
		return up
	case all:
		for j, x := range w.e.vector(r, st, nil, true) {
			step := uint64(0)
			if x > t {
				step = 1
			}
			up |= step << j
		}
		return up
	case !hot || r.Walk != Source && r.Walk != TargetSource:
		v = w.e.vector(r, st, b.list(subset), false)
	default:
		v = w.bitVector(r, subset&b.onesOf(w.d, r.Feature, st))
	}
	for m := subset; m != 0; m &= m - 1 {
		j := bits.TrailingZeros64(m)
		step := uint64(0)
		if v[j] > t {
			step = 1
		}
		up |= step << j
	}
	return up
}
