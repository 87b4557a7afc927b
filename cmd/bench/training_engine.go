package main

import (
	"sync/atomic"
	"time"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// timedEngine adds up the time of the operations that training asks of an engine.
type timedEngine struct {
	*engine.CPU
	nanoseconds atomic.Int64
}

func (e *timedEngine) spent() time.Duration { return time.Duration(e.nanoseconds.Load()) }

func (e *timedEngine) since(start time.Time, err error) error {
	e.nanoseconds.Add(time.Since(start).Nanoseconds())
	return err
}

// New returns a tensor of e, as a network wants for its parameters.
func (e *timedEngine) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(e), tensor.Of(dtype), tensor.WithShape(shape...))
}

// Scratch is New.
func (e *timedEngine) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return e.New(dtype, shape...)
}

// Host returns e: its operations are those to be timed.
func (e *timedEngine) Host() engine.Engine { return e }

func (e *timedEngine) Gemm(c, a, b *tensor.Dense, opt engine.Gemm) error {
	return e.since(time.Now(), e.CPU.Gemm(c, a, b, opt))
}

func (e *timedEngine) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.SparseMatMul(y, a, x))
}

func (e *timedEngine) SparseMatMulAdd(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.SparseMatMulAdd(y, a, x))
}

func (e *timedEngine) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	return e.since(time.Now(), e.CPU.NormalizeRows(dst, norms, x, eps))
}

func (e *timedEngine) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	return e.since(time.Now(), e.CPU.NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps))
}

func (e *timedEngine) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	return e.since(time.Now(), e.CPU.PathPool(out, scores, norms, p))
}

func (e *timedEngine) PathPoolGrad(
	scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling,
) error {
	return e.since(time.Now(), e.CPU.PathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p))
}

func (e *timedEngine) Gram(out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	return e.since(time.Now(), e.CPU.Gram(out, z, kernel, allLengths))
}

func (e *timedEngine) GramGrad(
	zGrad, plus, z, kGrad, k *tensor.Dense, kernel engine.Kernel, allLengths bool,
) error {
	return e.since(time.Now(), e.CPU.GramGrad(zGrad, plus, z, kGrad, k, kernel, allLengths))
}

func (e *timedEngine) InvSqrt(
	dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense, eps float64, rule engine.InvSqrtRule,
) error {
	return e.since(time.Now(), e.CPU.InvSqrt(dst, kept, k, eps, rule))
}

func (e *timedEngine) InvSqrtGrad(
	kGrad, dstGrad *tensor.Dense, s *engine.Spectrum, eps float64, rule engine.InvSqrtRule,
) error {
	return e.since(time.Now(), e.CPU.InvSqrtGrad(kGrad, dstGrad, s, eps, rule))
}

func (e *timedEngine) Project(y, x, a *tensor.Dense, p engine.Projection) error {
	return e.since(time.Now(), e.CPU.Project(y, x, a, p))
}

func (e *timedEngine) ProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p engine.Projection) error {
	return e.since(time.Now(), e.CPU.ProjectGrad(xGrad, aGrad, yGrad, x, a, p))
}

func (e *timedEngine) SegmentReduce(out, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	return e.since(time.Now(), e.CPU.SegmentReduce(out, x, s, pool))
}

func (e *timedEngine) Linear(y, x, weight, bias *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.Linear(y, x, weight, bias))
}

func (e *timedEngine) LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight))
}

func (e *timedEngine) BatchNorm(y, x *tensor.Dense, b *engine.BatchNorm) error {
	return e.since(time.Now(), e.CPU.BatchNorm(y, x, b))
}

func (e *timedEngine) BatchNormGrad(
	xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *engine.BatchNorm,
) error {
	return e.since(time.Now(), e.CPU.BatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y, b))
}

func (e *timedEngine) Rectify(y, x, bias *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.Rectify(y, x, bias))
}

func (e *timedEngine) RectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.RectifyGrad(xGrad, biasGrad, yGrad, y))
}

func (e *timedEngine) Dropout(y, x *tensor.Dense, d engine.Dropout) error {
	return e.since(time.Now(), e.CPU.Dropout(y, x, d))
}

func (e *timedEngine) SoftmaxCrossEntropy(
	loss, grad, logits *tensor.Dense, target []int32, weights []float64,
) error {
	return e.since(time.Now(), e.CPU.SoftmaxCrossEntropy(loss, grad, logits, target, weights))
}

func (e *timedEngine) Adam(of []engine.AdamState, step engine.Adam) error {
	return e.since(time.Now(), e.CPU.Adam(of, step))
}

func (e *timedEngine) Place(dst, src *tensor.Dense, index []int32, at engine.Placement) error {
	return e.since(time.Now(), e.CPU.Place(dst, src, index, at))
}

func (e *timedEngine) Convert(dst, src *tensor.Dense) error {
	return e.since(time.Now(), e.CPU.Convert(dst, src))
}
