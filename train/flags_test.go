package train

import (
	"testing"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// A batch size of 0 is for families that say what it stands for.
func TestFreeBatch(t *testing.T) {
	for free, allowed := range map[string]bool{"": false, "all vertices": true} {
		f, s := NewFlags(Options{}), new(param.Set)
		f.FreeBatch = free
		f.Declare(s, model.Eval)
		if err := s.Set("batch-size", "0"); (err == nil) != allowed {
			t.Errorf("free batch %q: %v", free, err)
		}
	}
}

// There are options for each decay and loss, and a plan for each verb.
func TestFlagsSpanAGrid(t *testing.T) {
	for _, verb := range []model.Verb{model.Eval, model.Train} {
		f, s := NewFlags(Options{Epochs: 7, Decay: 0.5}), new(param.Set)
		f.Declare(s, verb)
		if err := s.Set("loss", "auto,squared-hinge"); err != nil {
			t.Fatal(err)
		}
		all := f.All(nil)
		if len(all) != 2 || all[0].Loss != "" || all[1].Loss != "squared-hinge" || all[1].Decay != 0.5 || all[1].Epochs != 7 {
			t.Errorf("%s: options %+v", verb, all)
		}
		plan := f.Plan()
		if plan.EachEpoch != (verb == model.Eval) || (plan.Validation == 10) != (verb == model.Train) {
			t.Errorf("%s: plan %+v", verb, plan)
		}
		if refused := f.Check("net", len(all)) != nil; refused != (verb == model.Train) {
			t.Errorf("%s of two settings: refused %t", verb, refused)
		}
	}
}
