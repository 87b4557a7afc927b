package gckn

import (
	"cmp"
	"context"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// decayParts is the number of parts of the training items by which a decay is chosen.
const decayParts = 5

// choiceTolerance is that of classifiers which only say how good a decay is.
const choiceTolerance = 1e-3

// choose takes the one of the decays whose classifiers on the representations x of some items do best on the parts that
// they have not seen, by the share of right classes or the squared error of numbers.
func (s *supervision) choose(ctx context.Context, x *tensor.Dense, items []int) error {
	parts, best := min(decayParts, len(items)), 0
	order := slices.SortedFunc(slices.Values(split.All(len(s.opt.Decays))), func(i, j int) int { // the largest first
		return cmp.Compare(s.opt.Decays[j], s.opt.Decays[i])
	})
	if parts >= 2 {
		scores, err := s.decayScores(ctx, x, items, parts, order)
		if err != nil {
			return err
		}
		for k, score := range scores {
			if score > scores[best] {
				best = k
			}
		}
	}
	return s.engine.Convert(s.network.Parameters().Chosen, matrixOf([][]float64{{float64(order[best])}}))
}

// decayScores returns the sum of the scores of all items for every decay of an order.
func (s *supervision) decayScores(
	ctx context.Context, x *tensor.Dense, items []int, parts int, order []int,
) ([]float64, error) {
	p, x, err := s.linearProblem(x, items)
	if err != nil {
		return nil, err
	}
	classes := p.Classes
	if classes == nil {
		classes = make([]int, len(items)) // numbers: nothing to balance
	}
	folds, err := split.Stratified(classes, parts, s.opt.Network.Seed)
	if err != nil {
		return nil, err
	}
	p.Tolerance = choiceTolerance
	scores := make([]float64, len(order))
	for _, f := range folds {
		p.Start = nil
		for k, i := range order {
			p.Decay = s.opt.Decays[i] * float64(len(f.Train))
			if p.Start, err = svm.FitLinear(ctx, x, f.Train, p); err != nil {
				return nil, err
			}
			outputs, err := p.Start.Outputs(x, f.Test)
			if err != nil {
				return nil, err
			}
			scores[k] += s.scoreOf(outputs, &p, f.Test)
		}
	}
	return scores, nil
}

// scoreOf returns the number of right classes among outputs for some rows of a problem, or less their squared errors.
func (s *supervision) scoreOf(outputs *tensor.Dense, p *svm.LinearProblem, rows []int) (score float64) {
	if p.Classes == nil {
		for i, v := range outputs.Float64s() {
			d := v - p.Values[rows[i/p.Outputs]*p.Outputs+i%p.Outputs]
			score -= d * d
		}
		return score
	}
	for i, c := range s.opt.Predictions(outputs, false).Classes {
		if c == p.Classes[rows[i]] {
			score++
		}
	}
	return score
}

// decay returns the decay, that which was chosen where there was a choice.
func (s *supervision) decay() (float64, error) {
	if s.opt.Decays == nil {
		return s.opt.Decay, nil
	}
	chosen, err := engine.Float64s(s.network.Parameters().Chosen)
	if err != nil {
		return 0, err
	}
	return s.opt.Decays[int(chosen[0])], nil
}
