package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// CorrectedT returns the two-sided p of the corrected resampled t-test (Nadeau and Bengio 2003) that two models are
// equally good, from their scores on the same folds: the training parts of folds overlap, so that the variance of the n
// differences counts (1/n + share) times in place of 1/n, where share is the size of a test part over that of a
// training part. Equal scores have p 1, a difference that never varies 0. It is NaN below two folds.
func CorrectedT(a, b []float64, share float64) float64 {
	n := float64(len(a))
	if n < 2 {
		return math.NaN()
	}
	mean, variance := 0.0, 0.0
	for i := range a {
		mean += (a[i] - b[i]) / n
	}
	for i := range a {
		d := a[i] - b[i] - mean
		variance += d * d / (n - 1)
	}
	if variance == 0 {
		if mean == 0 {
			return 1
		}
		return 0
	}
	t := mean / math.Sqrt((1/n+share)*variance)
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Survival(math.Abs(t))
}

// exactWilcoxon is the number of differences up to which the distribution of the statistic is counted out.
const exactWilcoxon = 50

// Wilcoxon returns the two-sided p of the signed-rank test (Wilcoxon 1945) that paired scores differ by nothing in the
// median. Equal pairs are left out; p is exact for up to 50 differences of unequal size, and else from the normal
// approximation, corrected for ties. Without any difference it is 1.
func Wilcoxon(a, b []float64) float64 {
	var differences []float64
	for i := range a {
		if d := a[i] - b[i]; d != 0 {
			differences = append(differences, d)
		}
	}
	n := len(differences)
	if n == 0 {
		return 1
	}
	sizes := make([]float64, n)
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	ranks, ties := rank(sizes)
	up, down := 0.0, 0.0
	for i, d := range differences {
		if d > 0 {
			up += ranks[i]
		} else {
			down += ranks[i]
		}
	}
	if ties == 0 && n <= exactWilcoxon {
		return min(1, 2*signedRankTail(n, int(min(up, down))))
	}
	m := float64(n)
	deviation := math.Sqrt((m*(m+1)*(2*m+1) - ties/2) / 24)
	return 2 * distuv.UnitNormal.Survival(math.Abs(min(up, down)-m*(m+1)/4)/deviation)
}

// signedRankTail is the probability that the ranks 1 to n, each taken with probability 1/2, add up to at most w.
func signedRankTail(n, w int) float64 {
	share := make([]float64, w+1) // of the choices among the ranks so far that add up to each sum
	share[0] = 1
	for r := 1; r <= n; r++ {
		for s := w; s >= 0; s-- {
			taken := 0.0
			if s >= r {
				taken = share[s-r]
			}
			share[s] = (share[s] + taken) / 2
		}
	}
	tail := 0.0
	for _, p := range share {
		tail += p
	}
	return tail
}

// rank returns the ranks of values, from 1 for the smallest, equal ones their mean rank; and the sum of t^3 - t over
// the groups of t equal ones.
func rank(values []float64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks = make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		t := float64(to - from)
		ties += t*t*t - t
		for _, at := range order[from:to] {
			ranks[at] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks, ties
}

// Holm returns p-values corrected for that there are several of them (Holm 1979), in their order: the smallest counts
// as often as there are, the next once less, and none is below one that was smaller. NaN stays and does not count.
func Holm(p []float64) []float64 {
	corrected := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, p[at]*float64(len(order)-i)))
		corrected[at] = least
	}
	return corrected
}

// MeanRanks returns the mean rank of models over data sets, 1 for the best, equal ones their mean rank (Demšar 2006).
// scores holds for each model its score on each data set; lower says that low scores are good ones.
func MeanRanks(scores [][]float64, lower bool) ([]float64, error) {
	if len(scores) == 0 || len(scores[0]) == 0 {
		return nil, fmt.Errorf("no scores to rank")
	}
	mean := make([]float64, len(scores))
	for set := range scores[0] {
		column := make([]float64, len(scores))
		for m, of := range scores {
			if len(of) != len(scores[0]) || math.IsNaN(of[set]) {
				return nil, fmt.Errorf("model %d has no score on data set %d: ranks want all", m+1, set+1)
			}
			if column[m] = of[set]; !lower {
				column[m] = -of[set]
			}
		}
		ranks, _ := rank(column)
		for m, r := range ranks {
			mean[m] += r / float64(len(scores[0]))
		}
	}
	return mean, nil
}

// CriticalDifference returns by how much the mean ranks of two of k models over n data sets must differ for one to be
// better at the level alpha by the Nemenyi test (Demšar 2006): q sqrt(k (k + 1) / (6 n)), where sqrt(2) q is the
// quantile 1 - alpha of the studentised range of k normal variables.
func CriticalDifference(k, n int, alpha float64) float64 {
	low, high := 0.0, 100.0
	for range 100 {
		if mid := (low + high) / 2; studentisedRange(mid, k) < 1-alpha {
			low = mid
		} else {
			high = mid
		}
	}
	return low / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// studentisedRange is the probability that k standard normal variables all lie within q of each other: k times the
// integral over x, the smallest of them, of its density and the probability that the others lie in [x, x+q].
func studentisedRange(q float64, k int) float64 {
	const far, steps = 9.0, 4000 // Simpson's rule
	sum, h := 0.0, 2*far/steps
	for i := range steps + 1 {
		x := -far + float64(i)*h
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		between := distuv.UnitNormal.CDF(x+q) - distuv.UnitNormal.CDF(x)
		sum += weight * distuv.UnitNormal.Prob(x) * math.Pow(between, float64(k-1))
	}
	return float64(k) * sum * h / 3
}
