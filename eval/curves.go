package eval

import (
	"math"

	"github.com/grove-graph/grove/model"
)

// ROC returns the receiver operating characteristic of two classes, averaged over folds: the share of the second class
// that is found (the mean over the folds, each linear between its thresholds) at so many shares of the first class
// taken for it, evenly from 0 to 1. It is nil unless there are two classes, and decisions or probabilities about them.
func ROC(predicted []*model.Predictions, truth []*model.Targets, points int) (taken, found []float64) {
	folds := 0.0
	for f, said := range predicted {
		if len(truth[f].Names) != 2 || !MetricAUC.Measures(said) {
			return nil, nil
		}
		scores, positive := said.Scores(1), make([]bool, len(truth[f].Classes))
		var x, y []float64
		x, y = append(x, 0), append(y, 0)
		for i, c := range truth[f].Classes {
			positive[i] = c == 1
		}
		thresholds(scores, positive, func(p, n float64) { x, y = append(x, n), append(y, p) })
		p, n := y[len(y)-1], x[len(x)-1]
		if p == 0 || n == 0 {
			continue
		}
		if found == nil {
			found = make([]float64, points)
		}
		folds++
		at := 0
		for k := range found {
			share := float64(k) / float64(points-1) * n
			for at+1 < len(x) && x[at+1] <= share {
				at++
			}
			value := y[at]
			if at+1 < len(x) {
				value += (y[at+1] - y[at]) * (share - x[at]) / (x[at+1] - x[at])
			}
			found[k] += value / p
		}
	}
	for k := range found {
		taken = append(taken, float64(k)/float64(points-1))
		found[k] /= folds
	}
	return taken, found
}

// Reliability says how far probabilities hold, over the classes and all examples: the mean probability of those in
// each of so many bins of equal width, and the share of them that has the class. Empty bins are left out. It is nil
// without probabilities.
func Reliability(predicted []*model.Predictions, truth []*model.Targets, bins int) (promised, had []float64) {
	count, sum, right := make([]float64, bins), make([]float64, bins), make([]float64, bins)
	for f, said := range predicted {
		if said.Probabilities == nil {
			return nil, nil
		}
		for i, row := range rowsOf(said.Probabilities) {
			for class, p := range row {
				if len(row) == 2 && class == 0 {
					continue
				}
				bin := min(int(p*float64(bins)), bins-1)
				count[bin]++
				sum[bin] += p
				if truth[f].Classes[i] == class {
					right[bin]++
				}
			}
		}
	}
	for b, n := range count {
		if n > 0 {
			promised, had = append(promised, sum[b]/n), append(had, right[b]/n)
		}
	}
	return promised, had
}

// MostWrong returns, of the examples of all test parts, those whose true class the predictions speak against the most,
// at most so many, by fold and place: the class that is predicted is another one. Of a regression those with the
// largest errors.
func MostWrong(predicted []*model.Predictions, truth []*model.Targets, most int) (folds, places []int) {
	type miss struct {
		fold, place int
		by          float64
	}
	var all []miss
	for f, said := range predicted {
		if said.Values != nil {
			for i, v := range said.Values.Float64s() {
				all = append(all, miss{f, i, math.Abs(v - truth[f].Values[i])})
			}
			continue
		}
		for i, c := range truth[f].Classes {
			if said.Classes[i] == c {
				continue
			}
			by := 0.0
			if MetricAUC.Measures(said) {
				by = said.Score(i, said.Classes[i]) - said.Score(i, c)
			}
			all = append(all, miss{f, i, by})
		}
	}
	by := make([]float64, len(all))
	for i, m := range all {
		by[i] = m.by
	}
	for _, at := range falling(by)[:min(most, len(all))] {
		folds, places = append(folds, all[at].fold), append(places, all[at].place)
	}
	return folds, places
}
