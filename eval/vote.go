package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/model"
)

// Voters returns the places of the scores that are within so many standard errors of the best, see [Metric.Within],
// the best first and of equal ones the first: what the examples that they were measured on cannot tell from it. errors
// are the standard errors.
func Voters(m Metric, scores, errors []float64) []int {
	best := m.firstBest(scores)
	var places []int
	for i, v := range scores {
		if m.Rank(v) <= m.Rank(scores[best])+float64(m.Within())*errors[best] {
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
// [Voters] by the mean scores over the inner folds; and the places of those entries, the best first. They name a class
// each ([model.Vote]) or, where the metric judges scores, the mean of their probabilities counts ([model.Average]).
// Like that of [ChosenModels] it is an honest figure of all entries together. The outcome is nil where the metric
// knows no votes.
func VotedModels(c *Comparison, entries []Entry) (*Outcome, [][]int, error) {
	p, err := c.among()
	if err != nil || !p.Metric.Votes() {
		return nil, nil, err
	}
	predicted, choices := make([]*model.Predictions, len(p.Folds)), make([]Choice, len(p.Folds))
	voters := make([][]int, len(p.Folds))
	for f := range p.Folds {
		scores, errors := make([]float64, len(entries)), make([]float64, len(entries))
		for i, e := range entries {
			if scores[i] = math.NaN(); e.Outcome == nil {
				continue
			}
			if chosen := &e.Outcome.Chosen[f]; chosen.Voice != nil {
				scores[i], errors[i] = chosen.Score, chosen.Voice.Error
			}
		}
		voters[f] = Voters(p.Metric, scores, errors)
		if len(voters[f]) == 0 {
			return nil, nil, fmt.Errorf("no model to choose")
		}
		var said []*model.Predictions
		for _, i := range voters[f] {
			one := entries[i].Outcome.Predicted[f]
			if p.Metric.Averages() {
				voice := entries[i].Outcome.Chosen[f].Voice
				one = &model.Predictions{Classes: one.Classes,
					Probabilities: voice.Sigmoids.Probabilities(one, len(p.Targets.Names))}
			}
			said = append(said, one)
		}
		choices[f] = entries[voters[f][0]].Outcome.Chosen[f]
		if p.Metric.Averages() {
			predicted[f] = model.Average(said)
		} else {
			predicted[f] = model.Vote(said, len(p.Targets.Names))
		}
	}
	o, err := p.outcome("nested: models chosen inside each training fold, which vote", predicted, choices, &run{})
	return o, voters, err
}
