package treeg

import "sync"

// walkPlan says which entries of the walks from the two sides of a cut a search needs, and which arcs lead there. All
// pieces of the search share it.
type walkPlan struct {
	once      sync.Once
	operators []neededRows
}

// neededRows are the entries of walks along one operator that are needed.
type neededRows struct {
	rows  [][]int32 // by length-1: vertices, ascending in every graph
	arcs  []int     // by length-1: those that lead there
	most  []bool    // by length-1: whether these are most vertices
	first [2]rows   // by side, for blocks: row i holds the vertices there from which an arc leads to rows[0][i]
}

// marks tells the vertices of a set.
type marks struct {
	of  []uint32 // by vertex
	now uint32
}

// clear makes the set empty.
func (m *marks) clear(n int) {
	if len(m.of) < n {
		m.of, m.now = make([]uint32, n), 0
	}
	m.now++
}

// add reports whether the vertex was new.
func (m *marks) add(v int32) bool {
	if m.of[v] == m.now {
		return false
	}
	m.of[v] = m.now
	return true
}

// list returns the vertices of the set in some graphs.
func (m *marks) list(d *Data, graphs []int32, size int) []int32 {
	out := make([]int32, 0, size)
	for _, g := range graphs {
		first, last := d.batch.Vertices(int(g))
		for v := first; v < last; v++ {
			if m.of[v] == m.now {
				out = append(out, v)
			}
		}
	}
	return out
}

// make fills the plan in for walks of up to a length whose ends are examples of some nodes.
func (p *walkPlan) make(d *Data, c *cut, nodes []*node, length int, m *marks) {
	vertices := 0
	for _, g := range c.of.graphs {
		first, last := d.batch.Vertices(int(g))
		vertices += int(last - first)
	}
	p.operators = make([]neededRows, len(d.operators))
	for o, op := range d.operators {
		n := neededRows{rows: make([][]int32, length), arcs: make([]int, length), most: make([]bool, length)}
		m.clear(d.batch.NumVertices())
		size := 0
		for _, node := range nodes {
			size += len(node.examples)
			for _, v := range node.examples {
				m.add(v)
			}
		}
		for l := length; l >= 1; l-- {
			n.rows[l-1] = m.list(d, c.of.graphs, size)
			for _, v := range n.rows[l-1] {
				n.arcs[l-1] += int(op.in.ptr[v+1] - op.in.ptr[v])
			}
			n.most[l-1] = 2*size > vertices
			if l > 1 { // shorter walks are needed at the ends too
				for _, v := range n.rows[l-1] {
					for _, u := range op.in.col[op.in.ptr[v]:op.in.ptr[v+1]] {
						if m.add(u) {
							size++
						}
					}
				}
			}
		}
		p.operators[o] = n
	}
}

// part fills first in.
func (p *walkPlan) part(d *Data, c *cut) {
	for o, op := range d.operators {
		n := &p.operators[o]
		n.first = op.in.from(c, n.rows[0], n.arcs[0])
	}
}

// fewer tells the side from which fewer arcs lead to entries that are needed.
func (p *walkPlan) fewer() (sides [2]bool) {
	arcs := [2]int{}
	for o := range p.operators {
		for side := range arcs {
			n := &p.operators[o]
			arcs[side] += int(n.first[side].ptr[len(n.rows[0])])
		}
	}
	return [2]bool{arcs[0] <= arcs[1], arcs[1] < arcs[0]}
}

// from sorts the entries of some rows, size in all, by the side of a cut on which their columns are.
func (r *rows) from(c *cut, list []int32, size int) (sides [2]rows) {
	for i := range sides {
		sides[i] = rows{ptr: make([]int32, len(list)+1), col: make([]int32, size)}
		if r.weight != nil {
			sides[i].weight = make([]float64, size)
		}
	}
	// Every entry is written to both and one of them grows: no branch to guess.
	down, up, downs, ups := sides[0].col, sides[1].col, 0, 0
	for i, v := range list {
		for p := r.ptr[v]; p < r.ptr[v+1]; p++ {
			j := r.col[p]
			side := c.side[j]
			down[downs], up[ups] = j, j
			if r.weight != nil {
				sides[0].weight[downs], sides[1].weight[ups] = r.weight[p], r.weight[p]
			}
			ups += int(side & above)
			downs += int(side >> 1)
		}
		sides[0].ptr[i+1], sides[1].ptr[i+1] = int32(downs), int32(ups)
	}
	return sides
}
