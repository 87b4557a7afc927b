//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func (e plainEngine) InvSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense, eps float64,
	rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrt(dst, kept, k, eps, rule); err != nil {
		return err
	}
	return plainSpectrum(newSpectrum(e.begin("InvSqrt"), k.Shape(), eps, rule)).plainInvSqrt(dst, kept, k)
}

func (e plainEngine) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, kept *engine.Spectrum, eps float64,
	rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrtGrad(kGrad, dstGrad, kept, eps, rule); err != nil {
		return err
	}
	return plainSpectrum(newSpectrum(e.begin("InvSqrtGrad"), dstGrad.Shape(), eps, rule)).invSqrtGrad(kGrad, dstGrad, kept)
}

// plainSpectrum puts the plain kernels in the place of the tuned ones.
func plainSpectrum(d *spectrum) *spectrum {
	d.product = func(d *spectrum, s *stream, t spectralTerm) error {
		return s.spectralProductPlainF64(linear(d.elements(), spectralThreads), t.to, t.a, t.b, d.status, number(t.transA),
			number(t.transB), int32(d.n), int32(d.matrices), t.scale, d.factors, d.rootsOf(t), d.clamped, number(t.mirror))
	}
	return d
}

// plainInvSqrt launches the steps of an inverse square root one after another.
func (d *spectrum) plainInvSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense) error {
	o, n, matrices := d.o, int32(d.n), int32(d.matrices)
	angles := cleared[int32](o, d.matrices*spectralSweeps)
	norms, scales := scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices)
	d.status = scratch[int32](o, d.matrices)
	if kept != nil {
		d.values, d.vectors = of[float64](o, kept.Values), of[float64](o, kept.Vectors)
	} else {
		d.values, d.vectors = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.elements())
	}
	from, to := of[float64](o, k), of[float64](o, dst)
	rows := linear(d.matrices*d.n*32, spectralThreads)
	return d.run(kept == nil, func(s *stream) error {
		for _, step := range []func() error{
			func() error { return s.spectralNormsPlainF64(rows, norms, from, n, matrices) },
			func() error {
				return s.spectralStartPlainF64(d.each(), d.vectors, scales, d.status, from, norms, n, matrices)
			},
			func() error { return s.spectralPlainF64(d.each(), d.vectors, angles, d.status, n, matrices) },
			func() error {
				return s.spectralValuesPlainF64(rows, d.vectors, d.values, d.status, angles, scales, n, matrices)
			},
			func() error { return d.applyRule(s) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if kept != nil {
			d.status = pointer[int32]{} // nobody asks for it: what has one is to be NaN
		}
		return d.product(d, s, spectralTerm{to: to, a: d.vectors, b: d.vectors, transA: true, scale: d.factors, mirror: true})
	})
}
