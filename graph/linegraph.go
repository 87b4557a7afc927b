package graph

import (
	"fmt"
	"math"
)

// LineGraph returns the graphs whose vertices are the edges of those of b (Harary and Norman 1960), so that what is
// known to work on vertices works on edges. Vertex e of the line graph is the arc arcs[e], a position in Col; in
// an undirected batch it stands for its reverse too, and the arc from the smaller to the larger vertex is listed.
// Two edges of an undirected batch are joined if they share a vertex. In a directed one an arc leads from u->v to every
// v->w, so that walks stay walks.
//
// The vertices of the line graph carry the labels of the arcs. Their attributes come from the ends of the arc, where
// vertices have attributes, else labels, which count one-hot: the sum of both ends and the magnitude of their
// difference in an undirected batch, the tail's and then the head's in a directed one; then the weight, where arcs have
// weights.
//
// It is an error if the line graph has more arcs than a batch holds; a vertex with k edges brings k(k-1) of them.
func (b *Batch) LineGraph() (line *Batch, arcs []int32, err error) {
	edgeOf, arcs := b.Edges()
	offsets := make([]int32, 1, b.NumGraphs()+1)
	next := int32(0)
	for g := range b.NumGraphs() {
		_, to := b.Vertices(g)
		for int(next) < len(arcs) && arcs[next] < b.RowPtr[to] {
			next++
		}
		offsets = append(offsets, next)
	}
	joined, err := b.joinedEdges(edgeOf, arcs)
	if err != nil {
		return nil, nil, err
	}
	if line, err = FromArcs(offsets, joined, BuildOptions{Directed: b.Directed}); err != nil {
		return nil, nil, err
	}
	b.describeEdges(line, arcs)
	return line, arcs, nil
}

// Edges numbers the edges in the order of Col: an arc each in a directed batch, otherwise an arc and its reverse of the
// same type together. edgeOf is the edge of every arc, arcs lists the first arc of each edge.
func (b *Batch) Edges() (edgeOf, arcs []int32) {
	edgeOf = make([]int32, b.NumArcs())
	for u := range int32(b.NumVertices()) {
		for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
			if v := b.Col[p]; !b.Directed && v < u {
				edgeOf[p] = edgeOf[b.reverse(u, p)]
				continue
			}
			edgeOf[p] = int32(len(arcs))
			arcs = append(arcs, p)
		}
	}
	return edgeOf, arcs
}

// reverse returns the position of the arc back along arc p from u, of the same type if there is one.
func (b *Batch) reverse(u, p int32) int32 {
	v := b.Col[p]
	found := p
	for q := b.RowPtr[v]; q < b.RowPtr[v+1]; q++ {
		if b.Col[q] != u {
			continue
		}
		if b.ArcTypes == nil || b.ArcTypes[q] == b.ArcTypes[p] {
			return q
		}
		found = q
	}
	return found
}

// joinedEdges lists the arcs of the line graph. Those of an undirected one come once.
func (b *Batch) joinedEdges(edgeOf, arcs []int32) (joined ArcList, err error) {
	total := 0
	for _, p := range arcs {
		total += b.Degree(b.Col[p])
	}
	if !b.Directed {
		total = 0
		for v := range int32(b.NumVertices()) {
			total += b.Degree(v) * (b.Degree(v) - 1)
		}
	}
	if total > math.MaxInt32 {
		return joined, fmt.Errorf("the line graph has %d arcs, a batch holds at most %d", total, math.MaxInt32)
	}
	join := func(e, f int32) {
		joined.From, joined.To = append(joined.From, e), append(joined.To, f)
	}
	if b.Directed {
		for e, p := range arcs {
			for q := b.RowPtr[b.Col[p]]; q < b.RowPtr[b.Col[p]+1]; q++ {
				join(int32(e), edgeOf[q])
			}
		}
		return joined, nil
	}
	for v := range int32(b.NumVertices()) {
		at := edgeOf[b.RowPtr[v]:b.RowPtr[v+1]]
		for i, e := range at {
			for _, f := range at[:i] {
				join(e, f)
			}
		}
	}
	return joined, nil
}

// describeEdges gives the vertices of the line graph their labels and attributes.
func (b *Batch) describeEdges(line *Batch, arcs []int32) {
	if b.ArcLabels != nil {
		line.Labels = make([]int32, len(arcs))
		for e, p := range arcs {
			line.Labels[e] = b.ArcLabels[p]
			line.NumLabels = max(line.NumLabels, int(b.ArcLabels[p])+1)
		}
	}
	width := b.AttributeDim
	if width == 0 && b.Labels != nil {
		width = b.NumLabels
	}
	line.AttributeDim = 2 * width
	if b.ArcWeights != nil {
		line.AttributeDim++
	}
	if line.AttributeDim == 0 {
		return
	}
	value := func(v int32, k int) float64 {
		switch {
		case b.AttributeDim > 0:
			return b.Attribute(v)[k]
		case int(b.Labels[v]) == k:
			return 1
		}
		return 0
	}
	line.Attributes = make([]float64, len(arcs)*line.AttributeDim)
	tail := int32(0)
	for e, p := range arcs {
		for b.RowPtr[tail+1] <= p {
			tail++
		}
		row := line.Attributes[e*line.AttributeDim : (e+1)*line.AttributeDim]
		for k := range width {
			x, y := value(tail, k), value(b.Col[p], k)
			if b.Directed {
				row[k], row[width+k] = x, y
			} else {
				row[k], row[width+k] = x+y, math.Abs(x-y)
			}
		}
		if b.ArcWeights != nil {
			row[2*width] = b.ArcWeights[p]
		}
	}
}
