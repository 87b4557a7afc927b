package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg"
)

// treesReport is what grove explain reports of decision trees.
type treesReport struct {
	Model    string             `json:"model"`
	Dataset  string             `json:"dataset"`
	Device   string             `json:"device"`
	Task     task               `json:"task"`
	File     string             `json:"file,omitempty"`
	Examples []treesExplanation `json:"examples"`
	Averages []classAverages    `json:"averages,omitempty"` // of several examples
	Seconds  struct {
		Total float64 `json:"total"`
	} `json:"seconds"`
}

// treesExplanation is what is said of one graph, vertex or edge: how important the vertices and edges of its graph are
// (Eq. 4 of the paper), the most important first. Vertices have their number in the graph, or in the data set where
// each is an example; where graphs are not the examples, only the most important ones are listed. To a model of edges
// the vertices of line graphs are important, which are edges.
type treesExplanation struct {
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

// explainTrees draws how important vertices and edges are to decision trees.
func (a *app) explainTrees(
	ctx context.Context, f *explainFlags, m *treegModel, e engine.Engine, start time.Time,
) error {
	if f.method == byMasks || f.colours > 0 {
		return usagef("--method masks and --colours: %s is explained by the subsets that its splits use; leave them out",
			m.Model)
	}
	x, err := f.openTrees(ctx, m)
	if err != nil {
		return err
	}
	r := &treesReport{Model: m.Model, Dataset: x.d.Name, Device: describe(e), Task: m.Task, File: f.out}
	if r.Examples, err = x.explain(ctx, m, a.progress.report); err != nil {
		return err
	}
	if len(r.Examples) > 1 {
		r.Averages = x.averages(r.Examples)
	}
	if f.out != "" {
		if err := f.drawTrees(x, r.Examples); err != nil {
			return err
		}
	}
	r.Seconds.Total = seconds(start)
	return a.emit(r, r.print)
}

// toExplain are examples that are to be explained.
type toExplain struct {
	d        *dataset.Dataset
	seen     *graph.Batch // by the trees: the graphs of d, or their line graphs
	edgeOf   []int32      // where edges are explained: that of every arc
	examples []int        // graphs, vertices or edges of d
	numbers  []int        // that they have in the data set on disk
	said     *predictions
	names    []string // of the vertex labels
	task     task
}

// openTrees reads the examples that the flags name.
func (f *explainFlags) openTrees(ctx context.Context, m *treegModel) (*toExplain, error) {
	if m.Task == graphTask {
		d, index, names, said, err := f.open(ctx, m, m.encoding)
		return &toExplain{d: d, examples: every(len(index)), numbers: index, said: said, names: names, task: m.Task}, err
	}
	d, err := dataset.Open(f.data)
	if err != nil {
		return nil, err
	}
	if d, err = asLearned(d, &m.head); err != nil {
		return nil, err
	}
	if d.Task.PerVertex() != (m.Task == nodeTask) {
		return nil, fmt.Errorf("%s: the model explains each %s, the data set asks about each %s",
			f.data, m.Task.noun(), taskOf(d).noun())
	}
	x := &toExplain{d: d, task: m.Task}
	most := d.Batch.NumVertices()
	if m.Task == edgeTask {
		x.edgeOf, _ = d.Batch.Edges()
		most = len(d.Edges)
	}
	if err := wantsVertices(d); err != nil {
		return nil, err
	}
	if x.names, err = f.labelNames(d, m.encoding); err != nil {
		return nil, err
	}
	index, err := f.numbers(most, m.Task.noun())
	if err != nil {
		return nil, err
	}
	all, err := m.predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	if x.examples, err = f.narrow(m, d, all, index); err != nil {
		return nil, err
	}
	x.numbers, x.said = x.examples, all.of(x.examples)
	return x, nil
}

// explain explains the examples one after another.
func (x *toExplain) explain(
	ctx context.Context, m *treegModel, report func(string, int, int),
) ([]treesExplanation, error) {
	var err error
	if x.seen, err = treesBatch(m.encoding, x.d); err != nil {
		return nil, err
	}
	out := make([]treesExplanation, len(x.examples))
	err = m.model.ExplainEach(ctx, x.seen, x.examples, -1, func(i int, importance *treeg.Explanation) error {
		out[i] = x.explanation(i, m, importance)
		report("explain", i+1, len(out))
		return nil
	})
	return out, err
}

// explanation puts the importances of one example beside what is known of it.
func (x *toExplain) explanation(i int, m *treegModel, importance *treeg.Explanation) treesExplanation {
	out := treesExplanation{Graph: importance.Graph, seen: importance.Vertices}
	out.vertices, out.arcs = importance.Vertices, importance.Arcs
	from, to := x.d.Batch.Vertices(importance.Graph)
	first, most := 0, mostListed
	var classes []int
	switch x.task {
	case graphTask:
		out.Graph, classes = x.numbers[i], x.d.Classes
		most = len(out.vertices) + len(out.arcs)
	case nodeTask:
		out.Vertex, classes = &x.numbers[i], x.d.VertexClasses
		first = int(from)
	case edgeTask:
		e := &x.d.Edges[x.examples[i]]
		out.Edge, out.From, out.To, classes = &x.numbers[i], &e.From, &e.To, x.d.EdgeClasses
		out.vertices, out.arcs = nil, x.ofArcs(importance)
	}
	if x.said.classes == nil {
		out.Value = &x.said.values.Float64s()[i]
	} else {
		out.Predicted = m.Classes[x.said.classes[i]]
	}
	if c := classes; c != nil && x.said.classes != nil && c[x.examples[i]] >= 0 {
		out.Class = &x.d.ClassNames[c[x.examples[i]]]
	}
	if x.names != nil {
		for _, l := range x.d.Batch.Labels[from:to] {
			out.labels = append(out.labels, x.names[l])
		}
	}
	out.list(x.d.Batch, importance.Graph, first, most)
	return out
}

// ofArcs returns how important the edge of each arc of a graph is, where edges are the vertices that the trees see.
func (x *toExplain) ofArcs(importance *treeg.Explanation) []float64 {
	b := x.d.Batch
	from, to := b.Vertices(importance.Graph)
	first, _ := x.seen.Vertices(importance.Graph)
	var arcs []float64
	for _, e := range x.edgeOf[b.RowPtr[from]:b.RowPtr[to]] {
		arcs = append(arcs, importance.Vertices[e-first])
	}
	return arcs
}

// list sorts vertices and edges of graph g by their importance. first is the number of the graph's first vertex.
func (x *treesExplanation) list(b *graph.Batch, g, first, most int) {
	from, to := b.Vertices(g)
	for v, importance := range x.vertices {
		one := vertexImportance{Vertex: first + v, Importance: importance}
		if x.labels != nil {
			one.Label = x.labels[v]
		}
		x.Vertices = append(x.Vertices, one)
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
func (x *treesExplanation) summary() string {
	if x.Value != nil {
		return fmt.Sprintf("predicted %.4g", *x.Value)
	}
	same := explanation{Predicted: x.Predicted, Class: x.Class}
	return same.prediction()
}

// example names what is explained.
func (x *treesExplanation) example() string {
	switch {
	case x.Vertex != nil:
		return fmt.Sprintf("vertex %d", *x.Vertex)
	case x.Edge != nil:
		return fmt.Sprintf("edge %d", *x.Edge)
	}
	return fmt.Sprintf("graph %d", x.Graph)
}

func (r *treesReport) print(w io.Writer) {
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
	if r.File != "" {
		fmt.Fprintf(w, "drawn in %s\n", r.File)
	}
}
