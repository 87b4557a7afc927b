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

// Vertices returns the vertices that have a colour after some rounds, ascending.
func (c *Colouring) Vertices(round int, colour int32) []int32 {
	var vertices []int32
	for v, of := range c.Of[round] {
		if of == colour {
			vertices = append(vertices, int32(v))
		}
	}
	return vertices
}

// Ball returns the vertices within some steps of a vertex along the arcs that refinement follows, nearest first: those
// that its colour after as many rounds depends on.
func (m *Model) Ball(b *graph.Batch, vertex int32, rounds int) []int32 {
	out, in := m.opt.follow(b)
	vertices, distance := []int32{vertex}, map[int32]int{vertex: 0}
	for at := 0; at < len(vertices) && distance[vertices[at]] < rounds; at++ {
		for _, a := range []*arcs{out, in} {
			for _, w := range a.of(vertices[at]) {
				if _, seen := distance[w]; !seen {
					distance[w] = distance[vertices[at]] + 1
					vertices = append(vertices, w)
				}
			}
		}
	}
	return vertices
}
