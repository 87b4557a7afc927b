package treeg

// Sides of a vertex in a cut, a bit each; neither where the split did not use it.
const (
	above uint8 = 1
	below uint8 = 2
)

// cut holds the two subsets of vertices that a split generated, of every graph that reached it.
type cut struct {
	of     *node // whose split it is
	side   []uint8
	order  []int32    // per graph, from its first vertex on: the vertices above, then those below, both ascending
	counts [][2]int32 // per graph: how many are above and below
	whole  bool       // the split used all vertices, so the two subsets are complements
}

// subset returns one of the two subsets of graph g, whose first vertex is first.
func (c *cut) subset(g, first int32, up bool) []int32 {
	n := c.counts[g]
	if up {
		return c.order[first : first+n[0]]
	}
	return c.order[first+n[0] : first+n[0]+n[1]]
}

// size returns the size of one of the two subsets of graph g.
func (c *cut) size(g int32, up bool) int32 {
	if up {
		return c.counts[g][0]
	}
	return c.counts[g][1]
}

// cuts makes cuts for one batch and takes them back.
type cuts struct {
	d    *Data
	free []*cut
}

func (p *cuts) take() *cut {
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c
	}
	n := p.d.batch.NumVertices()
	return &cut{side: make([]uint8, n), order: make([]int32, n), counts: make([][2]int32, p.d.batch.NumGraphs())}
}

func (p *cuts) giveBack(c *cut) {
	c.of = nil
	p.free = append(p.free, c)
}

// fill cuts the subset that a split used in one graph. spare is a list for it to use, which it returns. Sides of vertices
// outside of the subset are set as well, so that a cut that served before needs no clearing.
func (c *cut) fill(r *rule, f *found, spare []int32) []int32 {
	order := c.order[f.first:f.last:f.last]
	up, down := r.cutInto(order[:0], spare[:0], f.v, f.subset, f.first)
	copy(order[len(up):], down)
	side := c.side[f.first:f.last]
	clear(side)
	for _, v := range up {
		side[v-f.first] = above
	}
	for _, v := range down {
		side[v-f.first] = below
	}
	c.counts[f.graph] = [2]int32{int32(len(up)), int32(len(down))}
	return down
}
