package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// importanceReport is what grove explain reports of decision trees.
type importanceReport struct {
	explainReport
	Task     model.Task      `json:"task"`
	Examples []importance    `json:"examples"`
	Averages []classAverages `json:"averages,omitempty"` // of several examples
}

// importance is what is said of one graph, vertex or edge: how important the vertices and edges of its graph are
// (Eq. 4 of the paper), the most important first. Vertices have their number in the graph, or in the data set where
// each is an example; where graphs are not the examples, only the most important ones are listed. To a model of edges
// the vertices of line graphs are important, which are edges.
type importance struct {
	Graph     int                `json:"graph"`
	Vertex    *int               `json:"vertex,omitempty"` // that is explained, where each is an example
	Edge      *int               `json:"edge,omitempty"`   // the same, beside its vertices in the graph
	From      *int32             `json:"from,omitempty"`
	To        *int32             `json:"to,omitempty"`
	Predicted string             `json:"predicted,omitempty"`
	Class     *string            `json:"class,omitempty"`
	Value     *float64           `json:"value,omitempty"` // predicted in a regression
	Vertices  []vertexImportance `json:"vertices,omitempty"`
	Edges     []edgeImportance   `json:"edges"`

	seen           []float64 // importance of the vertices that the trees see: those of the graph, or its edges
	vertices, arcs []float64 // of the whole graph, in its order; vertices is nil where edges are examples
	labels         []string  // of the vertices, nil where they have none
}

type vertexImportance struct {
	Vertex     int     `json:"vertex"`
	Label      string  `json:"label,omitempty"`
	Importance float64 `json:"importance"`
}

type edgeImportance struct {
	From       int     `json:"from"`
	To         int     `json:"to"`
	Importance float64 `json:"importance"`
}

// mostListed bounds the vertices and edges that are listed of a graph whose vertices are the examples.
const mostListed = 100

// importances reports how important vertices and edges are.
func importances(s *subject, base explainReport) *importanceReport {
	r := &importanceReport{explainReport: base, Task: s.head.Task, Examples: make([]importance, len(s.found))}
	for i := range s.found {
		r.Examples[i] = s.importance(i)
	}
	if len(r.Examples) > 1 {
		r.Averages = s.averages(r.Examples)
	}
	return r
}

// importance puts what one example rests on beside what is known of it.
func (s *subject) importance(i int) importance {
	found := &s.found[i]
	out := importance{Graph: found.Graph, seen: found.Seen, Value: found.Value, vertices: found.Vertices, arcs: found.Arcs,
		labels: s.labels(found.Graph), Class: s.class(i)}
	if found.Value == nil {
		out.Predicted = s.head.Classes[found.Predicted]
	}
	first, most := 0, mostListed
	switch s.head.Task {
	case model.GraphTask:
		out.Graph, most = s.numbers[i], len(out.vertices)+len(out.arcs)
	case model.NodeTask:
		from, _ := s.d.Batch.Vertices(found.Graph)
		out.Vertex, first = &s.numbers[i], int(from)
	case model.EdgeTask:
		e := &s.d.Edges[s.examples[i]]
		out.Edge, out.From, out.To = &s.numbers[i], &e.From, &e.To
	}
	out.list(s.d.Batch, found.Graph, first, most)
	return out
}

// list sorts vertices and edges of graph g by their importance. first is the number of the graph's first vertex.
func (x *importance) list(b *graph.Batch, g, first, most int) {
	from, to := b.Vertices(g)
	for v, importance := range x.vertices {
		one := vertexImportance{Vertex: first + v, Importance: importance}
		if x.labels != nil {
			one.Label = x.labels[v]
		}
		x.Vertices = append(x.Vertices, one)
	}
	if x.arcs == nil { // the method says nothing of them: none is listed, and all are drawn alike
		x.arcs, to = make([]float64, b.RowPtr[to]-b.RowPtr[from]), from
	}
	for u := from; u < to; u++ {
		for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
			if v := b.Col[p]; b.Directed || u <= v {
				ends := edgeImportance{first + int(u-from), first + int(v-from), x.arcs[p-b.RowPtr[from]]}
				x.Edges = append(x.Edges, ends)
			}
		}
	}
	slices.SortStableFunc(x.Vertices, func(a, b vertexImportance) int { return cmp.Compare(b.Importance, a.Importance) })
	slices.SortStableFunc(x.Edges, func(a, b edgeImportance) int { return cmp.Compare(b.Importance, a.Importance) })
	x.Vertices, x.Edges = x.Vertices[:min(most, len(x.Vertices))], x.Edges[:min(most, len(x.Edges))]
}

// summary says in a line what was predicted.
func (x *importance) summary() string {
	if x.Value != nil {
		return fmt.Sprintf("predicted %.4g", *x.Value)
	}
	return predicted(x.Predicted, x.Class)
}

// example names what is explained.
func (x *importance) example() string {
	switch {
	case x.Vertex != nil:
		return fmt.Sprintf("vertex %d", *x.Vertex)
	case x.Edge != nil:
		return fmt.Sprintf("edge %d", *x.Edge)
	}
	return fmt.Sprintf("graph %d", x.Graph)
}

func (r *importanceReport) print(w io.Writer) {
	for i := range r.Examples {
		x := &r.Examples[i]
		var most []string
		for _, v := range x.Vertices[:min(3, len(x.Vertices))] {
			name := strings.TrimSpace(fmt.Sprintf("%d %s", v.Vertex, v.Label))
			most = append(most, fmt.Sprintf("%s %.1f %%", name, 100*v.Importance))
		}
		if x.Edge != nil {
			for _, e := range x.Edges[:min(3, len(x.Edges))] {
				most = append(most, fmt.Sprintf("%d-%d %.1f %%", e.From, e.To, 100*e.Importance))
			}
		}
		fmt.Fprintf(w, "%-12s %s, most important: %s\n", x.example(), x.summary(), strings.Join(most, ", "))
	}
	for i := range r.Averages {
		r.Averages[i].print(w)
	}
}
