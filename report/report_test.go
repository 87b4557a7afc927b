package report

import (
	"context"
	"reflect"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	_ "github.com/grove-graph/grove/families"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/render"
)

func TestCommandLineRepeatsItselfInAShell(t *testing.T) {
	got := CommandLine([]string{"grove", "compare", "treeg --estimators 5", "it's", "", "--data", "MUTAG"})
	if want := `grove compare 'treeg --estimators 5' 'it'\''s' '' --data MUTAG`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCurvesOfLongNamesGetLetters(t *testing.T) {
	a := []render.Curve{{Name: "B"}, {Name: "gckn-path --path-size 3"}}
	b := []render.Curve{{Name: "gckn-path --path-size 3"}}
	text := differences(a, b)
	if a[0].Name != "A" || a[1].Name != "B" || b[0].Name != "B" || text != "A: B; B: gckn-path --path-size 3." {
		t.Errorf("%v %v %q", a, b, text)
	}
	if short := []render.Curve{{Name: "wl"}}; differences(short) != "" || short[0].Name != "wl" {
		t.Errorf("%v", short)
	}
}

// study is one of a model on a few molecules.
func study(t *testing.T, name string) (*Study, *evaluated) {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 40, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	options, set := model.FamilyOf(name).New(name), param.Set{}
	options.Declare(&set, model.Eval)
	p := eval.Problem{Work: model.NewWork(d, engine.NewCPU(1)), Targets: model.TargetsOf(d), FromTrain: true, Inner: 2,
		Workers: 2}
	if p.Folds, err = eval.Folds(p.Targets, 4, 1, 0); err != nil {
		t.Fatal(err)
	}
	if p.Estimators, err = options.Estimators(p.Work, 0); err != nil {
		t.Fatal(err)
	}
	o, err := eval.Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return &Study{Problem: p}, &evaluated{Problem: p, name: name, id: "cell", outcome: o}
}

// What explains a wrong prediction is the model that made it: it says the same of the graph again, and of all others of
// the test part.
func TestModelsThatExplainAreThoseThatWereTested(t *testing.T) {
	for _, name := range []string{"wl", "treeg", "linear"} {
		s, e := study(t, name)
		cells := e.cells(mostOfBest)
		var misses []*miss
		for _, c := range cells {
			misses = append(misses, c.misses...)
		}
		if len(misses) == 0 {
			t.Fatalf("%s: nothing was wrong", name)
		}
		shows, err := s.explain(context.Background(), e, misses)
		if err != nil || shows == "" {
			t.Fatalf("%s: %q, %v", name, shows, err)
		}
		for _, m := range misses {
			want := e.outcome.Predicted[m.fold].Classes[m.place]
			if m.explained == nil || m.explained.Predicted != want {
				t.Errorf("%s: graph %d was taken for %d, the explanation is %+v", name, m.graph, want, m.explained)
			}
		}
		again, err := e.Model(context.Background(), 1, e.chosen(1))
		if err != nil {
			t.Fatal(err)
		}
		said, err := again.Predict(context.Background(), s.Work.Data.Select(e.Folds[1].Test), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(said.Classes, e.outcome.Predicted[1].Classes) {
			t.Errorf("%s says %v, and once more %v", name, e.outcome.Predicted[1].Classes, said.Classes)
		}
	}
}

// The cells of a confusion matrix count every wrong prediction once, and hold graphs of their classes.
func TestCellsHoldWrongPredictions(t *testing.T) {
	_, e := study(t, "majority")
	wrong := 0
	for f, said := range e.outcome.Predicted {
		for i, c := range e.truth()[f].Classes {
			if said.Classes[i] != c {
				wrong++
			}
		}
	}
	for _, c := range e.cells(2) {
		wrong -= c.count
		if len(c.misses) != min(2, c.count) {
			t.Errorf("%d of %d graphs", len(c.misses), c.count)
		}
		for _, m := range c.misses {
			if e.Targets.Classes[m.graph] != c.class || e.outcome.Predicted[m.fold].Classes[m.place] != c.taken {
				t.Errorf("graph %d is not of class %d taken for %d", m.graph, c.class, c.taken)
			}
		}
	}
	if wrong != 0 {
		t.Errorf("%d wrong predictions are in no cell", wrong)
	}
}
