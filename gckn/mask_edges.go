package gckn

import (
	"cmp"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// scoreEdges gathers the masks of the paths of a batch of one graph on its edges, the highest score first, of
// equal ones the higher sum.
func scoreEdges(b *graph.Batch, paths []model.MaskedPath) []model.MaskedEdge {
	place := map[[2]int32]int{}
	key := func(u, v int32) [2]int32 {
		if b.Directed {
			return [2]int32{u, v}
		}
		return [2]int32{min(u, v), max(u, v)}
	}
	var edges []model.MaskedEdge
	for u := range int32(b.NumVertices()) {
		for _, v := range b.Neighbors(u) {
			k := key(u, v)
			if _, known := place[k]; !known {
				place[k] = len(edges)
				edges = append(edges, model.MaskedEdge{From: k[0], To: k[1]})
			}
		}
	}
	through := make([]float64, len(edges))
	for _, p := range paths {
		for i := 1; i < len(p.Vertices); i++ {
			e := place[key(p.Vertices[i-1], p.Vertices[i])]
			edges[e].Sum += p.Mask
			through[e]++
		}
	}
	for e := range edges {
		if through[e] > 0 {
			edges[e].Score = edges[e].Sum / through[e]
		}
	}
	slices.SortStableFunc(edges, func(x, y model.MaskedEdge) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.Sum, x.Sum))
	})
	return edges
}

// TopEdges returns the count edges of the highest score, without those of score zero. With a count of
// zero it returns the edges of at least half the highest score.
func TopEdges(edges []model.MaskedEdge, count int) []model.MaskedEdge {
	for i, e := range edges {
		if e.Score <= 0 || count > 0 && i == count || count == 0 && e.Score < edges[0].Score/2 {
			return edges[:i]
		}
	}
	return edges
}

// LargestComponent returns the edges of the connected part with most edges, of equal ones that with the highest
// edge, in their order: the motif that merged edges make (appendix B.3).
func LargestComponent(edges []model.MaskedEdge) []model.MaskedEdge {
	above := map[int32]int32{} // a vertex nearer to the one that stands for its component
	var find func(v int32) int32
	find = func(v int32) int32 {
		if up, known := above[v]; known && up != v {
			above[v] = find(up)
			return above[v]
		}
		above[v] = v
		return v
	}
	for _, e := range edges {
		above[find(e.From)] = find(e.To)
	}
	sizes := map[int32]int{}
	most := 0
	for _, e := range edges {
		sizes[find(e.From)]++
		most = max(most, sizes[find(e.From)])
	}
	largest := slices.IndexFunc(edges, func(e model.MaskedEdge) bool { return sizes[find(e.From)] == most })
	var out []model.MaskedEdge
	for _, e := range edges {
		if find(e.From) == find(edges[largest].From) {
			out = append(out, e)
		}
	}
	return out
}
