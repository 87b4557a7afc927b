package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/model"
)

// Votes reports whether models that were chosen by a metric may decide together by a vote: the metric is the share of
// something that classes alone tell.
func (m Metric) Votes() bool { return m.measure().need == needsClasses && m.Share() }

// Voters returns the places of the scores that are within one standard error of the best, the best first and of equal
// ones the first: what a score of so many examples cannot tell from it. The standard error is that of a share.
func Voters(m Metric, scores []float64, examples int) []int {
	s := scores[m.firstBest(scores)]
	within := math.Sqrt(max(s*(1-s), 0) / float64(max(examples, 1)))
	var places []int
	for i, v := range scores {
		if v >= s-within {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int {
		switch {
		case m.Better(scores[a], scores[b]):
			return -1
		case m.Better(scores[b], scores[a]):
			return 1
		}
		return 0
	})
	return places
}

// VotedModels returns the outcome of a vote of the models that do well inside each training part: of every fold of the
// [Voters] by the mean scores over the inner folds; and the places of those entries, the best first. Like that of
// [ChosenModels] it is an honest figure of all entries together. The outcome is nil where the metric knows no votes.
func VotedModels(c *Comparison, entries []Entry) (*Outcome, [][]int, error) {
	p, err := c.among()
	if err != nil || !p.Metric.Votes() {
		return nil, nil, err
	}
	predicted, choices := make([]*model.Predictions, len(p.Folds)), make([]Choice, len(p.Folds))
	voters := make([][]int, len(p.Folds))
	for f := range p.Folds {
		scores := make([]float64, len(entries))
		for i, e := range entries {
			if scores[i] = math.NaN(); e.Outcome != nil {
				scores[i] = e.Outcome.Chosen[f].Score
			}
		}
		best := p.Metric.firstBest(scores)
		if math.IsNaN(scores[best]) {
			return nil, nil, fmt.Errorf("no model to choose")
		}
		examples, err := c.validated(best, f)
		if err != nil {
			return nil, nil, err
		}
		voters[f] = Voters(p.Metric, scores, examples)
		var said []*model.Predictions
		for _, i := range voters[f] {
			said = append(said, entries[i].Outcome.Predicted[f])
		}
		predicted[f], choices[f] = model.Vote(said, len(p.Targets.Names)), entries[best].Outcome.Chosen[f]
	}
	o, err := p.outcome("nested: models chosen inside each training fold, which vote", predicted, choices, &run{})
	return o, voters, err
}

// validated returns how many examples of a training part an entrant was chosen by.
func (c *Comparison) validated(entrant, fold int) (examples int, err error) {
	p, err := c.of(entrant)
	if err != nil {
		return 0, err
	}
	inner, err := p.innerFolds(fold)
	for _, f := range inner {
		examples += len(f.Test)
	}
	return examples, err
}
