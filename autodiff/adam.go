package autodiff

import (
	"fmt"

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
}

// newAdam returns the state before the first step. The parameters from number penalised on have the decay, which is
// inside the step as in the published GCKN code.
func newAdam(e engine.Engine, parameters []*tensor.Dense, penalised int, decay float64) *adam {
	a := &adam{engine: e}
	for i, t := range parameters {
		of := engine.AdamState{Parameter: t, Moment1: e.New(t.Dtype(), t.Shape()...), Moment2: e.New(t.Dtype(), t.Shape()...)}
		if i >= penalised {
			of.Decay = decay
		}
		a.states = append(a.states, of)
		a.moments[0], a.moments[1] = append(a.moments[0], of.Moment1), append(a.moments[1], of.Moment2)
	}
	return a
}

// step changes the parameters by their gradients.
func (a *adam) step(gradients []*tensor.Dense, rate float64) error {
	a.steps++
	for i := range a.states {
		a.states[i].Gradient = gradients[i]
	}
	step := engine.Adam{Rate: rate, Beta1: adamBeta1, Beta2: adamBeta2, Epsilon: adamEpsilon, Step: a.steps}
	if err := a.engine.Adam(a.states, step); err != nil {
		return fmt.Errorf("step of Adam: %w", err)
	}
	return nil
}

func (a *adam) release() {
	for _, m := range a.moments {
		a.engine.Release(m...)
	}
}
