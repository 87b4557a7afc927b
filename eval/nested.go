package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Nested evaluates by nested cross-validation. In every fold setting and value of its grid are those with
// the best mean score over inner folds of the training part (of equal ones the earlier setting, then the
// earlier value); the predictor is then trained on the whole training part and tested once on the test
// part.
//
// With FromTrain no step before the final test reads a graph of the test part. The inner folds share the
// learner of their fold, so that anchors, which know no targets, have seen the graphs that the choice is
// made by. Without FromTrain anchors have seen the test part too.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Nested(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	inner := make([][]split.Fold, len(p.Folds))
	for f := range p.Folds {
		var err error
		if inner[f], err = p.innerFolds(f); err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
	}
	p.forecast = p.newForecast(p.nestedTrainings(inner[0]))
	var best []candidate
	var r run
	var err error
	if p.abreast != nil && len(p.Estimators) > 1 {
		best, err = p.chooseAbreast(ctx, &r, inner)
	} else {
		best = make([]candidate, len(p.Folds))
		err = p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, l model.Learner) error {
			return p.improve(ctx, &best[fold], l, setting, fold, inner[fold])
		})
	}
	if err != nil {
		return nil, err
	}
	folds, chosen := make([]float64, len(p.Folds)), make([]Choice, len(p.Folds))
	for f, c := range best {
		folds[f] = p.Metric.Score(c.predicted, p.Targets.Of(p.Folds[f].Test))
		chosen[f] = c.Choice
	}
	return p.outcome("nested: settings chosen inside each training fold", folds, chosen, &r), nil
}

// candidate is the best choice of a fold so far, with what it predicts of the test part after training on
// the whole training part.
type candidate struct {
	Choice
	predicted *model.Predictions
}

// improve replaces the candidate of a fold if another setting does better at some value of its grid.
func (p *Problem) improve(ctx context.Context, best *candidate, l model.Learner, setting, fold int,
	inner []split.Fold) error {
	grid := p.grids[setting]
	means, err := p.validate(ctx, l, setting, inner)
	if err != nil {
		return err
	}
	k := p.Metric.firstBest(means)
	if best.predicted != nil && !p.Metric.better(means[k], best.Score) {
		return nil
	}
	predicted, err := p.learn(ctx, l, grid.At(k), &p.Folds[fold])
	if err != nil {
		return err
	}
	*best = candidate{p.choice(setting, k, means[k]), predicted[0]}
	return nil
}

// choice is that of a setting with the value at a place of its grid.
func (p *Problem) choice(setting, place int, score float64) Choice {
	grid := p.grids[setting]
	return Choice{setting, p.Estimators[setting].String(), grid.Name, grid.Value(place), score}
}

// validate returns the mean scores of a setting over inner folds, for every value of its grid; NaN where there is
// nothing to choose.
func (p *Problem) validate(ctx context.Context, l model.Learner, setting int, inner []split.Fold) ([]float64, error) {
	if p.candidates() == 1 {
		return []float64{math.NaN()}, nil
	}
	workers := 1
	if p.abreast != nil {
		workers = len(inner)
	}
	scores := make([][]float64, len(inner))
	err := together(ctx, workers, len(inner), func(ctx context.Context, i int) (err error) {
		if scores[i], err = p.scores(ctx, l, p.grids[setting], &inner[i]); err != nil {
			err = fmt.Errorf("inner fold %d: %w", i+1, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	means := make([]float64, p.grids[setting].Size())
	for k := range means {
		for i := range inner {
			means[k] += scores[i][k] / float64(len(inner))
		}
	}
	return means, nil
}

// candidates counts the settings with the values of their grids.
func (p *Problem) candidates() int {
	n := 0
	for _, g := range p.grids {
		n += g.Size()
	}
	return n
}

// innerFolds returns the given inner folds of a fold, checked, or makes them.
func (p *Problem) innerFolds(fold int) ([]split.Fold, error) {
	outer := p.Folds[fold]
	if p.InnerFolds != nil {
		return p.InnerFolds[fold], p.checkInner(p.InnerFolds[fold], outer)
	}
	k := min(p.Inner, len(outer.Train))
	if k < 2 {
		return nil, fmt.Errorf("a training part of one %s has no inner folds: want larger folds", p.item)
	}
	folds, err := split.Inner(outer.Train, p.Targets.Classes, k, p.Seed, fold)
	if p.HoldOut && err == nil {
		folds = folds[:1]
	}
	return folds, err
}
