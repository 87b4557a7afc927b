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
	if logits.Dtype() == tensor.Float32 {
		softmaxCrossEntropy(e.workers, data[float32](loss), data[float32](grad), data[float32](logits), target,
			logits.Shape()[1])
	} else {
		softmaxCrossEntropy(e.workers, data[float64](loss), data[float64](grad), data[float64](logits), target,
			logits.Shape()[1])
	}
	return nil
}

func softmaxCrossEntropy[T simd.Float](workers int, loss, grad, logits []T, target []int32, c int) {
	parallel.Chunks(workers, len(target), rowChunk, func(from, to int) {
		weights := make([]T, c) // exp(x_j - m), with m the largest logit of the row
		for i := from; i < to; i++ {
			row, t := logits[i*c:(i+1)*c], target[i]
			_, largest := simd.ArgMax(row)
			if grad != nil {
				weights = grad[i*c : (i+1)*c]
			}
			margin := float64(largest) - float64(row[t])
			simd.Exp(weights, row, 1, -largest)
			sum := 0.0
			for _, w := range weights {
				sum += float64(w)
			}
			loss[i] = T(margin + math.Log(sum))
			if grad != nil {
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
	if parameter.Dtype() == tensor.Float32 {
		adam(e.workers, data[float32](parameter), data[float32](moment1), data[float32](moment2), data[float32](gradient),
			step)
	} else {
		adam(e.workers, data[float64](parameter), data[float64](moment1), data[float64](moment2), data[float64](gradient),
			step)
	}
	return nil
}

// elementChunk is the number of elements that one piece of parallel work covers.
const elementChunk = 1 << 13

func adam[T simd.Float](workers int, parameter, moment1, moment2, gradient []T, step Adam) {
	rate, root := step.Corrected()
	beta1, beta2, epsilon, decay := T(step.Beta1), T(step.Beta2), T(step.Epsilon), T(step.Decay)
	rest1, rest2 := T(1-step.Beta1), T(1-step.Beta2)
	parallel.Chunks(workers, len(parameter), elementChunk, func(from, to int) {
		p, m1, m2, g := parameter[from:to], moment1[from:to], moment2[from:to], gradient[from:to]
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
	if dst.Dtype() == tensor.Float32 {
		place(e.workers, data[float32](dst), data[float32](src), index, at, rows, src.Shape()[1], dst.Shape()[1])
	} else {
		place(e.workers, data[float64](dst), data[float64](src), index, at, rows, src.Shape()[1], dst.Shape()[1])
	}
	return nil
}

func place[T simd.Float](workers int, dst, src []T, index []int32, at Placement, rows, q, columns int) {
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
			in, out := src[row*q:(row+1)*q], dst[first:first+(q-1)*at.Stride+1]
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
