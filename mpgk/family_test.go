package mpgk

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// byName sets options of a model by name, "iterations=3" for instance, and checks them.
func byName(name string, verb model.Verb, settings ...string) (model.Options, error) {
	o := model.FamilyOf(name).New(name)
	s := new(param.Set)
	o.Declare(s, verb)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := s.Set(name, value); err != nil {
			return nil, err
		}
	}
	return o, o.Check()
}

func TestOptionsByName(t *testing.T) {
	d := generated(t)
	for _, name := range Variants() {
		preset, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		all := estimators(t, d, name, model.Eval)
		preset.Seed = 7
		if len(all) != 1 || all[0].Name() != name || !reflect.DeepEqual(all[0].Params(), preset) {
			t.Errorf("%s: %+v, want %+v", name, all, preset)
		}
	}
	all := estimators(t, d, "mpgk-ra", model.Train, "iterations=1,3", "sum-iterations=false,true", "landmarks=1", "c=2")
	var names []string
	for _, est := range all {
		names = append(names, est.String())
		if grid := est.Grid(); !slices.Equal(grid.Values, []float64{2}) {
			t.Errorf("%s: grid %v", est, grid)
		}
	}
	want := []string{"1 iteration, 1 landmark", "3 iterations, 1 landmark", "sum of 1 iteration, 1 landmark",
		"sum of 3 iterations, 1 landmark"}
	if !slices.Equal(names, want) {
		t.Errorf("estimators %q, want %q", names, want)
	}
	network := estimators(t, d, "mpgk-aa", model.Train, "head=mlp", "hidden=3")[0].(NetworkEstimator)
	if o := network.Kernel.Options; o.GraphLandmarks != graphLandmarks || network.Network.Hidden != 3 ||
		network.Network.Seed != 7 {
		t.Errorf("network %+v", network)
	}
}

func estimators(
	t *testing.T, d *dataset.Dataset, name string, verb model.Verb, settings ...string,
) []model.Estimator {
	t.Helper()
	o, err := byName(name, verb, settings...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := o.Estimators(model.NewWork(d, engine.NewCPU(1)), 7)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOptionsByNameRefuse(t *testing.T) {
	for _, c := range []struct {
		verb    model.Verb
		setting string
		words   string
	}{
		{model.Eval, "iterations=0", "whole number from 1"}, {model.Eval, "iterations=33", "from 1 to 32"},
		{model.Eval, "alpha=-1", "from 0 on"}, {model.Eval, "weights=mine", "paper or published"},
		{model.Eval, "head=tree", "svr or mlp"}, {model.Eval, "sum-iterations=maybe", "neither true nor false"},
		{model.Eval, "features=colours", "want auto"}, {model.Eval, "branching=1", "from 2 to 64"},
		{model.Eval, "graph-landmarks=9000", "from 0 to 8192"}, {model.Embed, "graph-landmarks=0", "1"},
		{model.Embed, "c=1", "no such option"}, {model.Gram, "epsilon=1", "no such option"},
		{model.Eval, "epsilon=0", "positive"}, {model.Eval, "alpha=0 beta=0", "both 0"},
		{model.Eval, "c=1 c-grid=1,2", "leave out c, or c-grid"},
	} {
		_, err := byName("mpgk-aa", c.verb, strings.Fields(c.setting)...)
		var named *param.Error
		if !errors.As(err, &named) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %s: error %v, want %q", c.verb, c.setting, err, c.words)
		}
	}
	d := generated(t)
	network := NetworkEstimator{Kernel: Estimator{Options: mustPreset(t, "mpgk-aa")}, Network: autodiff.DefaultMLP()}
	w := model.NewWork(d, engine.NewCPU(1))
	if _, err := network.Sees(w); err == nil || !strings.Contains(err.Error(), "no targets") {
		t.Errorf("a network for classes: %v", err)
	}
	raw := Estimator{Options: mustPreset(t, "mpgk-aa"), Features: dataset.RawAttributes}
	if _, err := raw.Sees(w); err == nil || !strings.Contains(err.Error(), "features raw") {
		t.Errorf("attributes that are not there: %v", err)
	}
}

func mustPreset(t *testing.T, name string) Options {
	t.Helper()
	o, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
