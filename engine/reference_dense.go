package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// SoftmaxCrossEntropy implements [Engine]. The largest logit of a row is subtracted first, so that no
// exponential overflows: with m = max_j x_j, loss = m - x_target + log sum_j exp(x_j - m).
func (Reference) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error {
	if err := CheckSoftmaxCrossEntropy(loss, grad, logits, target, weights); err != nil {
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
	storeLosses(loss, grad, losses, gradient, weights)
	return nil
}

// storeLosses stores the losses of rows and their slopes, or what their weights make of them.
func storeLosses(loss, grad *tensor.Dense, losses, slopes, weights []float64) {
	if weights != nil {
		total := 0.0
		for i, w := range weights {
			total += w * losses[i]
			for j := i * len(slopes) / len(weights); j < (i+1)*len(slopes)/len(weights); j++ {
				slopes[j] *= w
			}
		}
		losses = []float64{total}
	}
	store(loss, losses)
	if grad != nil {
		store(grad, slopes)
	}
}

// GramGrad implements [Engine].
func (Reference) GramGrad(zGrad, plus, z, kGrad, k *tensor.Dense, kernel Kernel, allLengths bool) error {
	if err := CheckGramGrad(zGrad, plus, z, kGrad, k, allLengths); err != nil {
		return err
	}
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	zv, kv, gv, out := values(z), values(k), values(kGrad), make([]float64, p*q*d)
	if plus != nil {
		out = values(plus)
	}
	for j := range p {
		slot := j
		if !allLengths {
			slot = 0
			if j < p-1 {
				continue
			}
		}
		scale, _ := kernel.Scale(j + 1)
		for f := range q {
			for g := range q {
				at, mirrored := (slot*q+f)*q+g, (slot*q+g)*q+f
				weight := scale * (kv[at]*gv[at] + kv[mirrored]*gv[mirrored])
				for i := range j + 1 {
					for c := range d {
						out[(i*q+f)*d+c] += weight * zv[(i*q+g)*d+c]
					}
				}
			}
		}
	}
	store(zGrad, out)
	return nil
}

// Adam implements [Engine].
func (Reference) Adam(of []AdamState, step Adam) error {
	if err := CheckAdam(of, step); err != nil {
		return err
	}
	correction1 := 1 - math.Pow(step.Beta1, float64(step.Step))
	correction2 := 1 - math.Pow(step.Beta2, float64(step.Step))
	for _, t := range of {
		p, m1, m2, g := values(t.Parameter), values(t.Moment1), values(t.Moment2), values(t.Gradient)
		for i := range p {
			slope := g[i] + t.Decay*p[i]
			m1[i] = step.Beta1*m1[i] + (1-step.Beta1)*slope
			m2[i] = step.Beta2*m2[i] + (1-step.Beta2)*slope*slope
			p[i] -= step.Rate * (m1[i] / correction1) / (math.Sqrt(m2[i]/correction2) + step.Epsilon)
		}
		store(t.Parameter, p)
		store(t.Moment1, m1)
		store(t.Moment2, m2)
	}
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
