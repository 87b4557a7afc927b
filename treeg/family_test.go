package treeg_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/treeg"
)

// byName sets options by name, "leaves=3" for instance, and returns the first error of setting and checking them.
func byName(verb model.Verb, settings ...string) (model.Options, error) {
	o := model.FamilyOf("treeg").New("treeg")
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

// grid returns the estimators of options by name.
func grid(t *testing.T, d *dataset.Dataset, settings ...string) []treeg.Estimator {
	t.Helper()
	o, err := byName(model.Eval, settings...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.Estimators(model.NewWork(d, engine.NewCPU(1)), 7)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]treeg.Estimator, len(found))
	for i, est := range found {
		all[i] = est.(treeg.Estimator)
	}
	return all
}

// Without a name the options are the defaults of the ensemble and of what has a target.
func TestOptionsByNameHaveTheDefaults(t *testing.T) {
	for level, d := range map[treeg.Level]*dataset.Dataset{
		treeg.Graphs: synth(t, "molecules", 10, 8), treeg.Vertices: byEdge(t, 10),
	} {
		for _, ensemble := range []treeg.Ensemble{treeg.Boosting, treeg.Forest, treeg.ExtraTrees, treeg.Single} {
			want := treeg.Defaults(level, ensemble)
			want.Seed = 7
			all := grid(t, d, "ensemble="+string(ensemble))
			if len(all) != 1 || !reflect.DeepEqual(all[0].Options, want) || all[0].Rounds != nil || all[0].Static != nil {
				t.Errorf("%s of each %s: %+v, want %+v", ensemble, level, all, want)
			}
		}
	}
}

func TestOptionsByNameAreSet(t *testing.T) {
	d := synth(t, "molecules", 10, 8)
	all := grid(t, d, "loss=logistic", "estimators=3", "learning-rate=0.5", "walk-length=1", "ancestors=0",
		"walks=cycle,target", "aggregations=max,sum", "directions=both", "relations=apart", "step=mean", "leaves=6",
		"max-depth=5", "min-split=4", "min-leaf=2", "min-gain=0.1", "pruning=0.2", "growth=level-wise", "keep=0.75",
		"max-features=3", "subsample=0.9", "patience=2", "bins=16", "constant=false", "features=degrees")
	want := treeg.Options{
		Level: treeg.Graphs, Ensemble: treeg.Boosting, Loss: treeg.Logistic, Estimators: 3, LearningRate: 0.5,
		Subsample: 0.9, Scheme: treeg.Newton, Patience: 2, ValidationShare: 0.1, Growth: treeg.LevelWise, MaxLeaves: 6,
		MaxDepth: 5, MinSplit: 4, MinLeaf: 2, MinGain: 0.1, Pruning: 0.2, MaxLength: 1, MaxDistance: 0,
		Walks: []treeg.Walk{treeg.Cycle, treeg.Target}, Aggregations: []treeg.Aggregation{treeg.Max, treeg.Sum},
		Directions: treeg.BothWays, Relations: treeg.Apart, MeanSteps: true, Empty: treeg.EmptyFormula, Keep: 0.75,
		MaxFeatures: 3, Bins: 16, Seed: 7,
	}
	if len(all) != 1 || !reflect.DeepEqual(all[0].Options, want) || all[0].Features != dataset.DegreeFeatures {
		t.Errorf("%+v\nwant %+v", all, want)
	}
	if static := grid(t, d, "static=3")[0]; static.Static == nil || *static.Static != 3 ||
		fmt.Sprint(static) != "boosting of 50, rate 0.1, static features to 3, leaves 10, depth 0, 1 in a leaf" {
		t.Errorf("static features: %v", static)
	}
}

// Lists make a grid, the first ones outermost; numbers of estimators are one estimator where a fit serves them all.
func TestOptionsByNameAreAGrid(t *testing.T) {
	d := synth(t, "molecules", 10, 8)
	for _, c := range []struct {
		settings []string
		rounds   []int
		want     []string
	}{
		{[]string{"estimators=9,2,9", "leaves=3,4"}, []int{2, 9}, []string{
			"boosting, rate 0.1, walks to 2, ancestors to 2, leaves 3, depth 0, 1 in a leaf",
			"boosting, rate 0.1, walks to 2, ancestors to 2, leaves 4, depth 0, 1 in a leaf"}},
		{[]string{"estimators=5,5", "walk-length=1,0", "ancestors=0,1"}, nil, []string{
			"boosting of 5, rate 0.1, walks to 1, ancestors to 0, leaves 10, depth 0, 1 in a leaf",
			"boosting of 5, rate 0.1, walks to 1, ancestors to 1, leaves 10, depth 0, 1 in a leaf",
			"boosting of 5, rate 0.1, walks to 0, ancestors to 0, leaves 10, depth 0, 1 in a leaf",
			"boosting of 5, rate 0.1, walks to 0, ancestors to 1, leaves 10, depth 0, 1 in a leaf"}},
		{[]string{"estimators=4,3", "patience=2", "learning-rate=1"}, nil, []string{
			"boosting of 3, rate 1, walks to 2, ancestors to 2, leaves 10, depth 0, 1 in a leaf",
			"boosting of 4, rate 1, walks to 2, ancestors to 2, leaves 10, depth 0, 1 in a leaf"}},
		{[]string{"ensemble=forest", "max-depth=3,0", "min-leaf=2,1"}, nil, []string{
			"forest of 100, rate 0.1, walks to 2, ancestors to 2, leaves 0, depth 3, 2 in a leaf",
			"forest of 100, rate 0.1, walks to 2, ancestors to 2, leaves 0, depth 3, 1 in a leaf",
			"forest of 100, rate 0.1, walks to 2, ancestors to 2, leaves 0, depth 0, 2 in a leaf",
			"forest of 100, rate 0.1, walks to 2, ancestors to 2, leaves 0, depth 0, 1 in a leaf"}},
	} {
		var got []string
		for _, est := range grid(t, d, c.settings...) {
			got = append(got, est.String())
			if !slices.Equal(est.Rounds, c.rounds) {
				t.Errorf("%v: rounds %d, want %d", c.settings, est.Rounds, c.rounds)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v:\n%s", c.settings, strings.Join(got, "\n"))
		}
	}
}

func TestOptionsByNameRefuse(t *testing.T) {
	for _, c := range []struct{ setting, name, want string }{
		{"ensemble=wood", "ensemble", "want boosting, forest, extra-trees or tree"},
		{"walks=sideways", "walks", "want all, source"},
		{"walks=all,source", "", "all"},
		{"loss=gini", "", "loss"},
		{"estimators=0", "estimators", "from 1 on"},
		{"estimators=2000000", "estimators", "to 1048576"},
		{"learning-rate=0", "learning-rate", "not a positive number"},
		{"learning-rate=2000", "learning-rate", "to 1000"},
		{"walk-length=17", "walk-length", "0 to 16"},
		{"leaves=1", "", "1 leaves"},
		{"max-features=-2", "max-features", "from -1 on"},
		{"bins=1", "", "1 bins"},
		{"keep=2", "keep", "to 1"},
		{"static=-3", "static", "from -1 on"},
		{"static=99", "static", "-1 to 16"},
		{"features=best", "features", "want auto"},
		{"anchors=all", "anchors", "no such option"},
	} {
		_, err := byName(model.Eval, c.setting)
		var wrong *param.Error
		if !errors.As(err, &wrong) || wrong.Name != c.name || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one of %q that says %q", c.setting, err, c.name, c.want)
		}
	}
	for _, other := range []string{"walk-length=1", "ancestors=1", "walks=source", "aggregations=sum", "keep=0.5"} {
		name, _, _ := strings.Cut(other, "=")
		if _, err := byName(model.Eval, "static=1", other); err == nil || !strings.Contains(err.Error(), "static") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("static with %s: %v", other, err)
		}
	}
	if _, err := byName(model.Train, "static=1"); err == nil || !strings.Contains(err.Error(), "no such option") {
		t.Errorf("static features to train: %v", err)
	}
}

// Of many graphs a round draws some, unless something else is asked for.
func TestRoundsDrawOfManyGraphs(t *testing.T) {
	d := synth(t, "molecules", 2, 8)
	for graphs, share := range map[int]float64{100_000: 1, 200_000: 0.5} {
		b := *d.Batch
		b.Offsets = make([]int32, graphs+1)
		for settings, want := range map[string]float64{"leaves=10": share, "subsample=0.9": 0.9} {
			if got := grid(t, d.WithBatch(&b), settings)[0].Options.Subsample; got != want {
				t.Errorf("%d graphs, %s: a share of %g, want %g", graphs, settings, got, want)
			}
		}
	}
}
