package eval

import (
	"time"

	"github.com/grove-graph/grove/model"
)

// Outcome is the outcome of a protocol. Scores are in the units of the metric; accuracies are fractions.
type Outcome struct {
	Protocol string // in one line; it says where the figure is optimistic
	Metric   Metric

	// Mean is the mean score over the folds. Std is the population standard deviation over the folds,
	// or, with several repeats, over the means of the repeats.
	Mean, Std float64
	Folds     []float64 // score on the test part of every fold

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
}

// Curve holds mean and standard deviation of the test score over the folds, for every value of a grid, or
// one of each where the grid is empty.
type Curve struct {
	Name string // of the setting
	Grid model.Grid
	Mean []float64
	Std  []float64
}

// outcome fills in what follows from the scores of the folds.
func (p *Problem) outcome(protocol string, folds []float64, chosen []Choice, r *run) *Outcome {
	o := &Outcome{
		Protocol: protocol, Metric: p.Metric, Folds: folds, Chosen: chosen, Represent: r.represent, Select: r.learn,
	}
	scores := folds
	if p.Repeats > 1 {
		size := len(folds) / p.Repeats
		scores = make([]float64, p.Repeats)
		for i := range scores {
			scores[i], _ = MeanStd(folds[i*size : (i+1)*size])
		}
	}
	o.Mean, o.Std = MeanStd(scores)
	return o
}
