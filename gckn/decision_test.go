package gckn

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// Contributions of the vertices add up to the decision that the model predicts by, and speak for a class where they are
// positive.
func TestContributionsAddUpToTheDecision(t *testing.T) {
	two := synth(t, "molecules", dataset.SynthOptions{Graphs: 30})
	four := synth(t, "rings-cliques", dataset.SynthOptions{Graphs: 24})
	plain, trained := smallEstimators(t, "gckn-subtree")
	for _, d := range []*dataset.Dataset{two, four} {
		for _, s := range []model.Estimator{plain, trained} {
			fitted, _ := kept(t, d, s)
			said, err := fitted.Predict(context.Background(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			examples := []int{9, 0, 4}
			explained, err := fitted.(model.Explainer).Explain(context.Background(), d, examples, model.ExplainOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range explained {
				width := said.Decisions.Shape()[1]
				decision, toward, against := said.Decisions.Float64s()[x.Graph*width:], said.Classes[x.Graph], -1
				if d == two {
					toward, against = 1, 0
				} else {
					decision = decision[x.Predicted:]
				}
				if math.Abs(x.Decision-decision[0]) > 1e-4*max(1, math.Abs(decision[0])) { // the representation is in float32
					t.Errorf("%s on %s, graph %d: contributions of sum %g, the decision is %g", fitted.About().Model, d.Name,
						x.Graph, x.Decision, decision[0])
				}
				from, to := d.Batch.Vertices(x.Graph)
				if x.Graph != examples[i] || x.Predicted != said.Classes[x.Graph] || len(x.Contributions) != int(to-from) ||
					x.Toward != toward || x.Against != against {
					t.Errorf("%s on %s: %+v", fitted.About().Model, d.Name, x)
				}
			}
		}
	}
}

// Masks are those of the network for the class that the model predicts.
func TestMasksKeepThePredictedClass(t *testing.T) {
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 30})
	plain, trained := smallEstimators(t, "gckn-path")
	for _, s := range []model.Estimator{plain, trained} {
		fitted, _ := kept(t, d, s)
		x := fitted.(model.Explainer)
		if !slices.Equal(x.Methods(), []model.Method{model.Contributions, model.Masks}) {
			t.Errorf("methods %v", x.Methods())
		}
		explained, err := x.Explain(context.Background(), d, []int{3, 8}, model.ExplainOptions{
			Method: model.Masks, Lambda: 0.05,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range explained {
			m, left := one.Mask, 0.0
			for _, p := range m.Paths {
				left += p.Mask
			}
			if m.Loss+0.05*left > m.WholeLoss+0.05*float64(len(m.Paths)) || left == float64(len(m.Paths)) ||
				one.Toward != one.Predicted || len(m.Edges) == 0 {
				t.Errorf("%s: loss %g with masks, %g without", fitted.About().Model, m.Loss, m.WholeLoss)
			}
		}
		if _, err := x.Explain(context.Background(), d, []int{3}, model.ExplainOptions{Method: model.States}); err == nil {
			t.Error("states of a network were explained")
		}
	}
}

// What has no decision between classes of graphs is not explained.
func TestWhatIsNotExplained(t *testing.T) {
	plain, trained := smallEstimators(t, "gckn-path")
	community := synth(t, "block-model", dataset.SynthOptions{Vertices: 60})
	vertices, _ := kept(t, community, trained)
	if x := vertices.(model.Explainer); x.Methods() != nil {
		t.Errorf("methods %v for vertices", x.Methods())
	} else if _, err := x.Explain(context.Background(), community, []int{0}, model.ExplainOptions{}); err == nil {
		t.Error("a prediction for a vertex was explained")
	}
	d := synth(t, "molecules", dataset.SynthOptions{Graphs: 12})
	one := *d
	one.Classes, one.ClassNames = make([]int, d.NumGraphs()), d.ClassNames[:1]
	single, _ := kept(t, &one, plain)
	x := single.(model.Explainer)
	if _, err := x.Explain(context.Background(), &one, []int{0}, model.ExplainOptions{}); err == nil {
		t.Error("a model of one class was explained")
	}
}
