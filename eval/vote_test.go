package eval_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/grove-graph/grove/eval"
)

// Models whose scores a few examples cannot tell from the best vote, the best first; with more examples fewer do.
func TestVoters(t *testing.T) {
	scores := []float64{0.70, math.NaN(), 0.80, 0.77, 0.80, 0.75}
	for within, want := range map[float64][]int{0.126: {2, 4, 3, 5, 0}, 0.04: {2, 4, 3}, 0.004: {2, 4}} {
		errors := []float64{9, 9, within, 9, 9, 9} // that of the best counts
		if got := eval.Voters(eval.MetricAccuracy, scores, errors); !reflect.DeepEqual(got, want) {
			t.Errorf("within %g %v vote, want %v", within, got, want)
		}
	}
	losses, errors := []float64{0.5, 0.3, 0.35, 0.31}, []float64{1, 0.01, 1, 1}
	if got, want := eval.Voters(eval.MetricLogLoss, losses, errors), []int{1, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("by losses %v vote, want %v", got, want)
	}
	if eval.MetricRMSE.Votes() || !eval.MetricAUC.Votes() || !eval.MetricF1.Votes() {
		t.Error("metrics that judge classes, and no others, know votes")
	}
	if eval.MetricF1.Averages() || !eval.MetricAUC.Averages() || !eval.MetricBrier.Averages() {
		t.Error("metrics that judge scores, and no others, average")
	}
}
