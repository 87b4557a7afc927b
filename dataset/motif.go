package dataset

import (
	"slices"

	"github.com/grove-graph/grove/graph"
)

// markEdge marks the arcs between u and v in both directions, as far as they exist.
func (m *Motif) markEdge(b *graph.Batch, u, v int32) {
	for _, arc := range [2][2]int32{{u, v}, {v, u}} {
		row := b.Neighbors(arc[0])
		at, _ := slices.BinarySearch(row, arc[1])
		for ; at < len(row) && row[at] == arc[1]; at++ {
			m.Arcs[int(b.RowPtr[arc[0]])+at] = true
		}
	}
}
