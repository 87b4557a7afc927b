package eval

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grove-graph/grove/model"
)

// Score is what a metric says of the folds of a protocol. Shares are fractions, errors in the units of the targets.
type Score struct {
	Metric Metric
	// Mean is the mean score over the folds. Std is the population standard deviation over the folds,
	// or, with several repeats, over the means of the repeats.
	Mean, Std float64
	// Folds holds the score on the test part of every fold, NaN where the metric says nothing of it: the areas under
	// curves where all examples have one class. Such folds are left out of Mean and Std.
	Folds []float64
}

// Outcome is the outcome of a protocol.
type Outcome struct {
	Protocol string // in one line; it says where the figure is optimistic

	Score                          // by the metric that settings were chosen by
	Scores    []Score              // by every metric that the predictions can be measured by, in the order of [Metrics]
	Predicted []*model.Predictions // of the test part of every fold, by what was chosen for it

	Chosen []Choice // published: one for all folds; nested: one for every fold
	Curves []Curve  // published: one for every setting

	// Time spent in Estimator.Learner and in training and testing predictors, added over goroutines.
	Represent, Select time.Duration
}

// Choice is a chosen setting with its value of the grid.
type Choice struct {
	Setting int     // index in Problem.Estimators
	Name    string  // of the setting
	Grid    string  // name of its grid
	Value   float64 // of the grid, 0 where the grid is empty
	Score   float64 // that it was chosen for: the mean over the (inner) folds; NaN where nothing was left to choose

	// Validation are the mean scores over the same folds of all values of the grid of the setting; nil where it has
	// none to choose from.
	Validation []float64

	// Voice is what a vote needs to know; nil where nothing was left to choose, and no score to compare was asked for.
	Voice *Voice
}

// Curve holds mean and standard deviation of the test score over the folds, for every value of a grid, or
// one of each where the grid is empty.
type Curve struct {
	Name string // of the setting
	Grid model.Grid
	Mean []float64
	Std  []float64
}

// outcome fills in what follows from the predictions of the folds.
func (p *Problem) outcome(
	protocol string, predicted []*model.Predictions, chosen []Choice, r *run,
) (*Outcome, error) {
	o := &Outcome{
		Protocol: protocol, Predicted: predicted, Chosen: chosen, Represent: r.represent, Select: r.learn,
	}
	for _, m := range Metrics(p.Targets.Regression()) {
		if slices.ContainsFunc(predicted, func(one *model.Predictions) bool { return !m.Measures(one) }) {
			continue
		}
		s := p.score(m, predicted)
		o.Scores = append(o.Scores, s)
		if m == p.Metric {
			o.Score = s
		}
	}
	if math.IsNaN(o.Mean) {
		return nil, fmt.Errorf("metric %s says nothing of any fold: the %s of each test part have one class", p.Metric,
			p.Targets.Task.Plural())
	}
	return o, nil
}

// score measures the predictions of the folds.
func (p *Problem) score(m Metric, predicted []*model.Predictions) Score {
	s := Score{Metric: m, Folds: make([]float64, len(p.Folds))}
	for f, one := range predicted {
		s.Folds[f] = m.Score(one, p.Targets.Of(p.Folds[f].Test))
	}
	scores := s.Folds
	if p.Repeats > 1 {
		size := len(scores) / p.Repeats
		scores = make([]float64, p.Repeats)
		for i := range scores {
			scores[i], _ = MeanStd(s.Folds[i*size : (i+1)*size])
		}
	}
	s.Mean, s.Std = MeanStd(scores)
	return s
}
