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
	err := p.forFolds(ctx, r, func(ctx context.Context, setting, fold int, l model.Learner) (err error) {
		found[fold][setting], err = p.validate(ctx, l, setting, inner[fold], new(halving))
		return err
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
		l, err := p.learner(ctx, r, p.estimator(b.Setting, fold), p.inFold(fold))
		if err == nil {
			if b.predicted, err = p.test(ctx, l, b.Setting, place, found[fold][b.Setting], fold); err == nil {
				return p.tell(r, fold, b)
			}
		}
		return fmt.Errorf("fold %d, %s: %w", fold+1, p.Estimators[b.Setting], err)
	})
}
