package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/grove-graph/grove/model"
)

// Published evaluates every setting with every value of its grid on every fold and reports the pair with
// the best mean TEST score over all folds; of equal ones the earlier setting, then the earlier value.
// This is the protocol of the published experiments (docs/conventions.md, 15). It is OPTIMISTIC: the test
// folds take part in the choice, and Outcome.Protocol says so.
//
// Of several repeats the first chooses, and the others have what it chose: one search, as many measurements.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Published(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Calibration != Uncalibrated {
		return nil, fmt.Errorf("the published protocol holds nothing out to calibrate on: choose by nested folds")
	}
	if p.Redrawn != nil {
		return nil, fmt.Errorf("the published protocol chooses one setting for all repeats, which have folds of their own")
	}
	p.forecast = p.newForecast(1)
	first, others := p, p
	first.Folds, others.Folds = p.Folds[:len(p.Folds)/p.Repeats], p.Folds[len(p.Folds)/p.Repeats:]
	if p.forecast != nil {
		p.forecast.p, p.forecast.more = &first, len(others.Folds)
	}
	r := run{more: len(others.Folds)}
	curves := make([]Curve, len(p.Estimators))
	chosen, place := -1, 0 // setting, and place of the value in its grid
	var best float64
	var predicted []*model.Predictions
	err := first.testAll(ctx, &r, func(s int, said [][]*model.Predictions) {
		grid := p.grids[s]
		curve := Curve{p.Estimators[s].String(), grid, make([]float64, grid.Size()), make([]float64, grid.Size())}
		scores := make([][]float64, len(first.Folds))
		for f := range first.Folds {
			scores[f] = p.scores(said[f], &p.Folds[f])
		}
		for k := range curve.Mean {
			curve.Mean[k], curve.Std[k] = MeanStd(column(scores, k))
		}
		curves[s] = curve
		k := p.Metric.firstBest(curve.Mean)
		score := curve.Mean[k]
		if chosen < 0 || p.Metric.Better(score, best) || s < chosen && !p.Metric.Better(best, score) {
			chosen, place, best, predicted = s, k, score, column(said, k)
		}
	})
	if err != nil {
		return nil, err
	}
	choice := p.choice(chosen, place, curves[chosen].Mean, nil)
	if p.Validated {
		choice.Voice = p.voice(choice.Score, predicted, tested(first.Folds))
	}
	protocol := "published: best mean over the test folds (optimistic)"
	if p.Repeats > 1 {
		protocol = "published: best mean over the test folds of the first repeat (optimistic)"
		others.Estimators, others.grids = p.Estimators[chosen:chosen+1], p.grids[chosen:chosen+1]
		r.before, r.more = len(first.Folds), len(p.Estimators)*len(first.Folds)
		err := others.testAll(ctx, &r, func(_ int, said [][]*model.Predictions) {
			predicted = append(predicted, column(said, place)...)
		})
		if err != nil {
			return nil, err
		}
	}
	o, err := p.outcome(protocol, predicted, []Choice{choice}, &r)
	if err != nil {
		return nil, err
	}
	o.Curves = curves
	return o, nil
}

// testAll calls done with every setting and what it predicts of the test part of every fold with every value of its
// grid (fold, value), one setting at a time, as soon as all folds have been learned. What done does not keep is
// forgotten.
func (p *Problem) testAll(ctx context.Context, r *run, done func(setting int, said [][]*model.Predictions)) error {
	var mu sync.Mutex
	said, left := make([][][]*model.Predictions, len(p.Estimators)), make([]int, len(p.Estimators))
	for s := range said {
		said[s], left[s] = make([][]*model.Predictions, len(p.Folds)), len(p.Folds)
	}
	return p.forFolds(ctx, r, func(ctx context.Context, setting, fold int, l model.Learner) error {
		predicted, err := p.learn(ctx, l, p.grids[setting], &p.Folds[fold])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		said[setting][fold] = predicted
		if left[setting]--; left[setting] == 0 {
			done(setting, said[setting])
			said[setting] = nil
		}
		return nil
	})
}

// column returns what all folds have at one value of the grid.
func column[T any](folds [][]T, k int) []T {
	out := make([]T, len(folds))
	for f, values := range folds {
		out[f] = values[k]
	}
	return out
}
