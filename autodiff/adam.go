package autodiff

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The constants of Adam that are never changed (Kingma and Ba, 2015).
const (
	adamBeta1, adamBeta2 = 0.9, 0.999
	adamEpsilon          = 1e-8
)

// adam is the state of Adam for some parameters.
type adam struct {
	engine  engine.Engine
	states  []engine.AdamState
	moments [2][]*tensor.Dense
	steps   int
	of      []int   // numbers of the parameters among all
	groups  []group // of neighbours among the states, a launch for each
}

// group are parameters that have one rate.
type group struct {
	from, to int
	factor   float64 // of the rate
}

// newAdam returns the state before the first step, for the parameters but for frozen ones. The decay is inside the step
// as in the published GCKN code.
func newAdam(e engine.Engine, parameters []Parameter, o *TrainOptions) *adam {
	a := &adam{engine: e}
	for i, p := range parameters {
		if slices.Contains(o.Frozen, p.Name) {
			continue
		}
		t := p.Value
		a.of = append(a.of, i)
		of := engine.AdamState{Parameter: t, Moment1: e.New(t.Dtype(), t.Shape()...), Moment2: e.New(t.Dtype(), t.Shape()...)}
		if p.Decay {
			of.Decay = o.Decay
		}
		factor := 1.0
		if rate := o.Rates[p.Name]; rate > 0 {
			factor = rate / o.Rate
		}
		n := len(a.states)
		if last := len(a.groups) - 1; last >= 0 && a.groups[last].factor == factor {
			a.groups[last].to++
		} else {
			a.groups = append(a.groups, group{n, n + 1, factor})
		}
		a.states = append(a.states, of)
		a.moments[0], a.moments[1] = append(a.moments[0], of.Moment1), append(a.moments[1], of.Moment2)
	}
	return a
}

// step changes the parameters by the gradients of all.
func (a *adam) step(gradients []*tensor.Dense, rate float64) error {
	a.steps++
	for i := range a.states {
		a.states[i].Gradient = gradients[a.of[i]]
	}
	step := engine.Adam{Beta1: adamBeta1, Beta2: adamBeta2, Epsilon: adamEpsilon, Step: a.steps}
	for _, g := range a.groups {
		step.Rate = rate * g.factor
		if err := a.engine.Adam(a.states[g.from:g.to], step); err != nil {
			return fmt.Errorf("step of Adam: %w", err)
		}
	}
	return nil
}

func (a *adam) release() {
	for _, m := range a.moments {
		a.engine.Release(m...)
	}
}
