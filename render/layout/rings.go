package layout

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// MaxRing is the largest ring that is drawn as a regular polygon.
const MaxRing = 8

// Rings returns the rings of graph g: for every edge a shortest cycle through it of at most
// [MaxRing] vertices, each ring once, as vertices of the graph numbered from 0 in order around the
// ring. In a molecule these are the rings a chemist counts. Dense graphs have far too many short
// cycles to mean anything, so a graph of mean degree above 4 has none.
//
// Of a fan (see [Fans]) the group has its rings without the metal.
func Rings(b *graph.Batch, g int, metals []bool) [][]int32 {
	lists := neighbourLists(b, g)
	for _, f := range Fans(b, g, metals) {
		for _, v := range f.Group {
			lists[v] = slices.DeleteFunc(lists[v], func(u int32) bool { return u == f.Metal })
		}
		lists[f.Metal] = slices.DeleteFunc(lists[f.Metal], func(v int32) bool { return slices.Contains(f.Group, v) })
	}
	total := 0
	for _, row := range lists {
		total += len(row)
	}
	if total > 4*len(lists) {
		return nil
	}
	return rings(lists)
}

func rings(lists [][]int32) [][]int32 {
	var out [][]int32
	seen := map[string]bool{}
	search := newRingSearch(lists)
	for u, row := range lists {
		for _, v := range row {
			if int(v) < u {
				continue
			}
			ring := search.through(int32(u), v)
			if ring == nil {
				continue
			}
			sorted := slices.Clone(ring)
			slices.Sort(sorted)
			if key := fmt.Sprint(sorted); !seen[key] {
				seen[key] = true
				out = append(out, ring)
			}
		}
	}
	return out
}

// flatRings returns the rings that can be regular polygons beside each other, from one on: those that share more than
// an edge with one before are left out, such as the rings of a bridged molecule, of which no plane holds all.
func flatRings(rings [][]int32, first int) (flat [][]int32) {
	for i := range rings {
		ring := rings[(first+i)%len(rings)]
		bridged := slices.ContainsFunc(flat, func(other []int32) bool {
			shared := 0
			for _, v := range ring {
				if slices.Contains(other, v) {
					shared++
				}
			}
			return shared > 2
		})
		if !bridged {
			flat = append(flat, ring)
		}
	}
	return flat
}

// ringSearch looks for shortest cycles by breadth-first search and keeps its memory between edges.
type ringSearch struct {
	lists  [][]int32
	parent []int32 // -1 where not reached
	depth  []int32
	queue  []int32
}

func newRingSearch(lists [][]int32) *ringSearch {
	s := &ringSearch{lists: lists, parent: make([]int32, len(lists)), depth: make([]int32, len(lists))}
	for v := range s.parent {
		s.parent[v] = -1
	}
	return s
}

// through returns a shortest cycle that uses the edge u v, as the vertices from u to v, or nil where
// there is none of at most MaxRing vertices.
func (s *ringSearch) through(u, v int32) []int32 {
	defer func() {
		for _, w := range s.queue {
			s.parent[w] = -1
		}
	}()
	s.queue = append(s.queue[:0], u)
	s.parent[u], s.depth[u] = u, 1
	for head := 0; head < len(s.queue); head++ {
		w := s.queue[head]
		if s.depth[w] == MaxRing {
			return nil
		}
		for _, x := range s.lists[w] {
			if s.parent[x] >= 0 || (w == u && x == v) {
				continue
			}
			s.parent[x], s.depth[x] = w, s.depth[w]+1
			s.queue = append(s.queue, x)
			if x != v {
				continue
			}
			ring := []int32{v}
			for y := v; y != u; {
				y = s.parent[y]
				ring = append(ring, y)
			}
			slices.Reverse(ring)
			return ring
		}
	}
	return nil
}
