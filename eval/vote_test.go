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
	for examples, want := range map[int][]int{
		10: {2, 4, 3, 5, 0}, 100: {2, 4, 3}, 10000: {2, 4}, // standard errors of 0.126, 0.04 and 0.004
	} {
		if got := eval.Voters(eval.MetricAccuracy, scores, examples); !reflect.DeepEqual(got, want) {
			t.Errorf("of %d examples %v vote, want %v", examples, got, want)
		}
	}
	if eval.MetricRMSE.Votes() || eval.MetricAUC.Votes() || !eval.MetricF1.Votes() {
		t.Error("metrics that judge classes, and no others, know votes")
	}
}
