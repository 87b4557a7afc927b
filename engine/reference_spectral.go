package engine

import (
	"fmt"

	"github.com/grove-graph/grove/engine/eigen"
	"gorgonia.org/tensor"
)

// InvSqrt implements [Engine] by an eigendecomposition of each matrix.
func (Reference) InvSqrt(dst, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrt(1, dst, k, eps, rule)
}

func invSqrt(workers int, dst, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	if err := CheckInvSqrt(dst, k, eps, rule); err != nil {
		return err
	}
	q := k.Shape()[1]
	for j := range k.Shape()[0] {
		m := j * q * q
		if err := eigen.InvSqrt(workers, q, dst.Float64s()[m:m+q*q], k.Float64s()[m:m+q*q], eps, eigen.Rule(rule)); err != nil {
			return fmt.Errorf("InvSqrt: matrix %d: %w", j, err)
		}
	}
	return nil
}

// InvSqrtGrad implements [Engine] by divided differences of the rule on the eigenvalues, see
// [eigen.InvSqrtGrad].
func (Reference) InvSqrtGrad(kGrad, dstGrad, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrtGrad(1, kGrad, dstGrad, k, eps, rule)
}

func invSqrtGrad(workers int, kGrad, dstGrad, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	if err := CheckInvSqrtGrad(kGrad, dstGrad, k, eps, rule); err != nil {
		return err
	}
	q := k.Shape()[1]
	for j := range k.Shape()[0] {
		m := j * q * q
		if err := eigen.InvSqrtGrad(workers, q, kGrad.Float64s()[m:m+q*q], dstGrad.Float64s()[m:m+q*q], k.Float64s()[m:m+q*q], eps, eigen.Rule(rule)); err != nil {
			return fmt.Errorf("InvSqrtGrad: matrix %d: %w", j, err)
		}
	}
	return nil
}
