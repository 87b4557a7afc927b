package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Graph is one graph as a person or a generator writes it down. Its vertices are 0 to
// NumVertices-1. An undirected edge needs to be given in one direction only.
type Graph struct {
	NumVertices int
	Directed    bool
	Arcs        ArcList

	Labels       []int32   // label id of each vertex, or nil
	Attributes   []float64 // NumVertices x AttributeDim, row-major, or nil
	AttributeDim int
}

// AddArc appends the arc from u to v. It suits graphs without arc data.
func (g *Graph) AddArc(u, v int32) {
	g.Arcs.From = append(g.Arcs.From, u)
	g.Arcs.To = append(g.Arcs.To, v)
}

// NewBatch joins graphs into a batch, by the rules in the package comment. All graphs must agree on
// direction, on the width of their attributes and on which optional data they carry; the error
// names the first that does not, or the first bad arc.
func NewBatch(graphs []Graph) (*Batch, error) {
	if len(graphs) == 0 {
		return &Batch{Offsets: []int32{0}, RowPtr: []int32{0}}, nil
	}
	first := &graphs[0]
	offsets := make([]int32, len(graphs)+1)
	var all ArcList
	var labels []int32
	var attributes []float64
	numLabels := int32(0)
	for i := range graphs {
		g := &graphs[i]
		if err := g.check(first); err != nil {
			return nil, fmt.Errorf("graph %d: %w", i, err)
		}
		shift := offsets[i]
		if g.NumVertices > math.MaxInt32-1-int(shift) {
			return nil, fmt.Errorf("graph %d: more than %d vertices in all", i, math.MaxInt32-1)
		}
		offsets[i+1] = shift + int32(g.NumVertices)
		for a, u := range g.Arcs.From {
			v := g.Arcs.To[a]
			if u < 0 || v < 0 || int(u) >= g.NumVertices || int(v) >= g.NumVertices {
				return nil, fmt.Errorf("graph %d: arc %d joins %d and %d, the graph has %d vertices", i, a, u, v, g.NumVertices)
			}
			all.From = append(all.From, u+shift)
			all.To = append(all.To, v+shift)
		}
		all.Labels = append(all.Labels, g.Arcs.Labels...)
		all.Types = append(all.Types, g.Arcs.Types...)
		all.Weights = append(all.Weights, g.Arcs.Weights...)
		labels = append(labels, g.Labels...)
		for _, l := range g.Labels {
			numLabels = max(numLabels, l+1)
		}
		attributes = append(attributes, g.Attributes...)
		for _, data := range []struct {
			name       string
			have, want int
		}{
			{"vertex labels", len(labels), int(offsets[i+1])},
			{"arc labels", len(all.Labels), len(all.From)},
			{"arc types", len(all.Types), len(all.From)},
			{"arc weights", len(all.Weights), len(all.From)},
		} {
			if data.have != 0 && data.have != data.want {
				return nil, fmt.Errorf("graph %d: %s in some graphs only", i, data.name)
			}
		}
	}
	b, err := FromArcs(offsets, all, BuildOptions{Directed: first.Directed})
	if err != nil {
		return nil, err
	}
	b.Labels, b.NumLabels = labels, int(numLabels)
	b.Attributes, b.AttributeDim = attributes, first.AttributeDim
	return b, nil
}

// check reports what is inconsistent within g or between g and the first graph of its batch.
func (g *Graph) check(first *Graph) error {
	arcs := len(g.Arcs.From)
	lengthFits := func(have, want int) bool { return have == 0 || have == want }
	switch {
	case g.NumVertices < 0:
		return errors.New("negative number of vertices")
	case len(g.Arcs.To) != arcs || !lengthFits(len(g.Arcs.Labels), arcs) || !lengthFits(len(g.Arcs.Types), arcs) ||
		!lengthFits(len(g.Arcs.Weights), arcs):
		return errors.New("arc data of different lengths")
	case !lengthFits(len(g.Labels), g.NumVertices):
		return fmt.Errorf("%d labels for %d vertices", len(g.Labels), g.NumVertices)
	case len(g.Attributes) != g.NumVertices*g.AttributeDim:
		return fmt.Errorf("%d attribute values for %d vertices of %d attributes",
			len(g.Attributes), g.NumVertices, g.AttributeDim)
	case g.Directed != first.Directed:
		return errors.New("directed and undirected graphs in one batch")
	case g.AttributeDim != first.AttributeDim:
		return fmt.Errorf("%d attributes, the first graph has %d", g.AttributeDim, first.AttributeDim)
	}
	for _, l := range g.Labels {
		if l < 0 {
			return fmt.Errorf("negative label id %d", l)
		}
	}
	return nil
}

// Select returns a new batch of the given graphs in the given order; a graph may repeat. Label ids
// and NumLabels are kept. It panics for an index that is not a graph of the batch.
func (b *Batch) Select(graphs []int) *Batch {
	s := &Batch{
		Offsets: make([]int32, 1, len(graphs)+1), RowPtr: []int32{0},
		Directed: b.Directed, NumLabels: b.NumLabels, AttributeDim: b.AttributeDim,
	}
	for _, g := range graphs {
		from, to := b.Vertices(g)
		shift := s.Offsets[len(s.Offsets)-1] - from
		lo, hi := b.RowPtr[from], b.RowPtr[to]
		rowShift := int32(len(s.Col)) - lo
		for _, v := range b.Col[lo:hi] {
			s.Col = append(s.Col, v+shift)
		}
		for u := from; u < to; u++ {
			s.RowPtr = append(s.RowPtr, b.RowPtr[u+1]+rowShift)
		}
		s.Labels = appendRange(s.Labels, b.Labels, int(from), int(to))
		s.Attributes = appendRange(s.Attributes, b.Attributes, int(from)*b.AttributeDim, int(to)*b.AttributeDim)
		s.ArcLabels = appendRange(s.ArcLabels, b.ArcLabels, int(lo), int(hi))
		s.ArcTypes = appendRange(s.ArcTypes, b.ArcTypes, int(lo), int(hi))
		s.ArcWeights = appendRange(s.ArcWeights, b.ArcWeights, int(lo), int(hi))
		s.Offsets = append(s.Offsets, to+shift)
	}
	return s
}

func appendRange[T any](dst, src []T, from, to int) []T {
	if src == nil {
		return nil
	}
	if dst == nil {
		dst = []T{} // of no vertices, but there
	}
	return append(dst, src[from:to]...)
}

// Slice returns the graphs from to to-1 as a batch of their own, which shares what it can with b.
func (b *Batch) Slice(from, to int) *Batch {
	first, last := b.Offsets[from], b.Offsets[to]
	lo, hi := b.RowPtr[first], b.RowPtr[last]
	return &Batch{
		Offsets: lowered(b.Offsets[from:to+1], first), RowPtr: lowered(b.RowPtr[first:last+1], lo),
		Col: lowered(b.Col[lo:hi], first), Directed: b.Directed, NumLabels: b.NumLabels, AttributeDim: b.AttributeDim,
		Labels:     between(b.Labels, int(first), int(last)),
		Attributes: between(b.Attributes, int(first)*b.AttributeDim, int(last)*b.AttributeDim),
		ArcLabels:  between(b.ArcLabels, int(lo), int(hi)),
		ArcTypes:   between(b.ArcTypes, int(lo), int(hi)),
		ArcWeights: between(b.ArcWeights, int(lo), int(hi)),
	}
}

// lowered returns all elements of x less a number, x itself where that is 0.
func lowered(x []int32, by int32) []int32 {
	if by == 0 {
		return slices.Clip(x)
	}
	y := make([]int32, len(x))
	for i, v := range x {
		y[i] = v - by
	}
	return y
}

// between is x[from:to] of data that may be absent.
func between[T any](x []T, from, to int) []T {
	if x == nil {
		return nil
	}
	return x[from:to:to]
}
