package gckn

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/split"
)

// With its defaults, but for fewer epochs, training end to end does not lose what the unsupervised model knows: nested
// accuracy on the published folds of a small data set, on which an epoch chosen on a tenth lost ten percent.
func TestTrainingDoesNotLoseToItsStart(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	d, err := dataset.Open(testfiles.Data(t, "tu", "MUTAG"))
	if err != nil {
		t.Fatal(err)
	}
	published, err := dataset.ReadFolds(testfiles.Data(t, "folds", "MUTAG"), d.NumGraphs())
	if err != nil {
		t.Fatal(err)
	}
	var folds []split.Fold
	for _, f := range published {
		folds = append(folds, split.Fold{Train: f.Train, Test: f.Test})
	}
	accuracy := func(name string, settings map[string]string) float64 {
		o, set, w := newOptionsByName(name), new(param.Set), model.NewWork(d, engine.NewCPU(2))
		o.Declare(set, model.Eval)
		for option, value := range settings {
			if err := set.Set(option, value); err != nil {
				t.Fatal(err)
			}
		}
		estimators, err := o.Estimators(w, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := eval.Problem{Work: w, Folds: folds, Estimators: estimators, FromTrain: true, Seed: 1, Workers: 2}
		p.Inner, p.HoldOut = eval.Inner(folds)
		out, err := eval.Nested(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f +- %.1f %%", name, 100*out.Mean, 100*out.Std)
		return out.Mean
	}
	trained, start := accuracy("gckn-subtree-sup", map[string]string{"epochs": "5"}), accuracy("gckn-subtree", nil)
	if trained < start-0.02 {
		t.Errorf("trained end to end %.3f, without supervision %.3f", trained, start)
	}
}
