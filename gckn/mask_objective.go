package gckn

import (
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/svm"
)

// objective is the loss of a classifier for a class, as a function of the representation.
type objective struct {
	classifier *svm.Linear
	loss       autodiff.Loss
	class      int
}

// of returns the loss of a representation and its gradient.
func (o *objective) of(representation []float64) (loss float64, gradient []float64) {
	weight, bias := o.classifier.Weight, o.classifier.Bias
	logits := make([]float64, len(weight))
	for k, w := range weight {
		logits[k] = simd.Dot(w, representation) + bias[k]
	}
	loss, slopes := o.ofLogits(logits)
	gradient = make([]float64, len(representation))
	for k, w := range weight {
		simd.Axpy(slopes[k], w, gradient)
	}
	return loss, gradient
}

// ofLogits returns the loss of the outputs and its gradient, as package autodiff defines it. The cross-entropy of
// a single output is its logistic loss.
func (o *objective) ofLogits(x []float64) (loss float64, slopes []float64) {
	slopes = make([]float64, len(x))
	if o.loss == autodiff.CrossEntropy && len(x) > 1 {
		top := x[0]
		for _, v := range x {
			top = max(top, v)
		}
		sum := 0.0
		for k, v := range x {
			slopes[k] = math.Exp(v - top)
			sum += slopes[k]
		}
		for k := range slopes {
			slopes[k] /= sum
		}
		slopes[o.class]--
		return top + math.Log(sum) - x[o.class], slopes
	}
	for k, v := range x {
		t := -1.0 // what the output should be
		if k == o.class && len(x) > 1 || len(x) == 1 && o.class == 1 {
			t = 1
		}
		if o.loss == autodiff.SquaredHinge {
			margin := max(0, 1-t*v)
			loss += margin * margin / 2
			slopes[k] = -t * margin
			continue
		}
		// log(1 + exp(-tx)) = max(-tx, 0) + log(1 + exp(-|x|)) cannot overflow.
		small := math.Exp(-math.Abs(v))
		wrong := small / (1 + small) // probability of the other answer, where x speaks for t
		if t*v < 0 {
			wrong = 1 / (1 + small)
		}
		loss += (max(-t*v, 0) + math.Log1p(small)) / float64(len(x))
		slopes[k] = -t * wrong / float64(len(x))
	}
	return loss, slopes
}
