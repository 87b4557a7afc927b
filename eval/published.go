package eval

import (
	"context"
	"fmt"
	"sync"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
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
	one := len(p.Folds) / p.Repeats
	more := len(p.Folds) - one
	p.forecast = p.newForecast(1, len(p.Estimators)*one)
	first := p
	first.Folds = p.Folds[:one]
	if p.forecast != nil {
		p.forecast.p, p.forecast.more = &first, more
	}
	r := run{more: more, known: p.Checkpoint.measured}
	curves := make([]Curve, len(p.Estimators))
	chosen, at := -1, 0 // setting, and place of the value in its grid
	var best float64
	predicted := make([]*model.Predictions, len(p.Folds))
	err := first.measureAll(ctx, &r, func(s int, scores [][]float64, said [][]*model.Predictions) {
		grid := p.grids[s]
		curve := Curve{p.Estimators[s].String(), grid, make([]float64, grid.Size()), make([]float64, grid.Size())}
		for k := range curve.Mean {
			curve.Mean[k], curve.Std[k] = MeanStd(column(scores, k))
		}
		curves[s] = curve
		k := p.Metric.firstBest(curve.Mean)
		score := curve.Mean[k]
		if chosen < 0 || p.Metric.Better(score, best) || s < chosen && !p.Metric.Better(best, score) {
			chosen, at, best = s, k, score
			for f, one := range said {
				if predicted[f] = nil; one != nil {
					predicted[f] = one[k]
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	protocol := "published: best mean over the test folds (optimistic)"
	if p.Repeats > 1 {
		protocol = "published: best mean over the test folds of the first repeat (optimistic)"
	}
	r.more = len(p.Estimators) * one
	if err := p.predict(ctx, &r, chosen, at, predicted); err != nil {
		return nil, err
	}
	choice := p.choice(chosen, at, curves[chosen].Mean, nil)
	if p.Validated {
		choice.Voice = p.voice(choice.Score, predicted[:one], tested(first.Folds))
	}
	o, err := p.outcome(protocol, predicted, []Choice{choice}, &r)
	if err != nil {
		return nil, err
	}
	o.Curves = curves
	return o, nil
}

// measureAll calls done with every setting, its scores on the test part of every fold with every value of its grid
// (fold, value), and what it predicts there, nil for a fold of which the checkpoint knows scores alone; one setting at
// a time, as soon as all folds have been learned. What done does not keep is forgotten.
func (p *Problem) measureAll(
	ctx context.Context, r *run, done func(setting int, scores [][]float64, said [][]*model.Predictions),
) error {
	type measured struct {
		scores [][]float64
		said   [][]*model.Predictions
		left   int
	}
	var mu sync.Mutex
	all := make([]measured, len(p.Estimators))
	for s := range all {
		n := len(p.Folds)
		all[s] = measured{make([][]float64, n), make([][]*model.Predictions, n), n}
	}
	return p.forFolds(ctx, r, func(ctx context.Context, setting, fold int, l model.Learner) error {
		var scores []float64
		var said []*model.Predictions
		if l == nil {
			known := p.Checkpoint.of(setting, fold)
			scores = known.Scores
			for k := range known.All {
				said = append(said, known.All[k].predictions())
			}
		} else {
			var err error
			if said, err = p.learn(ctx, l, p.grids[setting], &p.Folds[fold]); err != nil {
				return err
			}
			scores = p.scores(said, &p.Folds[fold])
			found := piece{Setting: setting, Fold: fold, Scores: scores}
			if len(p.Estimators) == 1 && !p.part && p.Checkpoint != nil {
				for _, one := range said {
					found.All = append(found.All, keepPredictions(one))
				}
			}
			if err := p.Checkpoint.keep(found); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		m := &all[setting]
		m.scores[fold], m.said[fold] = scores, said
		if m.left--; m.left == 0 {
			done(setting, m.scores, m.said)
			*m = measured{}
		}
		return nil
	})
}

// predict fills in what a setting, with the value at a place of its grid, says of the test parts of those folds where
// that is missing, and keeps what it says.
func (p *Problem) predict(
	ctx context.Context, r *run, setting, at int, predicted []*model.Predictions,
) error {
	r.folds = nil
	for f, said := range predicted {
		if said == nil {
			r.folds = append(r.folds, f)
		} else if k := p.Checkpoint.of(setting, f); k != nil && k.Said == nil && k.All == nil {
			kept := keepPredictions(said)
			if err := p.Checkpoint.keep(piece{Setting: setting, Fold: f, Said: &kept}); err != nil {
				return err
			}
		}
	}
	if r.folds == nil {
		return nil
	}
	some := *p
	some.Folds, some.Estimators, some.grids = split.Select(p.Folds, r.folds), p.Estimators[setting:setting+1],
		p.grids[setting:setting+1]
	r.known = func(_, fold int) bool { return p.Checkpoint.predicted(setting, r.folds[fold]) }
	return some.forFolds(ctx, r, func(ctx context.Context, _, fold int, l model.Learner) error {
		number := r.folds[fold]
		if l == nil {
			predicted[number] = p.Checkpoint.of(setting, number).Said.predictions()
			return nil
		}
		said, err := p.learn(ctx, l, p.grids[setting], &some.Folds[fold])
		if err != nil {
			return err
		}
		predicted[number] = said[at]
		kept := keepPredictions(said[at])
		return p.Checkpoint.keep(piece{Setting: setting, Fold: number, Said: &kept})
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
