package baseline

import (
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// componentsOf returns the number of components of every graph.
func componentsOf(b *graph.Batch) []int {
	component, _ := b.Components()
	counts := make([]int, b.NumGraphs())
	for g := range counts {
		from, to := b.Vertices(g)
		counts[g] = len(slices.Compact(slices.Sorted(slices.Values(component[from:to]))))
	}
	return counts
}

// commonNeighbours returns for every arc how many vertices both its ends have arcs to, themselves left out.
func commonNeighbours(b *graph.Batch, workers int) []int32 {
	common := make([]int32, b.NumArcs())
	parallel.Chunks(workers, b.NumVertices(), 64, func(from, to int) {
		for u := from; u < to; u++ {
			for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
				common[p] = commonOf(b, int32(u), b.Col[p])
			}
		}
	})
	return common
}

// commonOf returns how many vertices other than u and v both have arcs to.
func commonOf(b *graph.Batch, u, v int32) (n int32) {
	if u == v {
		return 0
	}
	few, many := b.Neighbors(u), b.Neighbors(v)
	if len(few) > len(many) {
		few, many = many, few
	}
	for i, w := range few {
		if w == u || w == v || i > 0 && few[i-1] == w {
			continue
		}
		if _, found := slices.BinarySearch(many, w); found {
			n++
		}
	}
	return n
}

// closed returns how many pairs of the vertices that v has arcs to are joined, counted by their arcs, half of them, and
// the number of all pairs: the triangles of v in an undirected graph.
func closed(b *graph.Batch, common []int32, v int32) (triangles, pairs float64) {
	neighbours, n := b.Neighbors(v), 0.0
	for i, u := range neighbours {
		if u == v || i > 0 && neighbours[i-1] == u {
			continue
		}
		n++
		triangles += float64(common[int(b.RowPtr[v])+i])
	}
	return triangles / 2, n * (n - 1) / 2
}
