package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// SoftmaxCrossEntropy implements [Engine]; sums are in float64.
func (e *CPU) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error {
	if err := CheckSoftmaxCrossEntropy(loss, grad, logits, target, weights); err != nil {
		return err
	}
	compute := typed(logits, softmaxCrossEntropy[float32], softmaxCrossEntropy[float64])
	e.weighted(loss, grad, weights, func(each *tensor.Dense) { compute(e.workers, each, grad, logits, target) })
	return nil
}

// weighted lets compute make the loss of every row and its slopes, and adds them up by their weights, if there are any.
func (e *CPU) weighted(loss, grad *tensor.Dense, weights []float64, compute func(each *tensor.Dense)) {
	if weights == nil {
		compute(loss)
		return
	}
	each := e.Scratch(loss.Dtype(), len(weights))
	compute(each)
	typed(loss, weigh[float32], weigh[float64])(e.workers, loss, grad, each, weights)
	e.Release(each)
}

func weigh[T simd.Float](workers int, loss, grad, each *tensor.Dense, weights []float64) {
	total, all := data[T](loss), Segments{Offsets: []int32{0, int32(len(weights))}, Weights: weights}
	segmentReduce(1, total, 1, all, Sum, accumulate(data[T](each), 1, all, Sum))
	if grad == nil {
		return
	}
	slopes, c := data[T](grad), grad.Shape()[1]
	parallel.Chunks(workers, len(weights), rowChunk, func(from, to int) {
		for i := from; i < to; i++ {
			simd.Scale(T(weights[i]), slopes[i*c:(i+1)*c])
		}
	})
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
func (e *CPU) Adam(of []AdamState, step Adam) error {
	if err := CheckAdam(of, step); err != nil {
		return err
	}
	for i := range of {
		typed(of[i].Parameter, adam[float32], adam[float64])(e.workers, &of[i], step)
	}
	return nil
}

// elementChunk is the number of elements that one piece of parallel work covers.
const elementChunk = 1 << 13

func adam[T simd.Float](workers int, of *AdamState, step Adam) {
	ps, m1s, m2s, gs := data[T](of.Parameter), data[T](of.Moment1), data[T](of.Moment2), data[T](of.Gradient)
	rate, root := step.Corrected()
	beta1, beta2, epsilon, decay := T(step.Beta1), T(step.Beta2), T(step.Epsilon), T(of.Decay)
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
