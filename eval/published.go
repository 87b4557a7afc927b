package eval

import (
	"context"

	"github.com/grove-graph/grove/model"
)

// Published evaluates every setting with every value of its grid on every fold and reports the pair with
// the best mean TEST score over all folds; of equal ones the earlier setting, then the earlier value.
// This is the protocol of the published experiments (docs/conventions.md, 15). It is OPTIMISTIC: the test
// folds take part in the choice, and Outcome.Protocol says so.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Published(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	scores := make([][][]float64, len(p.Estimators)) // setting, fold, value of the grid
	for s := range scores {
		scores[s] = make([][]float64, len(p.Folds))
	}
	p.forecast = p.newForecast(1)
	var r run
	err := p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, l model.Learner) (err error) {
		scores[setting][fold], err = p.scores(ctx, l, p.grids[setting], &p.Folds[fold])
		return err
	})
	if err != nil {
		return nil, err
	}
	curves := make([]Curve, len(p.Estimators))
	var best Choice
	place := 0 // of the best value in its grid
	for s, setting := range p.Estimators {
		grid := p.grids[s]
		curve := Curve{setting.String(), grid, make([]float64, grid.Size()), make([]float64, grid.Size())}
		for k := range curve.Mean {
			curve.Mean[k], curve.Std[k] = MeanStd(column(scores[s], k))
		}
		curves[s] = curve
		k := p.Metric.firstBest(curve.Mean)
		if s == 0 || p.Metric.better(curve.Mean[k], best.Score) {
			best, place = p.choice(s, k, curve.Mean[k]), k
		}
	}
	folds := column(scores[best.Setting], place)
	o := p.outcome("published: best mean over the test folds (optimistic)", folds, []Choice{best}, &r)
	o.Curves = curves
	return o, nil
}

// column returns the scores of all folds at one value of the grid.
func column(scores [][]float64, k int) []float64 {
	out := make([]float64, len(scores))
	for f, values := range scores {
		out[f] = values[k]
	}
	return out
}
