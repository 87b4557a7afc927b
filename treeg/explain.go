package treeg

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Explanation says which vertices and edges of a graph a prediction rests on (appendix B).
type Explanation struct {
	Graph int     `json:"graph"`           // of the batch
	Class int     `json:"class"`           // that is predicted, hence explained; -1 for a number
	Value float64 `json:"value,omitempty"` // the number that is predicted

	// Vertices is the importance of every vertex of the graph (Eq. 4): non-negative, of sum 1.
	Vertices []float64 `json:"vertices"`
	// Arcs is the importance of every arc of the graph, in the order of Col. Both arcs of an undirected edge have
	// that of the edge; over edges the sum is 1.
	Arcs []float64 `json:"arcs"`

	Trees []TreeExplanation `json:"trees"`
}

// TreeExplanation is the share of one tree in an explanation.
type TreeExplanation struct {
	Value    float64   `json:"value"`     // y_T of the leaf that the example reached, without the learning rate
	Leaf     int32     `json:"leaf"`      // node of the leaf
	Counts   []int     `json:"counts"`    // n_T: splits on the path whose subset holds the vertex
	Ranks    []float64 `json:"ranks"`     // r_T: 1 for the largest count; equal counts share their mean rank
	ArcUses  []int     `json:"arc_uses"`  // splits on the path that use the arc, or the edge that it belongs to
	ArcRanks []float64 `json:"arc_ranks"` // of the edges
}

// Explain explains the predictions for some examples, graphs or vertices of a batch, and tells each explanation as soon
// as it is there, in the order given. The trees that count are those of the predicted class; for two classes with the
// logistic loss, and for numbers, all trees. Neighbours in the list that are of one graph share its preparation. An
// error of tell ends it.
func (m *Model) Explain(
	ctx context.Context, b *graph.Batch, examples []int, tell func(i int, x *Explanation) error,
) error {
	var of *explainer
	for i, example := range examples {
		g, local, err := m.place(b, example)
		if err != nil {
			return err
		}
		if of == nil || of.graph != g {
			d, err := m.Prepare(ctx, b.Select([]int{g}))
			if err != nil {
				return err
			}
			of = &explainer{g, d, m.opt.Empty, walks.NewEdges(d.data)}
		}
		x, err := m.explain(ctx, of, local)
		if err != nil {
			return err
		}
		if err := tell(i, x); err != nil {
			return err
		}
	}
	return nil
}

// place returns the graph of an example and its number within it, 0 for a whole graph.
func (m *Model) place(b *graph.Batch, example int) (g, local int, err error) {
	n := b.NumGraphs()
	if m.input.Level == Vertices {
		n = b.NumVertices()
	}
	switch {
	case example < 0 || example >= n:
		return 0, 0, fmt.Errorf("example %d: the data have %d", example, n)
	case m.input.Level == Graphs:
		return example, 0, nil
	}
	g, _ = slices.BinarySearch(b.Offsets, int32(example)+1)
	g--
	return g, example - int(b.Offsets[g]), nil
}

// explain explains one example of the explainer's graph.
func (m *Model) explain(ctx context.Context, e *explainer, local int) (*Explanation, error) {
	scores, err := m.ScoresOf(ctx, e.d, []int{local})
	if err != nil {
		return nil, err
	}
	out := &Explanation{Graph: e.graph, Class: -1}
	if said := m.predictions(scores); said.Classes != nil {
		out.Class = said.Classes[0]
	} else {
		out.Value = scores[0]
	}
	for _, row := range m.trees {
		t, output := row[0], 0
		switch {
		case len(row) > 1:
			t = row[out.Class]
		case m.opt.Ensemble != Boosting && m.number > 0:
			output = out.Class
		}
		out.Trees = append(out.Trees, e.tree(t, int32(local), output))
	}
	out.combine(e.d.data.Batch, e.edges.Of)
	return out, ctx.Err()
}

// explainer follows one example of the only graph of a batch through trees.
type explainer struct {
	graph int // its number in the batch that it is of
	d     *Data
	empty Empty
	edges *walks.Edges
}

// tree follows the example through one tree.
func (e *explainer) tree(t *Tree, example int32, output int) TreeExplanation {
	b := e.d.data.Batch
	out := TreeExplanation{Counts: make([]int, b.NumVertices())}
	uses := make([]int, e.edges.Count)
	out.Leaf = predict.Follow(e.d.data, t, e.empty, example, func(_ int32, r *walks.Rule, subset []int32) {
		for _, v := range subset {
			out.Counts[v]++
		}
		for edge, used := range e.edges.Uses(r, subset) {
			if used {
				uses[edge]++
			}
		}
	})
	out.Value = t.Nodes[out.Leaf].Value[output]
	out.Ranks = ranks(out.Counts)
	edgeRanks := ranks(uses)
	out.ArcUses, out.ArcRanks = make([]int, b.NumArcs()), make([]float64, b.NumArcs())
	for p, edge := range e.edges.Of {
		out.ArcUses[p], out.ArcRanks[p] = uses[edge], edgeRanks[edge]
	}
	return out
}

// ranks returns the place of every count in decreasing order, from 1 on; equal counts share their mean place.
func ranks(counts []int) []float64 {
	order := split.All(len(counts))
	slices.SortStableFunc(order, func(i, j int) int { return counts[j] - counts[i] })
	out := make([]float64, len(counts))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && counts[order[to]] == counts[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// combine fills in the importances (Eq. 4) from the trees.
func (x *Explanation) combine(b *graph.Batch, edges []int32) {
	x.Vertices = importance(x.Trees, b.NumVertices(), func(t *TreeExplanation) []float64 { return t.Ranks })
	x.Arcs = importance(x.Trees, b.NumArcs(), func(t *TreeExplanation) []float64 { return t.ArcRanks })
	total := 0.0
	seen := make([]bool, len(edges))
	for p, edge := range edges {
		if !seen[edge] {
			seen[edge] = true
			total += x.Arcs[p]
		}
	}
	for p := range x.Arcs {
		x.Arcs[p] /= total
	}
}

// importance returns sum_T |y_T| 2^(-r_T(i)), divided by the sum over all i. Where no tree says anything, all are
// equal.
func importance(trees []TreeExplanation, n int, ranksOf func(*TreeExplanation) []float64) []float64 {
	out := make([]float64, n)
	least := math.Inf(1) // ranks are counted from it, so that those of large graphs do not vanish
	for t := range trees {
		if trees[t].Value != 0 {
			for _, r := range ranksOf(&trees[t]) {
				least = min(least, r)
			}
		}
	}
	total := 0.0
	for t := range trees {
		if trees[t].Value == 0 {
			continue
		}
		for i, r := range ranksOf(&trees[t]) {
			w := math.Abs(trees[t].Value) * math.Exp2(least-r)
			out[i] += w
			total += w
		}
	}
	for i := range out {
		if total == 0 {
			out[i] = 1 / float64(n)
		} else {
			out[i] /= total
		}
	}
	return out
}
