package engine

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// NormalizeRowsGrad is the gradient of a scalar through NormalizeRows: from the gradients g_r and h_r
// with respect to the unit rows u_r = x_r / max(|x_r|, eps) and to the norms |x_r|, it computes the
// gradient with respect to x,
//
//	(g_r - u_r <u_r, g_r>) / |x_r| + h_r u_r           where |x_r| >= eps
//	g_r / eps + h_r x_r / |x_r|                        elsewhere, without the second term where x_r = 0
//
// unit, unitGrad and xGrad are n x d, norms and normGrad have n entries; normGrad may be nil for zeros,
// and xGrad may be the same tensor as unitGrad.
func (Reference) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	if err := CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps); err != nil {
		return err
	}
	n, d := unit.Shape()[0], unit.Shape()[1]
	u, norm, g, h := values(unit), values(norms), values(unitGrad), make([]float64, n)
	if normGrad != nil {
		h = values(normGrad)
	}
	out := make([]float64, n*d)
	for r := range n {
		inner := 0.0
		for i := r * d; i < (r+1)*d; i++ {
			inner += u[i] * g[i]
		}
		for i := r * d; i < (r+1)*d; i++ {
			switch {
			case norm[r] >= eps:
				out[i] = (g[i]-u[i]*inner)/norm[r] + h[r]*u[i]
			case norm[r] > 0:
				out[i] = g[i]/eps + h[r]*u[i]*eps/norm[r]
			default:
				out[i] = g[i] / eps
			}
		}
	}
	store(xGrad, out)
	return nil
}

// SegmentReduceGrad is the gradient of a scalar through SegmentReduce: from outGrad, its gradient with
// respect to the pooled rows, it computes the gradient with respect to x, which has x's shape. Where
// several items of a segment attain a maximum, the first takes the gradient.
func (Reference) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s Segments, pool Pooling) error {
	if err := CheckSegmentReduceGrad(xGrad, outGrad, x, s, pool); err != nil {
		return err
	}
	q := x.Shape()[1]
	xv, g := values(x), values(outGrad)
	out := make([]float64, len(xv))
	row := func(i int32) int {
		if s.Index == nil {
			return int(i)
		}
		return int(s.Index[i])
	}
	for seg := range len(s.Offsets) - 1 {
		from, to := s.Offsets[seg], s.Offsets[seg+1]
		for f := range q {
			gradient := g[seg*q+f]
			if pool == Max {
				best := -1
				for i := from; i < to; i++ {
					if r := row(i); best < 0 || xv[r*q+f] > xv[best*q+f] {
						best = r
					}
				}
				if best >= 0 {
					out[best*q+f] += gradient
				}
				continue
			}
			divisor := s.divisor(seg, pool)
			for i := from; i < to; i++ {
				out[row(i)*q+f] += s.share(i, divisor) * gradient
			}
		}
	}
	store(xGrad, out)
	return nil
}

// divisor returns what the sum over the items of a segment is divided by; 0 where the result is zero.
func (s *Segments) divisor(segment int, pool Pooling) float64 {
	from, to := s.Offsets[segment], s.Offsets[segment+1]
	switch {
	case pool == Sum:
		return 1
	case s.Weights == nil:
		return float64(to - from)
	}
	total := 0.0
	for _, w := range s.Weights[from:to] {
		total += w
	}
	return total
}

// share returns the factor of item i in the sum or mean of its segment.
func (s *Segments) share(i int32, divisor float64) float64 {
	switch {
	case divisor == 0:
		return 0
	case s.Weights == nil:
		return 1 / divisor
	}
	return s.Weights[i] / divisor
}

// OutputLoss computes loss_i = sum_j l(x_ij, y_ij) for one of the kinds of [Loss] and, unless grad is nil,
// grad_ij = dl/dx_ij. x, y and grad are n x c, loss has n entries; grad may be the same tensor as x.
func (Reference) OutputLoss(loss, grad, x, y *tensor.Dense, kind Loss) error {
	if err := CheckOutputLoss(loss, grad, x, y, kind); err != nil {
		return err
	}
	n, c := x.Shape()[0], x.Shape()[1]
	xv, yv := values(x), values(y)
	losses, slopes := make([]float64, n), make([]float64, n*c)
	for i := range xv {
		l, slope := kind.of(xv[i], yv[i])
		losses[i/c] += l
		slopes[i] = slope
	}
	store(loss, losses)
	if grad != nil {
		store(grad, slopes)
	}
	return nil
}

// of returns the loss and its derivative with respect to x.
func (l Loss) of(x, y float64) (loss, slope float64) {
	switch l {
	case SquaredLoss:
		return (x - y) * (x - y) / 2, x - y
	case LogisticLoss:
		// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)) cannot overflow.
		small := math.Exp(-math.Abs(x))
		sigmoid := 1 / (1 + small)
		if x < 0 {
			sigmoid = small / (1 + small)
		}
		return max(x, 0) + math.Log1p(small) - y*x, sigmoid - y
	}
	margin := max(0, 1-y*x)
	return margin * margin / 2, -y * margin
}

// InvSqrtFactors is InvSqrt with the rule AfterRoot that keeps the eigendecompositions for
// InvSqrtFactorsGrad: values is J x q, ascending, and row i of matrix j of vectors (J x q x q) is the
// eigenvector of values_ji. All are Float64.
func (Reference) InvSqrtFactors(dst, values, vectors, k *tensor.Dense, eps float64) error {
	return invSqrtFactors(1, dst, values, vectors, k, eps)
}

func invSqrtFactors(workers int, dst, values, vectors, k *tensor.Dense, eps float64) error {
	if err := CheckInvSqrtFactors(dst, values, vectors, k, eps); err != nil {
		return err
	}
	q := k.Shape()[1]
	scaled := make([]float64, q*q)
	for j := range k.Shape()[0] {
		e, v, err := eigen.Symmetric(workers, q, k.Float64s()[j*q*q:(j+1)*q*q], max(q, 1))
		if err != nil {
			return fmt.Errorf("InvSqrtFactors: matrix %d: %w", j, err)
		}
		copy(values.Float64s()[j*q:(j+1)*q], e)
		copy(vectors.Float64s()[j*q*q:(j+1)*q*q], v)
		copy(scaled, v)
		for i, value := range e {
			shifted := math.Sqrt(max(value, 0)) + eps
			if !(shifted > 0) {
				return fmt.Errorf("InvSqrtFactors: matrix %d is singular, use a larger regularisation than %g", j, eps)
			}
			simd.Scale(1/math.Sqrt(shifted), scaled[i*q:(i+1)*q])
		}
		out := dst.Float64s()[j*q*q : (j+1)*q*q]
		if q > 0 { // with roots on both sides the result is a product B^T B
			simd.Gemm(workers, true, false, q, q, q, 1, scaled, q, scaled, q, 0, out, q)
			mirror(q, out)
		}
	}
	return nil
}

// mirror copies the lower triangle of a matrix of order q to the upper one.
func mirror(q int, a []float64) {
	for i := range q {
		for j := range i {
			a[j*q+i] = a[i*q+j]
		}
	}
}

// InvSqrtFactorsGrad is the gradient of a scalar through InvSqrtFactors as the published GCKN code takes it: from
// the gradients G with respect to the inverse square roots (J x q x q) it computes the symmetric matrices
//
//	-V (F o (V^T G V)) V^T,  F_ij = 1 / ((s_i + s_j) s_i s_j),  s = sqrt(max(e, 0)) + eps
//
// for the symmetric part of G. The true derivative, InvSqrtGrad, has sqrt(e_i) + sqrt(e_j) in place of
// s_i + s_j and no bound at eigenvalues of zero. kGrad may be the same tensor as dstGrad.
func (Reference) InvSqrtFactorsGrad(kGrad, dstGrad, values, vectors *tensor.Dense, eps float64) error {
	return invSqrtFactorsGrad(1, kGrad, dstGrad, values, vectors, eps)
}

func invSqrtFactorsGrad(workers int, kGrad, dstGrad, values, vectors *tensor.Dense, eps float64) error {
	if err := CheckInvSqrtFactorsGrad(kGrad, dstGrad, values, vectors, eps); err != nil {
		return err
	}
	q := vectors.Shape()[1]
	if q == 0 {
		return nil
	}
	inner, product, s := make([]float64, q*q), make([]float64, q*q), make([]float64, q)
	for j := range vectors.Shape()[0] {
		g, v := dstGrad.Float64s()[j*q*q:(j+1)*q*q], vectors.Float64s()[j*q*q:(j+1)*q*q]
		for i := range q {
			s[i] = math.Sqrt(max(values.Float64s()[j*q+i], 0)) + eps
			for f := range q {
				inner[i*q+f] = (g[i*q+f] + g[f*q+i]) / 2
			}
		}
		simd.Gemm(workers, false, false, q, q, q, 1, v, q, inner, q, 0, product, q)
		simd.Gemm(workers, false, true, q, q, q, 1, product, q, v, q, 0, inner, q)
		for i := range q {
			for f := range q {
				inner[i*q+f] *= -1 / ((s[i] + s[f]) * s[i] * s[f])
			}
		}
		simd.Gemm(workers, true, false, q, q, q, 1, v, q, inner, q, 0, product, q)
		out := kGrad.Float64s()[j*q*q : (j+1)*q*q]
		simd.Gemm(workers, false, false, q, q, q, 1, product, q, v, q, 0, out, q)
		mirror(q, out)
	}
	return nil
}
