//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func (e plainEngine) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error {
	if err := engine.CheckSoftmaxCrossEntropy(loss, grad, logits, target, weights); err != nil {
		return err
	}
	return e.weighted(loss, grad, weights, func(loss, grad *tensor.Dense, _ []float64) error {
		if of32(logits) {
			return plainSoftmax[float32](e, loss, grad, logits, target)
		}
		return plainSoftmax[float64](e, loss, grad, logits, target)
	})
}

func plainSoftmax[T real](e plainEngine, loss, grad, logits *tensor.Dense, target []int32) error {
	n, c := logits.Shape()[0], logits.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("SoftmaxCrossEntropy")
	losses, gradient, x, aim := of[T](k, loss), of[T](k, grad), of[T](k, logits), upload(k, target)
	return k.run(func(s *stream) error {
		return softmaxCrossEntropyPlain(s, linear(n, 128), losses, gradient, x, aim, int32(n), int32(c))
	})
}

func (e plainEngine) OutputLoss(loss, grad, x, y *tensor.Dense, kind engine.Loss, weights []float64) error {
	if err := engine.CheckOutputLoss(loss, grad, x, y, kind, weights); err != nil {
		return err
	}
	return e.weighted(loss, grad, weights, func(loss, grad *tensor.Dense, _ []float64) error {
		if of32(x) {
			return plainOutputLoss[float32](e, loss, grad, x, y, kind)
		}
		return plainOutputLoss[float64](e, loss, grad, x, y, kind)
	})
}

func plainOutputLoss[T real](e plainEngine, loss, grad, x, y *tensor.Dense, kind engine.Loss) error {
	n, c := x.Shape()[0], x.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("OutputLoss")
	losses, gradient, from, targets := of[T](k, loss), of[T](k, grad), of[T](k, x), of[T](k, y)
	return k.run(func(s *stream) error {
		return outputLossPlain(s, linear(n, 128), losses, gradient, from, targets, int32(n), int32(c), int32(kind))
	})
}

func (e plainEngine) Adam(states []engine.AdamState, step engine.Adam) error {
	if err := engine.CheckAdam(states, step); err != nil {
		return err
	}
	for _, t := range states {
		on := plainAdam[float64]
		if of32(t.Parameter) {
			on = plainAdam[float32]
		}
		if err := on(e, t, step); err != nil {
			return err
		}
	}
	return nil
}

func plainAdam[T real](e plainEngine, t engine.AdamState, step engine.Adam) error {
	n := t.Parameter.DataSize()
	if n == 0 {
		return nil
	}
	k := e.begin("Adam")
	p, m1, m2, slope := of[T](k, t.Parameter), of[T](k, t.Moment1), of[T](k, t.Moment2), of[T](k, t.Gradient)
	rate, root := step.Corrected()
	return k.run(func(s *stream) error {
		return adamPlain(s, linear(n, 256), p, m1, m2, slope, int64(n), T(rate), T(root), T(step.Beta1), T(step.Beta2),
			T(1-step.Beta1), T(1-step.Beta2), T(step.Epsilon), T(t.Decay))
	})
}
