package eval

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/model"
)

// Metric is a measure of the agreement of predictions with the truth.
type Metric string

// The metrics. The accuracy, of classes, is a fraction and the higher the better; the errors are in the
// units of the targets and the lower the better.
const (
	MetricAccuracy Metric = "accuracy" // share of right classes
	MetricRMSE     Metric = "rmse"     // square root of the mean squared error
	MetricMAE      Metric = "mae"      // mean absolute error
)

// check reports a metric that does not fit the targets.
func (m Metric) check(t *model.Targets) error {
	switch {
	case m != MetricAccuracy && m != MetricRMSE && m != MetricMAE:
		return fmt.Errorf("metric %q: want %s, %s or %s", string(m), MetricAccuracy, MetricRMSE, MetricMAE)
	case (m == MetricAccuracy) != (t.Classes != nil):
		return fmt.Errorf("metric %s does not fit: classes are measured by %s, numbers by %s or %s",
			m, MetricAccuracy, MetricRMSE, MetricMAE)
	}
	return nil
}

// Score measures predictions of the examples that truth is of. It is NaN for none.
func (m Metric) Score(predicted *model.Predictions, truth *model.Targets) float64 {
	switch m {
	case MetricAccuracy:
		return Accuracy(predicted.Classes, truth.Classes)
	case MetricRMSE:
		return RMSE(predicted.Values.Float64s(), truth.Values)
	}
	return MAE(predicted.Values.Float64s(), truth.Values)
}

// tie is the relative difference of mean scores that counts as none: the same scores added in another
// order may differ by rounding.
const tie = 1e-12

// better reports whether a is a better score than b.
func (m Metric) better(a, b float64) bool {
	if m != MetricAccuracy {
		a, b = -a, -b
	}
	return a > b+tie*math.Abs(b)
}

// firstBest returns the position of the best score; of equal ones the first.
func (m Metric) firstBest(scores []float64) int {
	best := 0
	for i, v := range scores {
		if m.better(v, scores[best]) {
			best = i
		}
	}
	return best
}

// Accuracy returns the fraction of entries in which predicted and truth, of equal length, agree. It is
// NaN for none.
func Accuracy(predicted, truth []int) float64 {
	right := 0
	for i, class := range truth {
		if predicted[i] == class {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// RMSE returns the square root of the mean squared difference of two slices of equal length, NaN for none.
func RMSE(predicted, truth []float64) float64 {
	sum := 0.0
	for i, y := range truth {
		sum += (predicted[i] - y) * (predicted[i] - y)
	}
	return math.Sqrt(sum / float64(len(truth)))
}

// MAE returns the mean absolute difference of two slices of equal length, NaN for none.
func MAE(predicted, truth []float64) float64 {
	sum := 0.0
	for i, y := range truth {
		sum += math.Abs(predicted[i] - y)
	}
	return sum / float64(len(truth))
}

// Confusion counts predictions, both slices of equal length with classes from 0 to classes-1: entry
// [i][j] is the number of graphs of class i that were predicted to be of class j.
func Confusion(predicted, truth []int, classes int) [][]int {
	counts := make([][]int, classes)
	for i := range counts {
		counts[i] = make([]int, classes)
	}
	for i, class := range truth {
		counts[class][predicted[i]]++
	}
	return counts
}

// MeanStd returns the mean and the population standard deviation (divisor n) of values, and NaN for
// none.
func MeanStd(values []float64) (mean, std float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std / float64(len(values)))
}
