package train

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// scoreBatch is the number of graphs that are looked at at a time, outside of steps.
const scoreBatch = 256

// Together returns the number of items that are laid out at a time where nothing is learned from them step by step.
// Vertices share what they see, so that it is cheapest to lay all of them out at once; samples of paths they do not.
func (r *Run) Together() int {
	switch {
	case !r.Examples.Vertices():
		return scoreBatch
	case r.Options.PredictFanOut != nil:
		return WholeBatch
	}
	return max(r.Examples.Targets.Len(), 1)
}

// Keeps reports whether the layout of some items that are looked at again and again is to stay in memory.
func (r *Run) Keeps(items []int) bool {
	return r.Examples.Whole() != nil && (!r.Examples.Vertices() || len(items) <= WholeBatch)
}

// scorer looks at a network after every epoch.
type scorer struct {
	run        *Run
	validation *autodiff.Evaluator // nil without
	unseen     *autodiff.Evaluator // nil without
}

// scorer returns that of a network, with batches laid out by a source.
func (r *Run) scorer(n *autodiff.Network, source autodiff.Source) *scorer {
	s := &scorer{run: r}
	if r.Validation != nil {
		s.validation = n.NewEvaluator(source, r.Validation, r.Together(), r.Keeps(r.Validation))
	}
	if len(r.Unseen) > 0 && r.Predicted != nil {
		s.unseen = n.NewEvaluator(source, r.Unseen, r.Together(), r.Keeps(r.Unseen))
	}
	return s
}

// idle reports whether there is nothing to look at.
func (s *scorer) idle() bool { return s.validation == nil && s.unseen == nil }

// score returns the score of the validation part, if there is one, and tells of the outputs for the unseen.
func (s *scorer) score(ctx context.Context, epoch int) (scores []float64, err error) {
	if s.validation != nil {
		score, err := s.validation.Score(ctx)
		if err != nil {
			return nil, err
		}
		scores = append(scores, score)
	}
	if s.unseen == nil {
		return scores, nil
	}
	logits, err := s.unseen.Logits(ctx)
	if err != nil {
		return nil, err
	}
	values, err := engine.Float64s(logits)
	if err != nil {
		return nil, err
	}
	for row := range slices.Chunk(values, logits.Shape()[1]) {
		s.run.Outputs.Settle(row)
	}
	s.run.Predicted(epoch, tensor.New(tensor.WithShape(logits.Shape()...), tensor.WithBacking(values)))
	return scores, nil
}

func (s *scorer) release() {
	for _, on := range []*autodiff.Evaluator{s.validation, s.unseen} {
		if on != nil {
			on.Release()
		}
	}
}
