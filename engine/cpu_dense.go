package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// SoftmaxCrossEntropy implements [Engine]; sums are in float64.
func (e *CPU) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32) error {
	if err := CheckSoftmaxCrossEntropy(loss, grad, logits, target); err != nil {
		return err
	}
	typed(logits, softmaxCrossEntropy[float32], softmaxCrossEntropy[float64])(e.workers, loss, grad, logits, target)
	return nil
}

func softmaxCrossEntropy[T simd.Float](workers int, loss, grad, logits *tensor.Dense, target []int32) {
	c, x, losses, gradient := logits.Shape()[1], data[T](logits), data[T](loss), data[T](grad)
	parallel.Chunks(workers, len(target), rowChunk, func(from, to int) {
		weights := make([]T, c) // exp(x_j - m), with m the largest logit of the row
		for i := from; i < to; i++ {
			row, t := x[i*c:(i+1)*c], target[i]
			_, largest := simd.ArgMax(row)
			if gradient != nil {
				weights = gradient[i*c : (i+1)*c]
			}
			margin := float64(largest) - float64(row[t])
			simd.Exp(weights, row, 1, -largest)
			sum := 0.0
			for _, w := range weights {
				sum += float64(w)
			}
			losses[i] = T(margin + math.Log(sum))
			if gradient != nil {
				simd.Scale(T(1/sum), weights)
				weights[t]--
			}
		}
	})
}

// Adam implements [Engine].
func (e *CPU) Adam(parameter, moment1, moment2, gradient *tensor.Dense, step Adam) error {
	if err := CheckAdam(parameter, moment1, moment2, gradient, step); err != nil {
		return err
	}
	typed(parameter, adam[float32], adam[float64])(e.workers, parameter, moment1, moment2, gradient, step)
	return nil
}

// elementChunk is the number of elements that one piece of parallel work covers.
const elementChunk = 1 << 13

func adam[T simd.Float](workers int, parameter, moment1, moment2, gradient *tensor.Dense, step Adam) {
	ps, m1s, m2s, gs := data[T](parameter), data[T](moment1), data[T](moment2), data[T](gradient)
	rate, root := step.Corrected()
	beta1, beta2, epsilon, decay := T(step.Beta1), T(step.Beta2), T(step.Epsilon), T(step.Decay)
	rest1, rest2 := T(1-step.Beta1), T(1-step.Beta2)
	parallel.Chunks(workers, len(ps), elementChunk, func(from, to int) {
		p, m1, m2, g := ps[from:to], m1s[from:to], m2s[from:to], gs[from:to]
		for i := range p {
			slope := g[i] + decay*p[i]
			m1[i] = beta1*m1[i] + rest1*slope
			m2[i] = beta2*m2[i] + rest2*slope*slope
			p[i] -= T(rate) * m1[i] / (T(math.Sqrt(float64(m2[i])))*T(root) + epsilon)
		}
	})
}

// Corrected returns the factors of the moments that correct for their start at zero: the parameter
// decreases by rate * m1 / (root * sqrt(m2) + Epsilon), with rate = Rate/(1-Beta1^Step) and
// root = 1/sqrt(1-Beta2^Step).
func (a Adam) Corrected() (rate, root float64) {
	t := float64(a.Step)
	return a.Rate / (1 - math.Pow(a.Beta1, t)), 1 / math.Sqrt(1-math.Pow(a.Beta2, t))
}

// Place implements [Engine].
func (e *CPU) Place(dst, src *tensor.Dense, index []int32, at Placement) error {
	rows, err := CheckPlace(dst, src, index, at)
	if err != nil {
		return err
	}
	typed(dst, place[float32], place[float64])(e.workers, dst, src, index, at, rows)
	return nil
}

func place[T simd.Float](workers int, dst, src *tensor.Dense, index []int32, at Placement, rows int) {
	q, columns, given, target := src.Shape()[1], dst.Shape()[1], data[T](src), data[T](dst)
	if q == 0 {
		return
	}
	parallel.Chunks(workers, rows, rowChunk, func(from, to int) {
		for i := from; i < to; i++ {
			row := i
			if index != nil {
				row = int(index[i])
			}
			first := (at.Row+i)*columns + at.Column
			in, out := given[row*q:(row+1)*q], target[first:first+(q-1)*at.Stride+1]
			if at.Stride == 1 {
				copy(out, in)
				continue
			}
			for f, v := range in {
				out[f*at.Stride] = v
			}
		}
	})
}
