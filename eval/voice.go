package eval

import (
	"math"

	"github.com/grove-graph/grove/model"
)

// Voice is what must be known of a model for it to take part in a vote: how well its score is known, and for metrics of
// scores what makes its decisions comparable with those of others. Both are learned from examples that it was not
// trained on.
type Voice struct {
	Error    float64        `json:"error"` // standard error of the score that the model was chosen for
	Sigmoids model.Sigmoids `json:"sigmoids,omitempty"`
}

// Votes reports whether models that were chosen by a metric may decide together: it judges classes.
func (m Metric) Votes() bool { return m.measure().need != needsValues }

// Averages reports whether models that decide together are asked for their probabilities, the mean of which counts, not
// for a class each: the metric judges how strongly they speak.
func (m Metric) Averages() bool { return m.Votes() && m.measure().need != needsClasses }

// Within is how many standard errors a score may be off the best for a model to take part in a vote: one, or two where
// probabilities are averaged, which gain more by many models (docs/results/votes.md).
func (m Metric) Within() int {
	if m.Averages() {
		return 2
	}
	return 1
}

// voice returns the voice of a model with a score, the mean over parts of which it said something without having
// learned from them; nil where the metric says nothing or knows no votes.
func (p *Problem) voice(score float64, said []*model.Predictions, tested []int) *Voice {
	if math.IsNaN(score) || !p.Metric.Votes() {
		return nil
	}
	all, truth := joined(said), p.Targets.Of(tested)
	v := &Voice{Error: p.Metric.standardError(score, all, truth)}
	if math.IsNaN(v.Error) {
		return nil
	}
	if p.Metric.Averages() {
		v.Sigmoids = fitSigmoids(all, truth)
	}
	return v
}

// standardError returns the standard error of a score of predictions of some examples: of a share of right answers
// sqrt(s (1 - s) / n); of the area under the ROC curve that of Hanley and McNeil (1982); of the average precision the
// binomial one of Boyd, Eng and Page (2013), sqrt(s (1 - s) / positives), the last two of more classes the mean over
// them; of a mean over the examples their deviation over sqrt(n).
func (m Metric) standardError(score float64, said *model.Predictions, truth *model.Targets) float64 {
	switch m {
	case MetricAUC:
		return eachClass(func(scores []float64, positive []bool) float64 {
			return hanleyMcNeil(AUC(scores, positive), positive)
		})(said, truth)
	case MetricAveragePrecision:
		return eachClass(func(scores []float64, positive []bool) float64 {
			n, _ := yesAndNo(positive)
			return ofShare(AveragePrecision(scores, positive), n)
		})(said, truth)
	case MetricLogLoss, MetricBrier:
		each := make([]float64, truth.Len())
		for i := range each {
			each[i] = m.Score(said.Of([]int{i}), truth.Of([]int{i}))
		}
		_, deviation := MeanStd(each)
		return deviation / math.Sqrt(float64(len(each)))
	}
	return ofShare(score, float64(truth.Len()))
}

// ofShare is the standard error of a share of so many.
func ofShare(share, of float64) float64 { return math.Sqrt(max(share*(1-share), 0) / max(of, 1)) }

// yesAndNo returns how many examples are positive and how many are not.
func yesAndNo(positive []bool) (yes, no float64) {
	for _, p := range positive {
		if p {
			yes++
		} else {
			no++
		}
	}
	return yes, no
}

// hanleyMcNeil returns the standard error of an area A under the ROC curve, "The meaning and use of the area under a
// receiver operating characteristic (ROC) curve" (1982), equation 2 with Q1 = A / (2 - A) and Q2 = 2 A^2 / (1 + A):
//
//	sqrt((A (1 - A) + (n+ - 1) (Q1 - A^2) + (n- - 1) (Q2 - A^2)) / (n+ n-))
func hanleyMcNeil(area float64, positive []bool) float64 {
	yes, no := yesAndNo(positive)
	two, one := area/(2-area), 2*area*area/(1+area)
	variance := area*(1-area) + (yes-1)*(two-area*area) + (no-1)*(one-area*area)
	return math.Sqrt(max(variance, 0) / (yes * no))
}
