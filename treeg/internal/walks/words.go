package walks

// Small graphs whose features are one-hot go through trees as words: a set of their vertices is one.

// MostVertices is the size of the largest graph that is a word, longestCounted the length of the longest walks that are
// counted there.
const MostVertices, LongestCounted = 64, 7

// mostFixed bounds the counts that depend on no subset, for each of which the graphs at hand have 64 words or so.
const mostFixed = 1 << 13

// wordsSuit reports whether small graphs of the data may be words: all features are one-hot and not too many, arcs are
// single and have no weights, and walks are so short that sums are exact.
func (d *Data) wordsSuit() bool {
	in := &d.Input
	if in.Level != Graphs || in.Attributes > 0 || d.Weighted() || d.Length > LongestCounted ||
		(len(d.Operators)*d.Length+1)*(in.Features()+2) > mostFixed {
		return false
	}
	for _, op := range d.Operators {
		for v := range len(op.Out.ptr) - 1 {
			row := op.Out.col[op.Out.ptr[v]:op.Out.ptr[v+1]]
			for i := 1; i < len(row); i++ {
				if row[i] == row[i-1] {
					return false
				}
			}
		}
	}
	return true
}

// Small reports whether a graph is a word.
func (d *Data) Small(g int32) bool {
	first, last := d.Batch.Vertices(int(g))
	return d.InWords && last-first <= MostVertices
}

// Words writes the rows of one graph as words and returns the number of entries of the longest.
func (r *rows) Words(out []uint64, first int32) (most int) {
	ptr := r.ptr[first : int(first)+len(out)+1]
	for v := range out {
		row, w := r.col[ptr[v]:ptr[v+1]], uint64(0)
		for _, u := range row {
			w |= 1 << (u - first)
		}
		out[v] = w
		most = max(most, len(row))
	}
	return most
}
