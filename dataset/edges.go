package dataset

import (
	"fmt"
	"slices"
	"sort"
)

// Edge is an edge of one of the graphs: an arc of a directed graph, an arc and its reverse of an undirected one, where
// From is the smaller vertex.
type Edge struct {
	Graph    int
	From, To int32 // vertices, counted from 0 in the graph
}

// ByEdge returns the data set that asks for the label of every edge, in the order of [graph.Batch.LineGraph]: its
// EdgeClasses are the arc labels of d, which its graphs do not show any more. Without arc labels it has edges but no
// classes. It is an error where the two arcs of an undirected edge have different labels.
func (d *Dataset) ByEdge() (*Dataset, error) {
	out, b := *d, *d.Batch
	b.ArcLabels = nil
	out.Task, out.Batch = EdgeClassification, &b
	out.Classes, out.VertexClasses, out.Targets, out.TargetNames, out.Splits = nil, nil, nil, nil, nil
	out.TargetClasses, out.Target = nil, ""
	out.ClassNames, out.ArcLabelNames = d.ArcLabelNames, nil
	of, arcs := b.Edges()
	g, from, tail := 0, int32(0), int32(0)
	for _, p := range arcs {
		for b.RowPtr[tail+1] <= p {
			tail++
		}
		for b.Offsets[g+1] <= tail {
			g++
			from = b.Offsets[g]
		}
		out.Edges = append(out.Edges, Edge{g, tail - from, b.Col[p] - from})
		if d.Batch.ArcLabels != nil {
			out.EdgeClasses = append(out.EdgeClasses, int(d.Batch.ArcLabels[p]))
		}
	}
	for p, e := range of {
		if label := d.Batch.ArcLabels; label != nil && int(label[p]) != out.EdgeClasses[e] {
			edge := out.Edges[e]
			return nil, fmt.Errorf("data set %s: the edge between vertices %d and %d of graph %d has the labels %s and %s, "+
				"one in each direction", d.Name, edge.From, edge.To, edge.Graph,
				d.ArcLabelNames[out.EdgeClasses[e]], d.ArcLabelNames[label[p]])
		}
	}
	return &out, nil
}

// selectEdges takes the edges of some graphs of d over into s.
func (d *Dataset) selectEdges(s *Dataset, graphs []int) {
	s.Edges, s.EdgeClasses = nil, nil
	for i, g := range graphs {
		from := sort.Search(len(d.Edges), func(e int) bool { return d.Edges[e].Graph >= g })
		to := sort.Search(len(d.Edges), func(e int) bool { return d.Edges[e].Graph > g })
		for _, e := range d.Edges[from:to] {
			e.Graph = i
			s.Edges = append(s.Edges, e)
		}
		if d.EdgeClasses != nil {
			s.EdgeClasses = slices.Concat(s.EdgeClasses, d.EdgeClasses[from:to])
		}
	}
}
