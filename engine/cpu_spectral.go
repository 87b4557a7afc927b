package engine

import "gorgonia.org/tensor"

// InvSqrt implements [Engine]. The matrices follow one another, each on all workers.
func (e *CPU) InvSqrt(dst *tensor.Dense, spectrum *Spectrum, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrt(e.workers, dst, spectrum, k, eps, rule)
}

// InvSqrtGrad implements [Engine]. The matrices follow one another, each on all workers.
func (e *CPU) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, s *Spectrum, eps float64, rule InvSqrtRule) error {
	return invSqrtGrad(e.workers, kGrad, dstGrad, s, eps, rule)
}
