package layout

import (
	"slices"

	"github.com/grove-graph/grove/graph"
)

// component is a connected component of one graph as a simple undirected graph: direction, self
// loops and repeated arcs do not matter to a layout. Its vertices are numbered from 0.
type component struct {
	vertices   []int32   // vertex of the graph, ascending
	neighbours [][]int32 // ascending
	straight   []bool    // vertices whose two edges lie on a line; nil for none

	// Where there are metals: which vertices are, how many there are before the middles of fans, and the bonds without
	// those to middles.
	metals []bool
	real   int
	bonds  [][]int32
}

func (c *component) size() int { return len(c.neighbours) }

func (c *component) numEdges() int {
	total := 0
	for _, row := range c.neighbours {
		total += len(row)
	}
	return total / 2
}

func (c *component) adjacent(u, v int32) bool {
	_, found := slices.BinarySearch(c.neighbours[u], v)
	return found
}

// neighbourLists returns the adjacency of graph g as a simple undirected graph, its vertices
// numbered from 0.
func neighbourLists(b *graph.Batch, g int) [][]int32 {
	from, to := b.Vertices(g)
	lists := make([][]int32, to-from)
	for u := from; u < to; u++ {
		for _, v := range b.Neighbors(u) {
			if v == u {
				continue
			}
			lists[u-from] = append(lists[u-from], v-from)
			if b.Directed {
				lists[v-from] = append(lists[v-from], u-from)
			}
		}
	}
	for u, row := range lists {
		slices.Sort(row)
		lists[u] = slices.Compact(row)
	}
	return lists
}

// components splits graph g into its connected components, ordered by their smallest vertex.
func components(b *graph.Batch, g int) []*component {
	lists := neighbourLists(b, g)
	local := make([]int32, len(lists))
	for v := range local {
		local[v] = -1
	}
	var out []*component
	for root := range lists {
		if local[root] >= 0 {
			continue
		}
		members := []int32{int32(root)}
		local[root] = 0
		for head := 0; head < len(members); head++ {
			for _, v := range lists[members[head]] {
				if local[v] < 0 {
					local[v] = 0
					members = append(members, v)
				}
			}
		}
		slices.Sort(members)
		for i, v := range members {
			local[v] = int32(i)
		}
		c := &component{vertices: members, neighbours: make([][]int32, len(members))}
		for i, v := range members {
			row := make([]int32, len(lists[v]))
			for k, w := range lists[v] {
				row[k] = local[w]
			}
			c.neighbours[i] = row
		}
		out = append(out, c)
	}
	return out
}

// pathOrder returns the vertices in order along the component where it is a bare path, or nil.
func (c *component) pathOrder() []int32 {
	if c.numEdges() != c.size()-1 {
		return nil
	}
	end := int32(-1)
	for u, row := range c.neighbours {
		if len(row) > 2 {
			return nil
		}
		if len(row) == 1 && end < 0 {
			end = int32(u)
		}
	}
	order := []int32{end}
	previous := int32(-1)
	for u := end; ; {
		next := int32(-1)
		for _, v := range c.neighbours[u] {
			if v != previous {
				next = v
			}
		}
		if next < 0 {
			return order
		}
		order = append(order, next)
		previous, u = u, next
	}
}

// cycleOrder returns the vertices in order around the component where it is a bare cycle, or nil.
func (c *component) cycleOrder() []int32 {
	for _, row := range c.neighbours {
		if len(row) != 2 {
			return nil
		}
	}
	order := []int32{0}
	for previous, u := int32(0), c.neighbours[0][0]; u != 0; {
		order = append(order, u)
		next := c.neighbours[u][0]
		if next == previous {
			next = c.neighbours[u][1]
		}
		previous, u = u, next
	}
	return order
}

// molecular reports whether the component has the shape of a structural formula: small degrees and
// few independent cycles.
func (c *component) molecular() bool {
	for v, row := range c.neighbours {
		if len(row) > 6 && (c.metals == nil || !c.metals[v] && !c.isMiddle(int32(v))) {
			return false
		}
	}
	return 2*c.numEdges() <= 3*c.size()
}
