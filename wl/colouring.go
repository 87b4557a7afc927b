package wl

import (
	"context"

	"github.com/grove-graph/grove/graph"
)

// Colouring holds the colour of every vertex of a batch after 0 to h rounds of refinement.
type Colouring struct {
	// Of[t][v] is the colour of vertex v after t rounds: below Known[t] one that was fitted, from Known[t] on
	// one that only these graphs have.
	Of    [][]int32
	Known []int // fitted colours of every round
	Total []int // the same with those of these graphs alone

	offsets []int32
}

// Colours returns the colours of the vertices of b under the maps that were fitted.
func (m *Model) Colours(ctx context.Context, b *graph.Batch) (*Colouring, error) {
	return m.refinement.apply(ctx, b, m.engine.Workers(), nil)
}
