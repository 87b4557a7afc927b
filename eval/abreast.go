package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// trainingsAbreast is how many models train at a time on a device that computes for several at once: more than there
// are folds as a rule, and few enough to fit in memory.
const trainingsAbreast = 16

// abreast lets trainings run side by side on a device.
type abreast struct {
	slots chan struct{}
	alone sync.RWMutex // locked by a training that needs the memory of all
}

func newAbreast() *abreast { return &abreast{slots: make(chan struct{}, trainingsAbreast)} }

// trainsSideBySide reports whether all trainings can run side by side on the engine.
func (p *Problem) trainsSideBySide() bool {
	_, shared := p.Work.Engine.(engine.Sharer)
	return shared && p.FromTrain && !slices.ContainsFunc(p.Estimators, func(s model.Estimator) bool {
		_, side := s.(model.SideBySide)
		return !side
	})
}

// learn is l.Learn as soon as there is room for one more training; where the memory is too small for all of them it
// trains again when the others have ended. A nil abreast has room for any.
func (a *abreast) learn(ctx context.Context, l model.Learner, t model.Trial) ([]*model.Predictions, error) {
	if a == nil {
		return l.Learn(ctx, t)
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.alone.RLock()
	predicted, err := l.Learn(ctx, t)
	a.alone.RUnlock()
	if !errors.Is(err, engine.ErrOutOfMemory) {
		return predicted, err
	}
	a.alone.Lock()
	defer a.alone.Unlock()
	return l.Learn(ctx, t)
}

// forAll calls train for every estimator and fold, all at once.
func (p *Problem) forAll(
	ctx context.Context, train func(ctx context.Context, setting, fold int, w *model.Work) error,
) error {
	parts := make([]*model.Work, len(p.Folds))
	for fold := range parts {
		parts[fold] = p.inFold(fold)
	}
	n := len(p.Folds) * len(p.Estimators)
	return together(ctx, n, n, func(ctx context.Context, piece int) error {
		fold, setting := piece/len(p.Estimators), piece%len(p.Estimators)
		return train(ctx, setting, fold, parts[fold])
	})
}

// chooseAbreast trains several settings for the inner folds of all folds at once, then the chosen ones. The candidates
// are those that [Problem.improve] finds one after another.
func (p *Problem) chooseAbreast(ctx context.Context, r *run, inner [][]split.Fold) ([]candidate, error) {
	found := make([][]*validation, len(p.Folds)) // fold, setting
	for f := range found {
		found[f] = make([]*validation, len(p.Estimators))
	}
	err := p.forFolds(ctx, r, func(ctx context.Context, setting, fold int, l model.Learner) error {
		if l == nil {
			found[fold][setting] = p.Checkpoint.of(setting, fold).validation(p.Metric, new(halving))
			return nil
		}
		v, err := p.validate(ctx, l, setting, inner[fold], new(halving))
		if err != nil {
			return err
		}
		found[fold][setting] = v
		return p.Checkpoint.keep(v.piece(setting, fold))
	})
	if err != nil {
		return nil, err
	}
	best := make([]candidate, len(p.Folds))
	return best, together(ctx, len(best), len(best), func(ctx context.Context, fold int) error {
		b, place := &best[fold], 0
		for s, v := range found[fold] {
			if k := p.Metric.firstBest(v.means); s == 0 || p.Metric.Better(v.means[k], b.Score) {
				b.Choice, place = p.choice(s, k, v.means, v.voice), k
			}
		}
		var err error
		if b.predicted, err = p.testChosen(ctx, r, b.Setting, place, found[fold][b.Setting], fold, inner[fold]); err != nil {
			return fmt.Errorf("fold %d, %s: %w", fold+1, p.Estimators[b.Setting], err)
		}
		return p.tell(r, fold, b)
	})
}

// testChosen is test with a learner of its own, where the checkpoint does not know what comes of it.
func (p *Problem) testChosen(ctx context.Context, r *run, setting, place int, v *validation, fold int,
	inner []split.Fold) (*model.Predictions, error) {
	if p.Checkpoint.predicted(setting, fold) {
		return p.Checkpoint.of(setting, fold).Said.predictions(), nil
	}
	l, err := p.learner(ctx, r, p.estimator(setting, fold), p.inFold(fold))
	if err != nil {
		return nil, err
	}
	if p.Calibration != Uncalibrated && v.calibrators == nil { // it was validated before the checkpoint
		if v, err = p.validate(ctx, l, setting, inner, new(halving)); err != nil {
			return nil, err
		}
	}
	said, err := p.test(ctx, l, setting, place, v, fold)
	if err != nil {
		return nil, err
	}
	kept := keepPredictions(said)
	return said, p.Checkpoint.keep(piece{Setting: setting, Fold: fold, Said: &kept})
}
