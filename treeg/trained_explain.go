package treeg

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/split"
)

// Methods implements [model.Explainer].
func (m *Trained) Methods() []model.Method { return []model.Method{model.Importance} }

// Explain implements [model.Explainer] by how important vertices and edges are to the trees (Eq. 4 of the paper). Edges
// are explained by edges: [model.Explanation.Seen] has those of the graph in the order of [graph.Batch.LineGraph].
func (m *Trained) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	const by = "%s is explained by the subsets that its splits use; leave it out"
	switch {
	case opt.Method != "" && opt.Method != model.Importance:
		return nil, param.Errorf("method", opt.Method, by, m.Model)
	case opt.Colours > 0:
		return nil, param.Errorf("colours", opt.Colours, by, m.Model)
	}
	d, err := m.asked(d)
	if err != nil {
		return nil, err
	}
	x := &explained{m: m, examples: examples}
	local := examples // their numbers in the batch that the trees see
	if m.Task == model.GraphTask {
		d, local = d.Select(examples), split.All(len(examples))
	} else if m.Task == model.EdgeTask {
		x.edgeOf, _ = d.Batch.Edges()
	}
	x.graphs = d.Batch
	if x.seen, err = seenBatch(m.encoding, d, m.Task); err != nil {
		return nil, err
	}
	out := make([]model.Explanation, len(examples))
	err = m.Trees.Explain(ctx, x.seen, local, func(i int, importance *Explanation) error {
		out[i] = x.explanation(i, importance)
		opt.Progress.Report("explain", i+1, len(out))
		return nil
	})
	return out, err
}

// explained are examples that are explained.
type explained struct {
	m        *Trained
	graphs   *graph.Batch
	seen     *graph.Batch // by the trees: the graphs, or their line graphs
	edgeOf   []int32      // where edges are explained: that of every arc
	examples []int
}

// explanation is what the trees say of one example, in terms of the data set.
func (x *explained) explanation(i int, importance *Explanation) model.Explanation {
	out := model.Explanation{Graph: importance.Graph, Predicted: importance.Class,
		Vertices: importance.Vertices, Arcs: importance.Arcs, Seen: importance.Vertices}
	switch x.m.Task {
	case model.GraphTask:
		out.Graph = x.examples[i]
	case model.EdgeTask:
		out.Vertices, out.Arcs = nil, x.ofArcs(importance)
	}
	if importance.Class < 0 {
		out.Value = &importance.Value
	}
	return out
}

// ofArcs returns how important the edge of each arc of a graph is, where edges are the vertices that the trees see.
func (x *explained) ofArcs(importance *Explanation) []float64 {
	from, to := x.graphs.Vertices(importance.Graph)
	first, _ := x.seen.Vertices(importance.Graph)
	var arcs []float64
	for _, e := range x.edgeOf[x.graphs.RowPtr[from]:x.graphs.RowPtr[to]] {
		arcs = append(arcs, importance.Vertices[e-first])
	}
	return arcs
}
