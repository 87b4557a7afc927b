package dataset

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
)

// WithoutLabels returns the data set without the vertices that carry one of the given labels, such as the
// hydrogen of molecules, and without their arcs. Labels keep their codes; those that are left out keep a number
// that no vertex has. A graph may end up empty. A code that is no label is an error, and so is a task per
// vertex.
func (d *Dataset) WithoutLabels(codes ...string) (*Dataset, error) {
	if d.Task.PerVertex() {
		return nil, fmt.Errorf("data set %s: its task asks for every vertex, so none can be left out", d.Name)
	}
	b := d.Batch
	left := make([]bool, len(d.LabelCodes))
	for _, code := range codes {
		id := slices.Index(d.LabelCodes, code)
		if id < 0 {
			return nil, fmt.Errorf("data set %s: no vertex label %s, there are %v", d.Name, code, d.LabelCodes)
		}
		left[id] = true
	}
	number := make([]int32, b.NumVertices()) // of the vertices that stay
	selected := &graph.Batch{Offsets: []int32{0}, RowPtr: []int32{0}, Directed: b.Directed, NumLabels: b.NumLabels,
		AttributeDim: b.AttributeDim}
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		next := selected.Offsets[g]
		for v := from; v < to; v++ {
			if number[v] = -1; !left[b.Labels[v]] {
				number[v] = next
				next++
			}
		}
		selected.Offsets = append(selected.Offsets, next)
	}
	arcs := make([]int32, 0, b.NumArcs()) // that stay
	changed := *d
	changed.Missing, changed.Motif, changed.VertexIDs, changed.Atoms = nil, nil, nil, nil
	missing := d.missingByVertex()
	var motif Motif
	for v := range int32(b.NumVertices()) {
		if number[v] < 0 {
			continue
		}
		selected.Labels = append(selected.Labels, b.Labels[v])
		selected.Attributes = append(selected.Attributes, b.Attribute(v)...)
		for _, column := range missing[int(v)] {
			changed.Missing = append(changed.Missing, int(number[v])*b.AttributeDim+column)
		}
		if d.Motif != nil {
			motif.Vertices = append(motif.Vertices, d.Motif.Vertices[v])
		}
		if d.VertexIDs != nil {
			changed.VertexIDs = append(changed.VertexIDs, d.VertexIDs[v])
		}
		if d.Atoms != nil {
			changed.Atoms = append(changed.Atoms, d.Atoms[v])
		}
		for a := b.RowPtr[v]; a < b.RowPtr[v+1]; a++ {
			if w := number[b.Col[a]]; w >= 0 {
				selected.Col = append(selected.Col, w)
				arcs = append(arcs, a)
			}
		}
		selected.RowPtr = append(selected.RowPtr, int32(len(selected.Col)))
	}
	selected.ArcLabels, selected.ArcTypes, selected.ArcWeights = split.Select(b.ArcLabels, arcs), split.Select(b.ArcTypes,
		arcs), split.Select(b.ArcWeights, arcs)
	if d.Motif != nil {
		motif.Arcs = split.Select(d.Motif.Arcs, arcs)
		changed.Motif = &motif
	}
	changed.Batch = selected
	return &changed, nil
}
