package eval_test

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/wl"
)

// Of many graphs some are enough to choose on, the same in memory and on disk, with the shares of the classes; what is
// chosen is what they choose by themselves.
func TestSomeGraphsAreEnoughToChooseOn(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 400, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), d.Name)
	if err := dataset.WriteShards(dir, d); err != nil {
		t.Fatal(err)
	}
	shards, err := dataset.OpenShards(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer shards.Close()
	estimators := []model.Estimator{
		wl.Estimator{Options: wl.DefaultOptions(wl.Subtree)}, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment)},
	}
	choose := func(w *model.Work, on int) *eval.Chosen {
		t.Helper()
		c, err := eval.Choose(context.Background(), w, estimators, eval.Choosing{On: on, Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		c.Select = 0
		return c
	}
	memory := choose(model.NewWork(d, engine.NewCPU(2)), 100)
	stored := choose(model.NewStoredWork(shards, engine.NewCPU(2)), 100)
	if !strings.HasSuffix(memory.By, "by 5-fold cross-validation of 100 graphs") || !reflect.DeepEqual(memory, stored) {
		t.Errorf("from memory %+v, from disk %+v", memory, stored)
	}
	all := choose(model.NewWork(d, engine.NewCPU(2)), -1)
	if same := choose(model.NewWork(d, engine.NewCPU(2)), 400); !reflect.DeepEqual(all, same) || all.Std == memory.Std {
		t.Errorf("on all %+v, on 400 of 400 %+v, on 100 %+v", all, same, memory)
	}
}

// The work on some graphs shows them as the data set of these does.
func TestWorkOfSomeGraphs(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	some, err := model.NewWork(d, engine.NewCPU(1)).Of(split.All(20)[5:9])
	if err != nil {
		t.Fatal(err)
	}
	if want := d.Select(split.All(20)[5:9]); !reflect.DeepEqual(some.Data, want) {
		t.Errorf("%+v, want %+v", some.Data, want)
	}
}
