package eval

import (
	"context"
	"fmt"
	"slices"
)

// Epochs is a setting of a model that is trained in passes over its training part, whose grid is their
// number: one training gives the predictions after every pass. By [Published] the number has the best mean
// test score over the folds (docs/conventions.md, 20); by [Nested] it is chosen on inner folds, or with HoldOut on
// a part of the training part that is held out, and the model trained anew on the whole training part.
type Epochs struct {
	Name string // names the hyperparameters in one line
	Most int    // passes

	// Train trains on t.Train for the given number of passes and returns what it predicts of t.Test after
	// each of them. seen are the graphs that may be looked at without their targets, nil for all. The result
	// must depend on the arguments alone, but for t.Workers, and after fewer passes be the beginning of that
	// after more. It may be called from several goroutines at once.
	Train func(ctx context.Context, seen []int, t Task, passes int) ([]Targets, error)
}

// String implements [Setting].
func (e Epochs) String() string { return e.Name }

// Grid implements [Setting].
func (e Epochs) Grid() Grid {
	g := Grid{Name: "epochs", Values: make([]float64, max(e.Most, 0))}
	for i := range g.Values {
		g.Values[i] = float64(i + 1)
	}
	return g
}

// Learner implements [Setting].
func (e Epochs) Learner(_ context.Context, train []int) (Learner, error) {
	return epochLearner{e, slices.Clone(train)}, nil
}

type epochLearner struct {
	Epochs
	seen []int
}

// Learn implements [Learner].
func (l epochLearner) Learn(ctx context.Context, t Task) ([]Targets, error) {
	passes := int(slices.Max(t.Grid))
	after, err := l.Train(ctx, l.seen, t, passes)
	if err != nil {
		return nil, err
	}
	if len(after) != passes {
		return nil, fmt.Errorf("predictions after %d epochs, want %d", len(after), passes)
	}
	out := make([]Targets, len(t.Grid))
	for k, epoch := range t.Grid {
		out[k] = after[int(epoch)-1]
	}
	return out, nil
}
