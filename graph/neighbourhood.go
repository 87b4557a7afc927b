package graph

import "slices"

// Neighbourhoods cuts the surroundings of vertices out of a batch. It keeps a mark for every vertex, and
// serves one goroutine.
type Neighbourhoods struct {
	batch *Batch
	place []int32 // 1 + position of each vertex in the current neighbourhood; 0 for the others
}

// Neighbourhoods returns a cutter for the batch.
func (b *Batch) Neighbourhoods() *Neighbourhoods {
	return &Neighbourhoods{b, make([]int32, b.NumVertices())}
}

// Of returns the subgraph that is induced by all vertices within hops arcs of the given ones, as a single
// graph with labels, attributes and what else the arcs carry, the positions of the given vertices in it, and the
// numbers that its vertices have in the batch.
// Vertices keep their order, and so do the arcs of each. Every path of at most hops+1 vertices from a given
// vertex is a path of the subgraph, and it has no others from there.
func (n *Neighbourhoods) Of(vertices []int32, hops int) (sub *Batch, at, ball []int32) {
	ball = n.ball(vertices, hops)
	slices.Sort(ball)
	for i, v := range ball {
		n.place[v] = int32(i + 1)
	}
	defer func() {
		for _, v := range ball {
			n.place[v] = 0
		}
	}()
	b := n.batch
	sub = &Batch{
		Offsets: []int32{0, int32(len(ball))}, RowPtr: make([]int32, 1, len(ball)+1),
		Directed: b.Directed, NumLabels: b.NumLabels, AttributeDim: b.AttributeDim,
	}
	if b.Attributes != nil {
		sub.Attributes = make([]float64, 0, len(ball)*b.AttributeDim)
	}
	for _, u := range ball {
		sub.Labels = appendRange(sub.Labels, b.Labels, int(u), int(u)+1)
		sub.Attributes = appendRange(sub.Attributes, b.Attributes, int(u)*b.AttributeDim, int(u+1)*b.AttributeDim)
		for arc := b.RowPtr[u]; arc < b.RowPtr[u+1]; arc++ {
			to := n.place[b.Col[arc]]
			if to == 0 {
				continue
			}
			sub.Col = append(sub.Col, to-1)
			sub.ArcLabels = appendRange(sub.ArcLabels, b.ArcLabels, int(arc), int(arc)+1)
			sub.ArcWeights = appendRange(sub.ArcWeights, b.ArcWeights, int(arc), int(arc)+1)
			sub.ArcTypes = appendRange(sub.ArcTypes, b.ArcTypes, int(arc), int(arc)+1)
		}
		sub.RowPtr = append(sub.RowPtr, int32(len(sub.Col)))
	}
	at = make([]int32, len(vertices))
	for i, v := range vertices {
		at[i] = n.place[v] - 1
	}
	return sub, at, ball
}

// ball returns the vertices within hops arcs of the given ones, each once. It leaves the marks clear.
func (n *Neighbourhoods) ball(vertices []int32, hops int) []int32 {
	var ball []int32
	reach := func(v int32) {
		if n.place[v] == 0 {
			n.place[v] = 1
			ball = append(ball, v)
		}
	}
	for _, v := range vertices {
		reach(v)
	}
	for ring := 0; hops > 0 && ring < len(ball); hops-- {
		end := len(ball)
		for _, u := range ball[ring:end] {
			for _, v := range n.batch.Neighbors(u) {
				reach(v)
			}
		}
		ring = end
	}
	for _, v := range ball {
		n.place[v] = 0
	}
	return ball
}
