package treeg

import "math/bits"

// vector counts the walks from some vertices to every vertex, or at least to the wanted ones.
func (p *bitPart) vector(b *bitGraph, r *rule, from, want uint64) []float64 {
	in := b.in[r.op*b.n : (r.op+1)*b.n]
	v, last := p.counts[:b.n], p.previous[:b.n]
	if r.Length == 1 {
		for ; want != 0; want &= want - 1 {
			i := bits.TrailingZeros64(want)
			v[i] = float64(bits.OnesCount64(in[i] & from))
		}
		return v
	}
	for i, sources := range in {
		v[i] = float64(bits.OnesCount64(sources & from))
	}
	for l := 2; l < r.Length; l++ {
		v, last = last, v
		for i, sources := range in {
			v[i] = sumOf(last, sources)
		}
	}
	v, last = last, v
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		v[i] = sumOf(last, in[i])
	}
	return v
}

// bitCuts stores the subsets that a split generates in some graphs.
func (w *walker) bitCuts(s *step, r *rule, depth int, graphs []uint8) {
	part := &w.bits
	cuts := &part.cuts[depth]
	if s.slot >= 0 {
		whole, isCut := &part.whole[s.cut], part.isCut[s.cut]
		for _, at := range graphs {
			b := &part.graphs[at]
			if isCut>>at&1 == 0 {
				whole[at%together] = w.bitCutWhole(b, &w.p.cuts[s.cut])
			}
			isCut |= 1 << at
			up := whole[at%together]
			cuts[0][at%together], cuts[1][at%together] = b.full&^up, up
		}
		part.isCut[s.cut] = isCut
		return
	}
	subsets := &part.cuts[depth-r.Pointer][bit(r.Above)]
	for _, at := range graphs {
		subset := subsets[at%together]
		up := w.bitCut(&part.graphs[at], r, subset)
		cuts[0][at%together], cuts[1][at%together] = subset&^up, up
	}
}

// bitCutWhole returns the vertices of the graph that are above the threshold of a split of all vertices.
func (w *walker) bitCutWhole(b *bitGraph, r *rule) (up uint64) {
	t := r.vertexThreshold(b.n)
	st := w.d.strand(r.Feature, b.graph)
	switch {
	case b.n == 0:
	case st != nil && r.Feature >= w.d.input.Attributes && r.Length == 0:
		up = cutOnes(b.onesOf(w.d, r.Feature, st), b.full, t)
	case st != nil:
		for j, x := range w.e.vector(r, st, nil, true) {
			up |= uint64(bit(x > t)) << j
		}
	case 0 > t:
		up = b.full
	}
	return up
}

// cutOnes returns the vertices of a subset that are above a threshold, where their values are ones and zeros.
func cutOnes(ones, subset uint64, t float64) (up uint64) {
	if 1 > t {
		up |= subset & ones
	}
	if 0 > t {
		up |= subset &^ ones
	}
	return up
}

// bitCut returns the vertices of the subset that are above the threshold.
func (w *walker) bitCut(b *bitGraph, r *rule, subset uint64) (up uint64) {
	if subset == 0 {
		return 0
	}
	t := r.vertexThreshold(bits.OnesCount64(subset))
	st := w.d.strand(r.Feature, b.graph)
	if st == nil {
		return cutOnes(0, subset, t)
	}
	v := []float64(nil)
	hot := r.Feature >= w.d.input.Attributes
	switch {
	case hot && r.Length == 0:
		return cutOnes(b.onesOf(w.d, r.Feature, st), subset, t)
	case !hot || r.Walk != Source && r.Walk != TargetSource:
		v = w.e.vector(r, st, w.bits.list(b, subset), false)
	default:
		from := subset & b.onesOf(w.d, r.Feature, st)
		if from == 0 {
			return cutOnes(0, subset, t)
		}
		v = w.bits.vector(b, r, from, subset)
	}
	for m := subset; m != 0; m &= m - 1 {
		j := bits.TrailingZeros64(m)
		up |= uint64(bit(v[j] > t)) << j
	}
	return up
}
