package baseline

import (
	"math"

	"github.com/grove-graph/grove/graph"
)

// maxColours bounds the columns of colours.
const maxColours = 1 << 16

// colours counts the vertices of a graph by the colours of refinement: the colour of a vertex is what it shows, after
// a step with the colours around it and the labels of the arcs to them, after another with those, and so on
// (Weisfeiler and Lehman 1968; of molecules circular fingerprints, Rogers and Hahn 2010). A colour is a checksum that
// needs no list of those that were seen, and its remainder is its column: to has one for each class of colours. Of the
// attributes whole numbers count, others are no names for anything.
func (f *counted) colours(to []float64, b *graph.Batch, g int) {
	from, end := b.Vertices(g)
	now, next := make([]uint64, end-from), make([]uint64, end-from)
	for v := from; v < end; v++ {
		c := uint64(1)
		if labels := len(f.Encoding.Labels); labels > 0 {
			c = mixed(c, uint64(min(int(b.Labels[v]), labels)))
		}
		for _, x := range b.Attributes[int(v)*b.AttributeDim : (int(v)+1)*b.AttributeDim] {
			if x != math.Trunc(x) { // nor what is missing
				x = math.Inf(1)
			}
			c = mixed(c, math.Float64bits(x+0)) // -0 is 0
		}
		now[v-from] = c
	}
	for step := 0; ; step++ {
		for _, c := range now {
			to[mixed(c, uint64(step))%uint64(len(to))]++
		}
		if step == f.Steps {
			return
		}
		for v := from; v < end; v++ {
			around := uint64(0) // a sum, for neighbours have no order
			for p := b.RowPtr[v]; p < b.RowPtr[v+1]; p++ {
				label := 0
				if known := len(f.Encoding.ArcLabels); known > 0 {
					label = min(int(b.ArcLabels[p]), known)
				}
				around += mixed(now[b.Col[p]-from], uint64(label))
			}
			next[v-from] = mixed(now[v-from], around)
		}
		now, next = next, now
	}
}

// mixed is a checksum of two numbers in their order, by the finalizer of MurmurHash3.
func mixed(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
