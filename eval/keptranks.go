package eval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/split"
)

// KeptRanks are the mean ranks of models over several data sets ([MeanRanks]), the best first. Two models differ where
// their ranks do by more than Difference ([CriticalDifference]).
type KeptRanks struct {
	Datasets   []string  `json:"datasets"`
	Models     []string  `json:"models"`
	Means      []float64 `json:"means"`
	Level      float64   `json:"level"`
	Difference float64   `json:"critical_difference"`
}

// rankLevel is the level at which ranks differ.
const rankLevel = 0.05

// Rank ranks the models of the comparison over its data set and those of other comparisons, in files, by the same
// metric: the models that all of them have.
func (k *Kept) Rank(files []string) error {
	all := []*Kept{k}
	for _, path := range files {
		other, err := readKept(path)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case other == nil:
			return fmt.Errorf("%s: there is no such file", path)
		case other.Metric != k.Metric:
			return fmt.Errorf("%s: it measures by %s, this comparison by %s", path, other.Metric, k.Metric)
		}
		all = append(all, other)
	}
	r := &KeptRanks{Level: rankLevel}
	for _, one := range all {
		r.Datasets = append(r.Datasets, one.Dataset)
	}
	var scores [][]float64
	for _, m := range k.Models {
		var of []float64
		for _, one := range all {
			at := slices.IndexFunc(one.Models, func(o KeptModel) bool { return o.Model == m.Model && len(o.Folds) > 0 })
			if at >= 0 {
				of = append(of, one.Models[at].Mean)
			}
		}
		if len(of) == len(all) {
			r.Models, scores = append(r.Models, m.Model), append(scores, of)
		}
	}
	if len(scores) < 2 {
		return fmt.Errorf("%s: the comparisons have fewer than two models in common", files[0])
	}
	means, err := MeanRanks(scores, k.Metric.measure().lower)
	if err != nil {
		return err
	}
	order := split.All(len(means))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[a], means[b]) })
	r.Models, r.Means = split.Select(r.Models, order), split.Select(means, order)
	r.Difference = CriticalDifference(len(means), len(all), rankLevel)
	k.Ranks = r
	return nil
}
