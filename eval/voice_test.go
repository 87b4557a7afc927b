package eval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/model"
)

// The standard error of an area is that of Hanley and McNeil's example, 0.893 for 51 abnormal and 58 normal images, and
// about the deviation of areas of independent examples.
func TestStandardErrorOfAnArea(t *testing.T) {
	positive := make([]bool, 51+58)
	for i := range 51 {
		positive[i] = true
	}
	if got := hanleyMcNeil(0.893, positive); math.Abs(got-0.0325) > 5e-5 {
		t.Errorf("%g, want 0.0325", got)
	}
	for _, c := range []struct {
		metric    Metric
		tolerance float64 // of the ratio to the deviation: the formulas assume distributions
	}{
		{MetricAUC, 0.15}, {MetricAveragePrecision, 0.3},
		{MetricAccuracy, 0.05}, {MetricLogLoss, 0.05}, {MetricBrier, 0.05},
	} {
		var scores []float64
		mean := 0.0
		const runs = 2000
		rng := rand.New(rand.NewPCG(1, 2))
		for range runs {
			p, truth := drawn(rng, 40, 60)
			score := c.metric.Score(p, truth)
			scores = append(scores, score)
			mean += c.metric.standardError(score, p, truth) / runs
		}
		_, deviation := MeanStd(scores)
		if ratio := mean / deviation; math.Abs(ratio-1) > c.tolerance {
			t.Errorf("%s: a standard error of %g on average, the deviation is %g", c.metric, mean, deviation)
		}
	}
}

// drawn returns predictions of examples, each of which is positive with the probability that they say.
func drawn(rng *rand.Rand, positives, negatives int) (*model.Predictions, *model.Targets) {
	p, truth := &model.Predictions{}, &model.Targets{Names: []string{"no", "yes"}}
	var rows [][]float64
	for i := range positives + negatives {
		mean := 0.5
		if i >= positives {
			mean = -0.5
		}
		s := 1 / (1 + math.Exp(-(mean + rng.NormFloat64())))
		class, said := 0, 0
		if i < positives {
			class = 1
		}
		if s > 0.5 {
			said = 1
		}
		truth.Classes, p.Classes = append(truth.Classes, class), append(p.Classes, said)
		rows = append(rows, []float64{1 - s, s})
	}
	p.Probabilities = matrixOf(rows)
	return p, truth
}

// A setting has a voice where it was chosen on inner folds, or on parts that are said to be for comparisons.
func TestVoices(t *testing.T) {
	for metric, sigmoids := range map[Metric]int{MetricAccuracy: 0, MetricAUC: 3} {
		p := problem(t, 90, 3, 1)
		p.Targets.Names, p.Metric = []string{"a", "b", "c"}, metric
		for _, validated := range []bool{false, true} {
			p.Validated = validated
			for name, protocol := range protocols {
				o, err := protocol(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				v := o.Chosen[0].Voice
				if (v != nil) != (validated || name == "nested") {
					t.Fatalf("%s by %s, to be compared %t: voice %+v", name, metric, validated, v)
				}
				if v != nil && (len(v.Sigmoids) != sigmoids || !(v.Error > 0 && v.Error < 0.2)) {
					t.Errorf("%s by %s: voice %+v", name, metric, v)
				}
			}
		}
	}
}
