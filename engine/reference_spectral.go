package engine

import (
	"fmt"

	"github.com/grove-graph/grove/engine/eigen"
	"gorgonia.org/tensor"
)

// InvSqrt implements [Engine] by an eigendecomposition of each matrix.
func (Reference) InvSqrt(dst *tensor.Dense, spectrum *Spectrum, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	return invSqrt(1, dst, spectrum, k, eps, rule)
}

func invSqrt(workers int, dst *tensor.Dense, spectrum *Spectrum, k *tensor.Dense, eps float64, rule InvSqrtRule) error {
	if err := CheckInvSqrt(dst, spectrum, k, eps, rule); err != nil {
		return err
	}
	q := k.Shape()[1]
	for j := range k.Shape()[0] {
		m := j * q * q
		values, vectors, err := eigen.InvSqrt(workers, q, dst.Float64s()[m:m+q*q], k.Float64s()[m:m+q*q], eps,
			eigen.Rule(rule))
		if err != nil {
			return fmt.Errorf("InvSqrt: matrix %d: %w", j, err)
		}
		if spectrum != nil {
			copy(spectrum.Values.Float64s()[j*q:], values)
			copy(spectrum.Vectors.Float64s()[m:], vectors)
		}
	}
	return nil
}

// InvSqrtGrad implements [Engine] by divided differences of the rule on the eigenvalues, see
// [eigen.InvSqrtGrad].
func (Reference) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, s *Spectrum, eps float64, rule InvSqrtRule) error {
	return invSqrtGrad(1, kGrad, dstGrad, s, eps, rule)
}

func invSqrtGrad(workers int, kGrad, dstGrad *tensor.Dense, s *Spectrum, eps float64, rule InvSqrtRule) error {
	if err := CheckInvSqrtGrad(kGrad, dstGrad, s, eps, rule); err != nil {
		return err
	}
	q := dstGrad.Shape()[1]
	values, vectors := s.Values.Float64s(), s.Vectors.Float64s()
	for j := range dstGrad.Shape()[0] {
		m := j * q * q
		if err := eigen.InvSqrtGrad(workers, q, kGrad.Float64s()[m:m+q*q], dstGrad.Float64s()[m:m+q*q],
			values[j*q:(j+1)*q], vectors[m:m+q*q], eps, eigen.Rule(rule)); err != nil {
			return fmt.Errorf("InvSqrtGrad: matrix %d: %w", j, err)
		}
	}
	return nil
}
