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
	return plainSpectrum(newSpectrum(e.begin("InvSqrt"), k.Shape(), eps, rule)).invSqrt(dst, kept, k)
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
	d.small = false
	d.spectralKernels = spectralKernels{
		orthogonalize: func(d *spectrum, s *stream) error {
			return s.spectralPlainF64(d.each(), d.vectors, d.angles, d.status, int32(d.n), int32(d.matrices))
		},
		product: func(d *spectrum, s *stream, t spectralTerm) error {
			return s.spectralProductPlainF64(linear(d.elements(), spectralThreads), t.to, t.a, t.b, d.status, number(t.transA),
				number(t.transB), int32(d.n), int32(d.matrices), t.scale, d.factors, d.rootsOf(t), d.clamped, number(t.mirror))
		},
	}
	return d
}
