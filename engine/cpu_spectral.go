package engine

import "gorgonia.org/tensor"

// InvSqrt implements [Engine]. The matrices follow one another, each on all workers.
func (e *CPU) InvSqrt(dst, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrt(e.workers, dst, k, eps, rule)
}

// InvSqrtGrad implements [Engine]. The matrices follow one another, each on all workers.
func (e *CPU) InvSqrtGrad(kGrad, dstGrad, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrtGrad(e.workers, kGrad, dstGrad, k, eps, rule)
}
