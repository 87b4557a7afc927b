package gnn

import (
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// What is not given is what the task wants.
func TestDefaultsOfTasks(t *testing.T) {
	for _, verb := range []model.Verb{model.Eval, model.Train} {
		for task, d := range map[model.Task]*dataset.Dataset{
			model.GraphTask: {Task: dataset.GraphClassification}, model.NodeTask: {Task: dataset.NodeClassification},
		} {
			for _, kind := range []Kind{GCN, GIN} {
				f, set := newFlags(string(kind)), &param.Set{}
				f.Declare(set, verb)
				for name, text := range map[string]string{"width": "7", "epochs": "9"} {
					if err := set.Set(name, text); err != nil {
						t.Fatal(err)
					}
				}
				all, err := f.Estimators(model.NewWork(d, engine.NewCPU(1)), 3)
				if err != nil || len(all) != 1 {
					t.Fatal(len(all), err)
				}
				want := Default(kind, task)
				want.Width, want.Epochs, want.Seed = 7, 9, 3
				got := all[0].(Estimator).Options
				want.Patience = got.Patience // of trainings alone
				if got.String() != want.String() || got.ByRow != want.ByRow || got.Epochs != want.Epochs ||
					got.HalveEvery != want.HalveEvery {
					t.Errorf("%s of %s: %+v, want %+v", kind, task, got, want)
				}
			}
		}
	}
}
