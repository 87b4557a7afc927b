package eval

import (
	"context"
	"fmt"

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
	said, err := first.testAll(ctx, &r)
	if err != nil {
		return nil, err
	}
	curves := make([]Curve, len(p.Estimators))
	var best Choice
	place := 0 // of the best value in its grid
	for s, setting := range p.Estimators {
		grid := p.grids[s]
		curve := Curve{setting.String(), grid, make([]float64, grid.Size()), make([]float64, grid.Size())}
		scores := make([][]float64, len(first.Folds))
		for f := range first.Folds {
			scores[f] = p.scores(said[s][f], &p.Folds[f])
		}
		for k := range curve.Mean {
			curve.Mean[k], curve.Std[k] = MeanStd(column(scores, k))
		}
		curves[s] = curve
		k := p.Metric.firstBest(curve.Mean)
		if s == 0 || p.Metric.Better(curve.Mean[k], best.Score) {
			best, place = p.choice(s, k, curve.Mean, nil), k
		}
	}
	predicted := column(said[best.Setting], place)
	if p.Validated {
		best.Voice = p.voice(best.Score, predicted, tested(first.Folds))
	}
	protocol := "published: best mean over the test folds (optimistic)"
	if p.Repeats > 1 {
		protocol = "published: best mean over the test folds of the first repeat (optimistic)"
		chosen := best.Setting
		others.Estimators, others.grids = p.Estimators[chosen:chosen+1], p.grids[chosen:chosen+1]
		r.before, r.more = len(first.Folds), len(p.Estimators)*len(first.Folds)
		if said, err = others.testAll(ctx, &r); err != nil {
			return nil, err
		}
		predicted = append(predicted, column(said[0], place)...)
	}
	o, err := p.outcome(protocol, predicted, []Choice{best}, &r)
	if err != nil {
		return nil, err
	}
	o.Curves = curves
	return o, nil
}

// testAll returns the predictions of the test part of every fold by every setting, with every value of its grid:
// setting, fold, value.
func (p *Problem) testAll(ctx context.Context, r *run) ([][][]*model.Predictions, error) {
	said := make([][][]*model.Predictions, len(p.Estimators))
	for s := range said {
		said[s] = make([][]*model.Predictions, len(p.Folds))
	}
	err := p.forFolds(ctx, r, func(ctx context.Context, setting, fold int, l model.Learner) (err error) {
		said[setting][fold], err = p.learn(ctx, l, p.grids[setting], &p.Folds[fold])
		return err
	})
	return said, err
}

// column returns what all folds have at one value of the grid.
func column[T any](folds [][]T, k int) []T {
	out := make([]T, len(folds))
	for f, values := range folds {
		out[f] = values[k]
	}
	return out
}
