package eval

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/model"
)

// Model trains once more the model that was tested on a fold of a protocol, with what was chosen for it: on the
// training part alone, to the same bits.
func (p Problem) Model(ctx context.Context, fold int, chosen Choice) (model.Model, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	w := p.Work.Whole()
	if p.FromTrain {
		w = p.inFold(fold)
	}
	est := p.estimator(chosen.Setting, fold)
	l, err := est.Learner(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("fold %d, %s: %w", fold+1, est, err)
	}
	t := p.trial(model.Grid{}, &p.Folds[fold])
	t.Test, t.Workers = nil, p.Workers
	if chosen.Grid != "" {
		t.Grid = []float64{chosen.Value}
	}
	m, err := l.Model(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("fold %d, %s: %w", fold+1, est, err)
	}
	return m, nil
}
