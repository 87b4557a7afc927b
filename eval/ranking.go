package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// scoresFor returns of every example how strongly predictions speak for a class: its probability, else its decision.
func scoresFor(p *model.Predictions, class int) []float64 {
	scores := make([]float64, scoresOf(p).Shape()[0])
	for i := range scores {
		scores[i] = scoreOf(p, i, class)
	}
	return scores
}

// scoresOf returns the probabilities of predictions, else their decisions.
func scoresOf(p *model.Predictions) *tensor.Dense {
	if p.Probabilities != nil {
		return p.Probabilities
	}
	return p.Decisions
}

// scoreOf is that of one example.
func scoreOf(p *model.Predictions, i, class int) float64 {
	x := scoresOf(p)
	width, values := x.Shape()[1], x.Float64s()
	switch {
	case width > 1:
		return values[i*width+class]
	case class == 1:
		return values[i]
	}
	return -values[i]
}

// toldApart lists the classes that scores tell from the rest: of two the second.
func toldApart(classes int) []int {
	var list []int
	for class := range classes {
		if classes != 2 || class == 1 {
			list = append(list, class)
		}
	}
	return list
}

// eachClass measures how well scores tell a class from the rest: of two classes the second from the first, of more the
// mean over the classes that some of the examples have and some have not. It is NaN where there is no such class.
func eachClass(
	measure func(scores []float64, positive []bool) float64,
) func(*model.Predictions, *model.Targets) float64 {
	return func(p *model.Predictions, t *model.Targets) float64 {
		sum, n, positive := 0.0, 0.0, make([]bool, len(t.Classes))
		for _, class := range toldApart(len(t.Names)) {
			have := 0
			for i, c := range t.Classes {
				if positive[i] = c == class; positive[i] {
					have++
				}
			}
			if have > 0 && have < len(positive) {
				sum, n = sum+measure(scoresFor(p, class), positive), n+1
			}
		}
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
