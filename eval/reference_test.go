package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// reference is what testdata/metrics.py wrote.
type reference struct {
	Classes []struct {
		Truth         []int
		Probabilities [][]float64
		Scores        map[Metric]float64
	}
	Numbers []struct {
		Truth, Predicted []float64
		Scores           map[Metric]float64
	}
	Calibrations []struct {
		Truth                             []int
		Decisions, Asked, Platt, Isotonic []float64
	}
	Tests []struct {
		Scores             [][]float64
		Share, Difference  float64
		T, Wilcoxon, Ranks []float64
	}
}

func readReference(t *testing.T) *reference {
	raw, err := os.ReadFile("testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	r := new(reference)
	if err := json.Unmarshal(raw, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// near fails unless a number is that of the reference.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, the reference says %.17g", what, got, want)
	}
}

func matrixOf(rows [][]float64) *tensor.Dense {
	var all []float64
	for _, r := range rows {
		all = append(all, r...)
	}
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(all))
}

func TestMetricsAgreeWithScikitLearn(t *testing.T) {
	r := readReference(t)
	for i, c := range r.Classes {
		truth := &model.Targets{Names: make([]string, len(c.Probabilities[0])), Classes: c.Truth}
		said := model.Largest(matrixOf(c.Probabilities))
		said.Probabilities = matrixOf(c.Probabilities)
		if len(c.Scores) != len(Metrics(false)) {
			t.Errorf("the reference knows %d metrics of classes of %d", len(c.Scores), len(Metrics(false)))
		}
		for m, want := range c.Scores {
			near(t, fmt.Sprintf("case %d, %s", i, m), m.Score(said, truth), want, 1e-12)
		}
	}
	for i, c := range r.Numbers {
		truth := &model.Targets{Names: []string{"y"}, Values: c.Truth}
		said := &model.Predictions{Values: model.Column(c.Predicted)}
		if len(c.Scores) != len(Metrics(true)) {
			t.Errorf("the reference knows %d metrics of numbers of %d", len(c.Scores), len(Metrics(true)))
		}
		for m, want := range c.Scores {
			near(t, fmt.Sprintf("numbers %d, %s", i, m), m.Score(said, truth), want, 1e-12)
		}
	}
}

// Platt's sigmoid is found there by a search that ends early.
func TestCalibrationsAgreeWithScikitLearn(t *testing.T) {
	for i, c := range readReference(t).Calibrations {
		truth := &model.Targets{Names: []string{"a", "b"}, Classes: c.Truth}
		for method, want := range map[Calibration][]float64{Platt: c.Platt, Isotonic: c.Isotonic} {
			calibrator, err := method.Fit(&model.Predictions{Decisions: model.Column(c.Decisions)}, truth)
			if err != nil {
				t.Fatal(err)
			}
			asked := &model.Predictions{Classes: make([]int, len(c.Asked)), Decisions: model.Column(c.Asked)}
			tolerance := map[Calibration]float64{Platt: 1e-4, Isotonic: 1e-12}[method]
			for k, row := range rowsOf(calibrator.Probabilities(asked)) {
				near(t, fmt.Sprintf("%s of case %d", method, i), row[1], want[k], tolerance)
				near(t, "sum", row[0]+row[1], 1, 1e-15)
			}
		}
	}
}

func TestTestsAgreeWithSciPy(t *testing.T) {
	for i, c := range readReference(t).Tests {
		for k, other := range c.Scores[1:] {
			near(t, fmt.Sprintf("t-test %d.%d", i, k), CorrectedT(c.Scores[0], other, c.Share), c.T[k], 1e-12)
			near(t, fmt.Sprintf("signed ranks %d.%d", i, k), Wilcoxon(c.Scores[0], other), c.Wilcoxon[k], 1e-12)
		}
		ranks, err := MeanRanks(c.Scores, false)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.Ranks {
			near(t, "mean rank", ranks[k], want, 1e-12)
		}
		near(t, "critical difference", CriticalDifference(len(ranks), len(c.Scores[0]), 0.05), c.Difference, 1e-9)
	}
}
