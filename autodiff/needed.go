package autodiff

import (
	"slices"

	"github.com/grove-graph/grove/graph"
)

// needed returns for each layer the vertices, ascending, whose rows must leave it so that the rows of the
// given vertices leave the last one; nil where all are needed. Paths see Size-1 arcs far.
func (n *KernelNetwork) needed(b *graph.Batch, vertices []int32) [][]int32 {
	need := make([][]int32, len(n.opt.Layers))
	if len(vertices) == 0 {
		return need
	}
	seen := make([]bool, b.NumVertices())
	var reached []int32 // in order of discovery
	reach := func(v int32) {
		if !seen[v] {
			seen[v] = true
			reached = append(reached, v)
		}
	}
	for _, v := range vertices {
		reach(v)
	}
	ring := 0
	for l := len(need) - 1; l >= 0; l-- {
		if len(reached) < b.NumVertices() {
			need[l] = slices.Sorted(slices.Values(reached))
		}
		for range n.opt.Layers[l].Size - 1 {
			end := len(reached)
			for _, u := range reached[ring:end] {
				for _, v := range b.Neighbors(u) {
					reach(v)
				}
			}
			ring = end
		}
	}
	return need
}

// places returns the place of every listed vertex, 0 for the others, whose rows nobody looks at.
func places(listed []int32, vertices int) []int32 {
	at := make([]int32, vertices)
	for i, v := range listed {
		at[v] = int32(i)
	}
	return at
}
