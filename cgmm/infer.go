package cgmm

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
)

// assign infers the posterior of every row and its most likely state (Eqs. 4 and 5), by the rules of the
// package comment for rows without context, without likelihood, and with neither fitting the other. Of
// states that are equally likely the first is taken.
func (y *layer) assign(e engine.Engine, o *observations, c *contexts) (*assignment, error) {
	rows, states := len(c.weight), y.states
	theta, prior := newMatrix(e, c.x.Cols, states), newMatrix(e, rows, states)
	likelihood, evidence := newMatrix(e, o.count, states), newMatrix(e, rows, 1)
	defer release(e, theta, prior, likelihood, evidence)

	y.theta(theta.host)
	if err := theta.push(); err != nil {
		return nil, err
	}
	if err := e.SparseMatMul(prior.t, c.x, theta.t); err != nil {
		return nil, err
	}
	if err := prior.pull(); err != nil {
		return nil, err
	}
	for r := range rows {
		if c.alone(r) {
			copy(prior.host[r*states:], y.marginal)
		}
	}
	if err := prior.push(); err != nil {
		return nil, err
	}
	y.emission.likelihood(e.Workers(), states, o, likelihood.host, make([]float64, o.count))
	silent := make([]bool, o.count)
	for id := range silent {
		if row := likelihood.host[id*states : (id+1)*states]; allZero(row) {
			silent[id] = true
			fill(row, 1)
		}
	}
	if err := likelihood.push(); err != nil {
		return nil, err
	}
	posterior := newMatrix(e, rows, states)
	if err := e.Posterior(posterior.t, evidence.as(rows), prior.t, likelihood.t, c.observation); err != nil {
		return nil, err
	}
	if err := posterior.pull(); err != nil {
		return nil, err
	}
	if err := evidence.pull(); err != nil {
		return nil, err
	}
	a := &assignment{states: states, of: c.of, state: make([]int32, rows), posterior: posterior.host}
	for r := range rows {
		row := a.posterior[r*states : (r+1)*states]
		if id := int(c.observation[r]); evidence.host[r] < tiny {
			y.settle(o, id, silent[id], prior.host[r*states:(r+1)*states], row)
		}
		a.state[r] = int32(model.ArgMax(row))
	}
	return a, nil
}

// settle computes a posterior whose evidence vanished: with logarithms, or else without the context.
func (y *layer) settle(o *observations, id int, silent bool, prior, posterior []float64) {
	if silent {
		copy(posterior, y.marginal)
		return
	}
	y.emission.bayes(o, id, prior, posterior)
	if !allZero(posterior) {
		return
	}
	y.emission.bayes(o, id, y.marginal, posterior)
	if allZero(posterior) {
		copy(posterior, y.marginal)
	}
}

func allZero(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != 0 })
}

func fill(x []float64, value float64) {
	for i := range x {
		x[i] = value
	}
}
