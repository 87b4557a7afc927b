package walks

import "sync"

// WalkPlan says which entries of the walks from the two sides of a cut a search needs, and which arcs lead there. All
// pieces of the search share it.
type WalkPlan struct {
	Once      sync.Once
	operators []neededRows
}

// neededRows are the entries of walks along one operator that are needed.
type neededRows struct {
	rows  [][]int32 // by length-1: vertices, ascending in every graph
	arcs  []int     // by length-1: those that lead there
	most  []bool    // by length-1: whether these are most vertices
	first [2]rows   // by side, for blocks: row i holds the vertices there from which an arc leads to rows[0][i]
}

// Marks tells the vertices of a set.
type Marks struct {
	of  []uint32 // by vertex
	now uint32
}

// clear makes the set empty.
func (m *Marks) clear(n int) {
	if len(m.of) < n {
		m.of, m.now = make([]uint32, n), 0
	}
	m.now++
}

// add reports whether the vertex was new.
func (m *Marks) add(v int32) bool {
	if m.of[v] == m.now {
		return false
	}
	m.of[v] = m.now
	return true
}

// list returns the vertices of the set in some graphs.
func (m *Marks) list(d *Data, graphs []int32, size int) []int32 {
	out := make([]int32, 0, size)
	for _, g := range graphs {
		first, last := d.Batch.Vertices(int(g))
		for v := first; v < last; v++ {
			if m.of[v] == m.now {
				out = append(out, v)
			}
		}
	}
	return out
}

// Make fills the plan in for walks of up to a length from the subsets of a cut to the given ends.
func (p *WalkPlan) Make(d *Data, c *Cut, ends [][]int32, length int, m *Marks) {
	vertices := 0
	for _, g := range c.Graphs {
		first, last := d.Batch.Vertices(int(g))
		vertices += int(last - first)
	}
	p.operators = make([]neededRows, len(d.Operators))
	for o, op := range d.Operators {
		n := neededRows{rows: make([][]int32, length), arcs: make([]int, length), most: make([]bool, length)}
		m.clear(d.Batch.NumVertices())
		size := 0
		for _, vertices := range ends {
			size += len(vertices)
			for _, v := range vertices {
				m.add(v)
			}
		}
		for l := length; l >= 1; l-- {
			n.rows[l-1] = m.list(d, c.Graphs, size)
			for _, v := range n.rows[l-1] {
				n.arcs[l-1] += int(op.In.ptr[v+1] - op.In.ptr[v])
			}
			n.most[l-1] = 2*size > vertices
			if l > 1 { // shorter walks are needed at the ends too
				for _, v := range n.rows[l-1] {
					for _, u := range op.In.col[op.In.ptr[v]:op.In.ptr[v+1]] {
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

// Divide fills first in.
func (p *WalkPlan) Divide(d *Data, c *Cut) {
	for o, op := range d.Operators {
		n := &p.operators[o]
		n.first = op.In.from(c, n.rows[0], n.arcs[0])
	}
}

// fewer tells the side from which fewer arcs lead to entries that are needed.
func (p *WalkPlan) fewer() (sides [2]bool) {
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
func (r *rows) from(c *Cut, list []int32, size int) (sides [2]rows) {
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
			side := c.Side[j]
			down[downs], up[ups] = j, j
			if r.weight != nil {
				sides[0].weight[downs], sides[1].weight[ups] = r.weight[p], r.weight[p]
			}
			ups += int(side & Above)
			downs += int(side >> 1)
		}
		sides[0].ptr[i+1], sides[1].ptr[i+1] = int32(downs), int32(ups)
	}
	return sides
}
