package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/grove-graph/grove/model"
)

// Metric is a measure of the agreement of predictions with the truth, by its name.
type Metric string

// The metrics. Those of classes up to the average precision are shares: the higher the better, 1 at best. The others
// are the lower the better, but for R^2, whose best is 1.
const (
	MetricAccuracy         Metric = "accuracy"          // share of right classes
	MetricBalancedAccuracy Metric = "balanced-accuracy" // mean over the classes of the share that is found
	MetricF1               Metric = "f1"                // mean of the F1 of all classes
	MetricWeightedF1       Metric = "weighted-f1"       // the same, weighted by the examples of each class
	MetricAUC              Metric = "roc-auc"           // area under the receiver operating characteristic
	MetricAveragePrecision Metric = "average-precision" // area under the curve of precision by recall, by steps
	MetricLogLoss          Metric = "log-loss"          // mean of -log of the probability of the true class
	MetricBrier            Metric = "brier"             // mean squared error of the probabilities
	MetricRMSE             Metric = "rmse"              // square root of the mean squared error
	MetricMAE              Metric = "mae"               // mean absolute error
	MetricR2               Metric = "r2"                // share of the variance that is explained
)

// need is what a metric looks at in predictions.
type need int

const (
	needsClasses need = iota
	needsScores       // decisions or probabilities
	needsProbabilities
	needsValues // of a regression
)

// measure is how a metric is computed.
type measure struct {
	metric Metric
	need   need
	share  bool // it is a fraction, shown in percent
	lower  bool // the lower the better
	score  func(*model.Predictions, *model.Targets) float64
}

// measures lists all metrics.
var measures = []measure{
	{MetricAccuracy, needsClasses, true, false, byClass(Accuracy)},
	{MetricBalancedAccuracy, needsClasses, true, false, byClass(BalancedAccuracy)},
	{MetricF1, needsClasses, true, false, byClass(MacroF1)},
	{MetricWeightedF1, needsClasses, true, false, byClass(WeightedF1)},
	{MetricAUC, needsScores, true, false, eachClass(AUC)},
	{MetricAveragePrecision, needsScores, true, false, eachClass(AveragePrecision)},
	{MetricLogLoss, needsProbabilities, false, true, byProbability(LogLoss)},
	{MetricBrier, needsProbabilities, false, true, byProbability(Brier)},
	{MetricRMSE, needsValues, false, true, byValue(RMSE)},
	{MetricMAE, needsValues, false, true, byValue(MAE)},
	{MetricR2, needsValues, false, false, byValue(R2)},
}

func byClass(f func(predicted, truth []int) float64) func(*model.Predictions, *model.Targets) float64 {
	return func(p *model.Predictions, t *model.Targets) float64 { return f(p.Classes, t.Classes) }
}

func byValue(f func(predicted, truth []float64) float64) func(*model.Predictions, *model.Targets) float64 {
	return func(p *model.Predictions, t *model.Targets) float64 { return f(p.Values.Float64s(), t.Values) }
}

func byProbability(f func(rows [][]float64, truth []int) float64) func(*model.Predictions, *model.Targets) float64 {
	return func(p *model.Predictions, t *model.Targets) float64 { return f(rowsOf(p.Probabilities), t.Classes) }
}

// Metrics lists the metrics of classes, or those of numbers.
func Metrics(regression bool) []Metric {
	var all []Metric
	for _, m := range measures {
		if (m.need == needsValues) == regression {
			all = append(all, m.metric)
		}
	}
	return all
}

// measure returns how the metric is computed, the zero measure of a metric that is none.
func (m Metric) measure() measure {
	for _, one := range measures {
		if one.metric == m {
			return one
		}
	}
	return measure{metric: m}
}

// check reports a metric that does not fit the targets.
func (m Metric) check(t *model.Targets) error {
	fitting := Metrics(t.Regression())
	if slices.Contains(fitting, m) {
		return nil
	}
	var names []string
	for _, one := range fitting {
		names = append(names, string(one))
	}
	list := strings.Join(names, ", ")
	switch {
	case m.measure().score == nil:
		return fmt.Errorf("metric %q: want one of %s", string(m), list)
	case t.Regression():
		return fmt.Errorf("metric %s is one of classes: numbers are measured by %s", m, list)
	}
	return fmt.Errorf("metric %s is one of numbers: classes are measured by %s", m, list)
}

// Share reports whether the metric is a fraction, which is shown in percent.
func (m Metric) Share() bool { return m.measure().share }

// Rank returns what is the lower the better a score is.
func (m Metric) Rank(score float64) float64 {
	if m.measure().lower {
		return score
	}
	return -score
}

// InUnits returns a score as it is shown: a share in percent, without what rounding leaves off it, anything else as it
// is.
func (m Metric) InUnits(score float64) float64 {
	if m.Share() {
		return math.Round(100*score*1e6) / 1e6
	}
	return score
}

// Measures reports whether predictions hold what the metric looks at: decisions or probabilities for areas under
// curves, probabilities for the logarithmic loss and the Brier score.
func (m Metric) Measures(p *model.Predictions) bool {
	switch m.measure().need {
	case needsClasses:
		return p.Classes != nil
	case needsScores:
		return p.Decisions != nil || p.Probabilities != nil
	case needsProbabilities:
		return p.Probabilities != nil
	}
	return p.Values != nil
}

// Score measures predictions, which hold what the metric looks at ([Metric.Measures]), of the examples that truth is
// of. It is NaN where the metric says nothing: of no examples, or for the areas where all have one class.
func (m Metric) Score(predicted *model.Predictions, truth *model.Targets) float64 {
	if truth.Len() == 0 {
		return math.NaN()
	}
	return m.measure().score(predicted, truth)
}

// tie is the relative difference of mean scores that counts as none: the same scores added in another
// order may differ by rounding.
const tie = 1e-12

// Better reports whether a is a better score than b; any is better than none (NaN).
func (m Metric) Better(a, b float64) bool {
	if math.IsNaN(b) {
		return !math.IsNaN(a)
	}
	if m.measure().lower {
		a, b = -a, -b
	}
	return a > b+tie*math.Abs(b)
}

// firstBest returns the position of the best score; of equal ones the first.
func (m Metric) firstBest(scores []float64) int {
	best := 0
	for i, v := range scores {
		if m.Better(v, scores[best]) {
			best = i
		}
	}
	return best
}

// MeanStd returns the mean and the population standard deviation (divisor n) of the values that are numbers, and NaN
// for none.
func MeanStd(values []float64) (mean, std float64) {
	n := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			mean, n = mean+v, n+1
		}
	}
	mean /= n
	for _, v := range values {
		if !math.IsNaN(v) {
			std += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(std / n)
}
