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
	best := make([]candidate, len(p.Folds))
	var r run
	err := p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, l model.Learner) error {
		validate := inner[fold]
		if p.candidates() == 1 {
			validate = nil // there is nothing to choose
		}
		return p.improve(ctx, &best[fold], l, setting, fold, validate)
	})
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
	means := make([]float64, grid.Size())
	if inner == nil {
		means[0] = math.NaN()
	}
	for i := range inner {
		values, err := p.scores(ctx, l, grid, &inner[i])
		if err != nil {
			return fmt.Errorf("inner fold %d: %w", i+1, err)
		}
		for k, v := range values {
			means[k] += v / float64(len(inner))
		}
	}
	k := p.Metric.firstBest(means)
	if best.predicted != nil && !p.Metric.better(means[k], best.Score) {
		return nil
	}
	predicted, err := p.learn(ctx, l, grid.At(k), &p.Folds[fold])
	if err != nil {
		return err
	}
	*best = candidate{
		Choice{setting, p.Estimators[setting].String(), grid.Name, grid.Value(k), means[k]},
		predicted[0],
	}
	return nil
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
