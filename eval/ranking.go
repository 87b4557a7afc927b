package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// eachClass measures how well scores tell a class from the rest: of two classes the second from the first, of more the
// mean over the classes that some of the examples have and some have not. It is NaN where there is no such class.
func eachClass(
	measure func(scores []float64, positive []bool) float64,
) func(*model.Predictions, *model.Targets) float64 {
	return func(p *model.Predictions, t *model.Targets) float64 {
		sum, n := 0.0, 0.0
		eachTold(p, t, func(scores []float64, positive []bool) {
			if slices.Contains(positive, true) && slices.Contains(positive, false) {
				sum, n = sum+measure(scores, positive), n+1
			}
		})
		return sum / n
	}
}

// falling returns the places of scores from the largest to the smallest.
func falling(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// thresholds calls visit with the numbers of positive and negative examples among those whose score is at least a
// threshold, for every score that occurs, from the largest on.
func thresholds(scores []float64, positive []bool, visit func(positives, negatives float64)) {
	var positives, negatives float64
	order := falling(scores)
	for i, at := range order {
		if positive[at] {
			positives++
		} else {
			negatives++
		}
		if i+1 == len(order) || scores[order[i+1]] != scores[at] {
			visit(positives, negatives)
		}
	}
}

// AUC returns the area under the receiver operating characteristic: the probability that a positive example has a
// higher score than a negative one, where equal scores count half. It is NaN unless there are both.
func AUC(scores []float64, positive []bool) float64 {
	var area, tp, fp float64
	thresholds(scores, positive, func(positives, negatives float64) {
		area += (negatives - fp) * (positives + tp) / 2
		tp, fp = positives, negatives
	})
	if tp == 0 || fp == 0 {
		return math.NaN()
	}
	return area / (tp * fp)
}

// AveragePrecision returns the sum over the thresholds of precision times the recall that is gained. It is NaN where
// nothing is positive.
func AveragePrecision(scores []float64, positive []bool) float64 {
	var sum, tp float64
	thresholds(scores, positive, func(positives, negatives float64) {
		sum += (positives - tp) * positives / (positives + negatives)
		tp = positives
	})
	if tp == 0 {
		return math.NaN()
	}
	return sum / tp
}

// rowsOf returns the rows of a matrix.
func rowsOf(x *tensor.Dense) [][]float64 {
	width := x.Shape()[1]
	rows := make([][]float64, x.Shape()[0])
	for i := range rows {
		rows[i] = x.Float64s()[i*width : (i+1)*width]
	}
	return rows
}

// LogLoss returns the mean of -log p over the probabilities p of the true classes, with those below 2^-52 taken for
// it. rows holds the probabilities of all classes of each example. It is NaN for none.
func LogLoss(rows [][]float64, truth []int) float64 {
	sum := 0.0
	for i, class := range truth {
		sum -= math.Log(min(max(rows[i][class], leastProbability), 1-leastProbability))
	}
	return sum / float64(len(truth))
}

const leastProbability = 0x1p-52

// Brier returns the mean squared difference of the probabilities from those that are 1 for the true class and 0 for
// the others: of two classes that of the second, of more the sum over the classes (Brier 1950). It is NaN for none.
func Brier(rows [][]float64, truth []int) float64 {
	sum := 0.0
	for i, class := range truth {
		for k, p := range rows[i] {
			if k == class {
				p--
			}
			if k > 0 || len(rows[i]) > 2 {
				sum += p * p
			}
		}
	}
	return sum / float64(len(truth))
}
