package gckn

import (
	"errors"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// named returns the options of a model with some parameters set, each NAME=VALUE, and the first error.
func named(name string, verb model.Verb, settings string) (model.Options, error) {
	o, s := model.FamilyOf(name).New(name), new(param.Set)
	o.Declare(s, verb)
	for _, setting := range strings.Fields(settings) {
		key, value, _ := strings.Cut(setting, "=")
		if err := s.Set(key, value); err != nil {
			return nil, err
		}
	}
	return o, o.Check()
}

// Options that make no sense are refused by their name before any data are read.
func TestOptionsByNameAreChecked(t *testing.T) {
	for _, c := range []struct {
		name     string
		verb     model.Verb
		settings string
		about    string // the parameter
		says     string
	}{
		{"gckn-path", model.Train, "layers=4", "layers", "SIZE:FILTERS:SIGMA"},
		{"gckn-path", model.Train, "layers=4:8:0.6,0:8:0.6", "layers", "layer 2"},
		{"gckn-path", model.Train, "layers=4:8:0.6 sigma=1", "layers", "leave out sigma"},
		{"gckn-path", model.Eval, "path-size=17", "path-size", "16"},
		{"gckn-path", model.Eval, "filters=0", "filters", "from 1"},
		{"gckn-path", model.Eval, "pooling=median", "pooling", "gmp"},
		{"gckn-path", model.Eval, "c=1 c-grid=1,2", "c-grid", "leave out c"},
		{"gckn-path", model.Embed, "sigma=0.4,0.6", "sigma", "one value"},
		{"gckn-path", model.Embed, "c=1", "c", "no such option"},
		{"gckn-path", model.Embed, "grid=quick", "grid", "no such option"},
		{"gckn-path-sup", model.Eval, "pooling=median", "pooling", "gmp"},
		{"gckn-path-sup", model.Eval, "concat=true", "concat", "no such option"},
		{"gckn-path-sup", model.Eval, "c=1", "c", "no such option"},
		{"gckn-path-sup", model.Eval, "epochs=-1", "epochs", "from 0"},
		{"gckn-path-sup", model.Eval, "validation=3", "validation", "no such option"},
		{"gckn-path-sup", model.Train, "validation=1", "validation", "2 parts"},
		{"gckn-path-sup", model.Train, "decay=0.1,0.2", "", "2 settings"},
		{"gckn-path-sup", model.Train, "checkpoint-every=0", "checkpoint-every", "1"},
	} {
		_, err := named(c.name, c.verb, c.settings)
		var about *param.Error
		if !errors.As(err, &about) || about.Name != c.about || !strings.Contains(about.Error(), c.says) {
			t.Errorf("%s %s %s: %v, want an error of %q with %q", c.verb, c.name, c.settings, err, c.about, c.says)
		}
	}
}

// The product of the lists comes in the order of their names, the named grids have their sizes, and layers replace
// presets.
func TestOptionsByNameSpanGrids(t *testing.T) {
	w := model.NewWork(synth(t, "molecules", dataset.SynthOptions{Graphs: 20}), enginetest.Open(t, 1))
	estimators := func(name string, verb model.Verb, settings string) []model.Estimator {
		t.Helper()
		o, err := named(name, verb, settings)
		if err != nil {
			t.Fatal(err)
		}
		all, err := o.Estimators(w, 7)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for settings, want := range map[string]int{
		"": 1, "grid=quick": 18, "grid=paper": 2772, "grid=quick sigma=1": 6, "sigma=0.5,0.6 pooling=sum,max": 4,
	} {
		if got := len(estimators("gckn-path", model.Eval, settings)); got != want {
			t.Errorf("%q: %d estimators, want %d", settings, got, want)
		}
	}
	all := estimators("gckn-subtree", model.Eval, "sigma=0.5,0.6 global-pooling=sum,max c-grid=1,0.1,1")
	if got, want := all[1].String(), "path size 4+1, filters 128, sigma 0.5, pooling sum/max"; got != want {
		t.Errorf("second estimator %q, want %q", got, want)
	}
	first := all[0].(Estimator)
	if g := all[0].Grid(); len(g.Values) != 2 || g.Values[0] != 0.1 || first.Options.Seed != 7 ||
		first.Name() != "gckn-subtree" {
		t.Errorf("%+v with grid %v", first, g)
	}
	layers := estimators("gckn-path", model.Train, "layers=3:8:0.5,1:4:1 pooling=mean")[0]
	if got := layers.String() + " of " + layers.Name(); got !=
		"path size 3+1, filters 8+4, sigma 0.5+1, pooling mean/sum of gckn-path" {
		t.Errorf("layers: %s", got)
	}

	sup := estimators("gckn-path-sup", model.Train, "epochs=20 loss=squared-hinge balanced=true")
	trained := sup[0].(SupervisedEstimator)
	if g := trained.Grid(); g.Name != "" || trained.Options.Patience != 50 || trained.Plan.Validation != 10 ||
		len(trained.Options.ClassWeights) != 2 {
		t.Errorf("a training of %+v with grid %v", trained, g)
	}
	losses := estimators("gckn-walk-sup", model.Eval, "epochs=5 decay=0,0.1 loss=auto,cross-entropy")
	if g := losses[3].Grid(); len(losses) != 4 || g.Name != "epochs" || len(g.Values) != 6 || g.Values[0] != 0 ||
		g.Values[5] != 5 ||
		!strings.HasSuffix(losses[3].String(), "decay 0.1, loss cross-entropy, alternating") {
		t.Errorf("%d estimators, the last %s with grid %v", len(losses), losses[3], g)
	}
	rates := estimators("gckn-path-sup", model.Eval, "rate=0.1,0.01")
	if len(rates) != 2 || !strings.HasSuffix(rates[1].String(), "filters 128, sigma 0.6, pooling sum/sum, rate 0.01, "+
		"decay chosen, alternating") {
		t.Errorf("%d estimators of two rates, the last %s", len(rates), rates[len(rates)-1])
	}
	steps := estimators("gckn-path-sup", model.Eval, "alternate=false rate=0.1,0.01")
	if len(steps) != 4 || len(steps[2].Grid().Values) != 101 ||
		!strings.HasSuffix(steps[2].String(), "filters 32, sigma 0.6, pooling sum/sum, rate 0.01, decay 0.01") {
		t.Errorf("%d estimators of two rates and two decays, the third %s", len(steps), steps[2])
	}
	w = model.NewWork(synth(t, "block-model", dataset.SynthOptions{Vertices: 60}), enginetest.Open(t, 1))
	vertices := estimators("gckn-path-sup", model.Train, "epochs=7")
	if s := vertices[0].(SupervisedEstimator).Options; len(vertices) != 1 || s.Alternate || s.Epochs != 7 ||
		s.Network.Layers[0].Filters != 32 || s.Decays != nil {
		t.Errorf("%d estimators of vertices, the first %+v", len(vertices), s)
	}
}
