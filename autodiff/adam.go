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
	engine     engine.Engine
	parameters []*tensor.Dense
	moments    [2][]*tensor.Dense
	penalised  int     // the parameters from this one on have the decay
	decay      float64 // inside the step, as in the published GCKN code
	steps      int
}

// newAdam returns the state before the first step.
func newAdam(e engine.Engine, parameters []*tensor.Dense, penalised int, decay float64) *adam {
	a := &adam{engine: e, parameters: parameters, penalised: penalised, decay: decay}
	for _, t := range a.parameters {
		for i := range a.moments {
			a.moments[i] = append(a.moments[i], e.New(t.Dtype(), t.Shape()...))
		}
	}
	return a
}

// step changes the parameters by their gradients.
func (a *adam) step(gradients []*tensor.Dense, rate float64) error {
	a.steps++
	for i, p := range a.parameters {
		opt := engine.Adam{Rate: rate, Beta1: adamBeta1, Beta2: adamBeta2, Epsilon: adamEpsilon, Step: a.steps}
		if i >= a.penalised {
			opt.Decay = a.decay
		}
		if err := a.engine.Adam(p, a.moments[0][i], a.moments[1][i], gradients[i], opt); err != nil {
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
