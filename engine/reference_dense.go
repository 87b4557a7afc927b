package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// SoftmaxCrossEntropy implements [Engine]. The largest logit of a row is subtracted first, so that no
// exponential overflows: with m = max_j x_j, loss = m - x_target + log sum_j exp(x_j - m).
func (Reference) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32) error {
	if err := CheckSoftmaxCrossEntropy(loss, grad, logits, target); err != nil {
		return err
	}
	c := logits.Shape()[1]
	x, losses := values(logits), make([]float64, len(target))
	gradient := make([]float64, len(x))
	for i, t := range target {
		row, largest := x[i*c:(i+1)*c], math.Inf(-1)
		for _, v := range row {
			largest = max(largest, v)
		}
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v - largest)
		}
		losses[i] = largest - row[t] + math.Log(sum)
		for j, v := range row {
			gradient[i*c+j] = math.Exp(v-largest) / sum
		}
		gradient[i*c+int(t)]--
	}
	store(loss, losses)
	if grad != nil {
		store(grad, gradient)
	}
	return nil
}

// Adam implements [Engine].
func (Reference) Adam(parameter, moment1, moment2, gradient *tensor.Dense, step Adam) error {
	if err := CheckAdam(parameter, moment1, moment2, gradient, step); err != nil {
		return err
	}
	p, m1, m2, g := values(parameter), values(moment1), values(moment2), values(gradient)
	correction1 := 1 - math.Pow(step.Beta1, float64(step.Step))
	correction2 := 1 - math.Pow(step.Beta2, float64(step.Step))
	for i := range p {
		slope := g[i] + step.Decay*p[i]
		m1[i] = step.Beta1*m1[i] + (1-step.Beta1)*slope
		m2[i] = step.Beta2*m2[i] + (1-step.Beta2)*slope*slope
		p[i] -= step.Rate * (m1[i] / correction1) / (math.Sqrt(m2[i]/correction2) + step.Epsilon)
	}
	store(parameter, p)
	store(moment1, m1)
	store(moment2, m2)
	return nil
}

// Place implements [Engine].
func (Reference) Place(dst, src *tensor.Dense, index []int32, at Placement) error {
	rows, err := CheckPlace(dst, src, index, at)
	if err != nil {
		return err
	}
	q, columns := src.Shape()[1], dst.Shape()[1]
	from, to := values(src), values(dst)
	for i := range rows {
		row := i
		if index != nil {
			row = int(index[i])
		}
		for f := range q {
			to[(at.Row+i)*columns+at.Column+f*at.Stride] = from[row*q+f]
		}
	}
	store(dst, to)
	return nil
}
