package machine

import (
	"context"
	"math"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// sums is a model whose decision for a vertex is its attribute and those of the vertices that its arcs lead to.
type sums struct{ model.Model }

func (sums) decide(_ context.Context, d *dataset.Dataset, class int) ([]float64, error) {
	b := d.Batch
	out := make([]float64, b.NumVertices())
	for v := range out {
		out[v] = b.Attributes[v]
		for _, u := range b.Neighbors(int32(v)) {
			out[v] += b.Attributes[u]
		}
		if class == 0 {
			out[v] = -out[v]
		}
	}
	return out, nil
}

func (m sums) Predict(ctx context.Context, d *dataset.Dataset, _ model.Progress) (*model.Predictions, error) {
	said, err := m.decide(ctx, d, 1)
	x := tensor.New(tensor.WithShape(len(said), 1), tensor.WithBacking(said))
	return model.Decide(x, []int{0, 1}, 2), err
}

func TestImportanceIsTheChangeWithoutAVertex(t *testing.T) {
	for _, directed := range []bool{false, true} {
		star := graph.Graph{NumVertices: 5, Directed: directed, AttributeDim: 1, Attributes: []float64{2, -1, 3, 0.5, 100},
			Labels: []int32{0, 1, 0, 1, 0}}
		star.Arcs.From, star.Arcs.To = []int32{0, 0, 0, 3}, []int32{1, 2, 3, 4}
		b, err := graph.NewBatch([]graph.Graph{{NumVertices: 1, Directed: directed, AttributeDim: 1, Labels: []int32{1},
			Attributes: []float64{7}}, star})
		if err != nil {
			t.Fatal(err)
		}
		d := &dataset.Dataset{Name: "star", Task: dataset.NodeClassification, Batch: b, ClassNames: []string{"a", "b"},
			VertexClasses: make([]int, 6), LabelCodes: []string{"0", "1"}, LabelNames: []string{"0", "1"}}
		m := sums{}
		found, err := (&leavingOut{m, 1, m.decide}).explain(context.Background(), d, []int{1, 0}, model.ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		mean := (7 + 2 - 1 + 3 + 0.5 + 100) / 6.0
		want := []float64{math.Abs(mean - 2), 1, 3, 0.5, 0} // the last one is too far away to count
		total := 0.0
		for _, w := range want {
			total += w
		}
		if x := found[0]; x.Graph != 1 || x.Predicted != 1 || len(x.Vertices) != 5 {
			t.Fatalf("directed %t: %+v", directed, x)
		}
		for v, w := range want {
			if got := found[0].Vertices[v]; math.Abs(got-w/total) > 1e-12 {
				t.Errorf("directed %t: importance %g of vertex %d, want %g", directed, got, v, w/total)
			}
		}
		if x := found[1]; x.Graph != 0 || len(x.Vertices) != 1 || x.Vertices[0] != 1 {
			t.Errorf("directed %t: a vertex alone: %+v", directed, x)
		}
	}
}
