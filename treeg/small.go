package treeg

import "math/bits"

// Prediction of small graphs. The subsets of a graph of at most 64 vertices are words, and one-hot features along
// walks are counts of bits. All sums are exact, so the values are those of the lists that larger graphs use. Some graphs
// go through a tree together, so that a split is looked at once for all of them.

// Bounds of small graphs and of those that go through trees together: a word has a bit for each.
const smallest, together = 64, 64

// bitGraph is a small graph on its way through trees.
type bitGraph struct {
	graph   int32
	first   int32
	n       int
	full    uint64
	in, out []uint64 // operator*n + vertex: where steps come from and lead to
	ones    []uint64 // by feature: vertices whose value is 1, of the features that are known
	known   []bool   // by feature
}

// bitPart are small graphs that go through trees together. What a step of a tree looks at lies together for all of them.
type bitPart struct {
	graphs   []bitGraph
	of       []int                 // positions of the graphs among the examples
	all      []uint8               // 0, 1, ... for all graphs
	rows     [][together]float64   // by slot: values of the graphs
	cuts     [][2][together]uint64 // by depth: the subsets below and above
	whole    [][together]uint64    // by program.cuts: the vertices above
	isCut    []uint64              // by program.cuts: the graphs, a bit each, that are in whole
	lists    [][2][together]uint8  // by depth: graphs that go to the LTE and to the GT child
	values   [together]float64     // of a split that uses a subset
	leaves   [together]int32       // that the graphs reach in a tree
	subset   []int32               // a word written as a list
	counts   []float64             // of walks
	previous []float64
}

// wordsSuit reports whether small graphs of the data may be words: arcs are single and have no weights, no value is
// missing and sums are exact.
func (d *Data) wordsSuit() bool {
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

// newBitGraphs makes room for some graphs.
func newBitGraphs(d *Data, n int) []bitGraph {
	features, rows := len(d.kept), smallest*len(d.operators)
	words, flags := make([]uint64, n*(features+2*rows)), make([]bool, n*features)
	graphs := make([]bitGraph, n)
	for i := range graphs {
		b := &graphs[i]
		b.ones, b.in, b.out = take(&words, features), take(&words, rows), take(&words, rows)
		b.known = take(&flags, features)
	}
	return graphs
}

// take cuts the first n entries off.
func take[T any](from *[]T, n int) []T {
	first := (*from)[:n:n]
	*from = (*from)[n:]
	return first
}

// enter makes a graph ready.
func (b *bitGraph) enter(d *Data, g int32) {
	first, last := d.batch.Vertices(int(g))
	n := int(last - first)
	b.graph, b.first, b.n, b.full = g, first, n, 1<<n-1
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
func (p *bitPart) list(b *bitGraph, w uint64) []int32 {
	p.subset = p.subset[:0]
	for ; w != 0; w &= w - 1 {
		p.subset = append(p.subset, b.first+int32(bits.TrailingZeros64(w)))
	}
	return p.subset
}

// smallLeaves tells the leaves of those graphs of list[from:to] that are small.
func (w *walker) smallLeaves(list []int32, from, to int, tell func(i, tree int, leaf int32)) {
	s := &w.bits
	if n := min(together, to-from); len(s.graphs) < n {
		s.graphs = newBitGraphs(w.d, n)
	}
	if s.lists == nil {
		s.counts, s.previous = make([]float64, smallest), make([]float64, smallest)
		s.rows, s.whole = make([][together]float64, w.p.slots), make([][together]uint64, len(w.p.cuts))
		s.isCut, s.cuts = make([]uint64, len(w.p.cuts)), make([][2][together]uint64, w.p.depth)
		s.lists = make([][2][together]uint8, w.p.depth)
	}
	for i := from; i < to; {
		s.of, s.all = s.of[:0], s.all[:0]
		for ; i < to && len(s.of) < together; i++ {
			if w.d.small(list[i]) {
				s.graphs[len(s.of)].enter(w.d, list[i])
				s.of, s.all = append(s.of, i), append(s.all, uint8(len(s.of)))
			}
		}
		for at := range s.of {
			w.values(s.graphs[at].graph, func(slot int32, value float64) { s.rows[slot][at] = value })
		}
		clear(s.isCut)
		for t := range w.p.paths {
			w.bitLeaves(&w.p.paths[t], 0, 0, s.all)
			for at, i := range s.of {
				tell(i, t, s.leaves[at])
			}
		}
	}
}

// small reports whether a graph is a word.
func (d *Data) small(g int32) bool {
	first, last := d.batch.Vertices(int(g))
	return d.inWords && last-first <= smallest
}

// bitLeaves sends graphs through the tree below node i.
func (w *walker) bitLeaves(p *path, i int32, depth int, graphs []uint8) {
	if len(graphs) == 0 {
		return
	}
	s, part := &p.steps[i], &w.bits
	if !s.split {
		for _, at := range graphs {
			part.leaves[at%together] = i
		}
		return
	}
	// Every graph is written to both lists and one of them grows: no branch to guess.
	lists := &part.lists[depth]
	below, above, threshold := 0, 0, s.threshold
	r, values := &p.rules[i], &part.values
	if s.slot >= 0 {
		values = &part.rows[s.slot]
	} else {
		subsets := &part.cuts[depth-r.Pointer][bit(r.Above)]
		for _, at := range graphs {
			values[at%together] = w.bitValue(&part.graphs[at], r, subsets[at%together])
		}
	}
	for _, at := range graphs {
		up := bit(values[at%together] > threshold)
		lists[0][below%together], lists[1][above%together] = at, at
		below, above = below+1-up, above+up
	}
	lte, gt := lists[0][:below], lists[1][:above]
	if s.pointed[0] {
		w.bitCuts(s, r, depth, lte)
	}
	w.bitLeaves(p, s.lte, depth+1, lte)
	if s.pointed[1] {
		w.bitCuts(s, r, depth, gt)
	}
	w.bitLeaves(p, s.gt, depth+1, gt)
}

func bit(x bool) int {
	if x {
		return 1
	}
	return 0
}

// bitValue is the value of a split that uses a subset.
func (w *walker) bitValue(b *bitGraph, r *rule, subset uint64) float64 {
	size := bits.OnesCount64(subset)
	if size == 0 {
		return w.e.empty.value(r.Walk)
	}
	st := w.d.strand(r.Feature, b.graph)
	if st == nil {
		return 0
	}
	if r.Feature < w.d.input.Attributes {
		value, _ := w.e.graph(r, st, w.bits.list(b, subset), false)
		return value
	}
	from := subset & b.onesOf(w.d, r.Feature, st)
	if from == 0 && (r.Length == 0 || r.Walk != Target) {
		return 0
	}
	entries := size
	if r.Walk == Source {
		entries = b.n
	}
	if sums := r.Aggregation == Sum || r.Aggregation == Mean; sums {
		sum := w.bitSum(b, r, st, subset, from)
		if r.Aggregation == Mean {
			return sum / float64(entries)
		}
		return sum
	}
	return w.bitExtreme(b, r, st, subset, from)
}

// bitSum adds up the entries of v; from are the vertices of the subset whose value is 1.
func (w *walker) bitSum(b *bitGraph, r *rule, st *strand, subset, from uint64) float64 {
	switch {
	case r.Length == 0:
		return float64(bits.OnesCount64(from))
	case r.Walk == Source:
		return sumOf(w.d.starts[r.op][r.Length-1][b.first:], from)
	case r.Walk == Cycle:
		return sumOf(w.d.diagonal[r.op][r.Length-1][b.first:], from)
	case r.Walk == Target:
		return sumOf(st.vector(w.d.walks[r.op][r.Length-1]), subset)
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
	return sumOf(w.bits.vector(b, r, from, subset), subset)
}

// sumOf adds up some entries of a vector.
func sumOf(v []float64, w uint64) float64 {
	sum := 0.0
	for ; w != 0; w &= w - 1 {
		sum += v[bits.TrailingZeros64(w)]
	}
	return sum
}

// bitExtreme is the smallest or the largest of the entries of v.
func (w *walker) bitExtreme(b *bitGraph, r *rule, st *strand, subset, from uint64) float64 {
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
		if r.Walk == Source {
			entries = b.full
		}
		v = w.bits.vector(b, r, from, entries)
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
