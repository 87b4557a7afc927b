package walks

// Sides of a vertex in a cut, a bit each; neither where the split did not use it.
const (
	Above uint8 = 1
	Below uint8 = 2
)

// Cut holds the two subsets of vertices that a split generated, of every graph that reached it.
type Cut struct {
	d      *Data
	Graphs []int32 // that reached the split
	Side   []uint8
	order  []int32    // per graph, from its first vertex on: the vertices above, then those below, both ascending
	counts [][2]int32 // per graph: how many are above and below
	Whole  bool       // the split used all vertices, so the two subsets are complements
}

// Subset returns one of the two subsets of graph g.
func (c *Cut) Subset(g int32, up bool) []int32 {
	n, first := c.counts[g], c.d.Batch.Offsets[g]
	if up {
		return c.order[first : first+n[0]]
	}
	return c.order[first+n[0] : first+n[0]+n[1]]
}

// Size returns the size of one of the two subsets of graph g.
func (c *Cut) Size(g int32, up bool) int32 {
	if up {
		return c.counts[g][0]
	}
	return c.counts[g][1]
}

// NewCut returns a cut of a batch to fill.
func NewCut(d *Data) *Cut {
	n := d.Batch.NumVertices()
	return &Cut{d: d, Side: make([]uint8, n), order: make([]int32, n), counts: make([][2]int32, d.Batch.NumGraphs())}
}

// Fill cuts the subset that a split used in graph g; v are its entries, nil for zeros. spare is a list
// for it to use, which it returns. Sides of vertices outside of the subset are set as well, so that a cut that served
// before needs no clearing.
func (c *Cut) Fill(r *Rule, g int32, v []float64, subset, spare []int32) []int32 {
	first, last := c.d.Batch.Vertices(int(g))
	order := c.order[first:last:last]
	up, down := r.CutInto(order[:0], spare[:0], v, subset, first)
	copy(order[len(up):], down)
	side := c.Side[first:last]
	clear(side)
	for _, v := range up {
		side[v-first] = Above
	}
	for _, v := range down {
		side[v-first] = Below
	}
	c.counts[g] = [2]int32{int32(len(up)), int32(len(down))}
	return down
}
