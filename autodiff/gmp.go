package autodiff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// equalize computes generalised max pooling (Murray and Perronnin, CVPR 2014, Eq. 7) of the m rows of
// phi (m x q): the vector x that minimises |phi x - 1|^2 + ridge |x|^2, so that every row has about the same
// inner product with x however often it occurs. In dual form x = phi' (phi phi' + ridge I)^-1 1; the
// system has min(m, q) unknowns and is solved by eigenvalues, because repeated rows make phi phi'
// singular and large ones leave nothing of the ridge in a factorisation.
func equalize(phi []float64, m, q int, ridge float64) ([]float64, error) {
	if m == 0 {
		return make([]float64, q), nil
	}
	s, err := newRidgeSystem(phi, m, q, ridge)
	if err != nil {
		return make([]float64, q), err
	}
	return s.pooled(), nil
}

// equalizeGradient computes the gradient of a scalar with respect to phi through [equalize], from that with respect to
// x, y: one more solution of the same system. With u = (phi' phi + ridge I)^-1 y,
//
//	(1 - phi x) u' - (phi u) x'
func equalizeGradient(phi []float64, m, q int, ridge float64, y []float64) ([]float64, error) {
	out := make([]float64, m*q)
	if m == 0 {
		return out, nil
	}
	s, err := newRidgeSystem(phi, m, q, ridge)
	if err != nil {
		return nil, err
	}
	x, left, u, of := s.pooled(), make([]float64, m), y, make([]float64, m)
	if s.dual {
		// (1 - phi x) / ridge are the dual variables, phi u = (phi phi' + ridge I)^-1 phi y, and ridge u = y - phi' phi u: no
		// difference of nearly equal numbers is divided by the ridge.
		copy(left, s.solve(slices.Repeat([]float64{1}, m)))
		of = s.solve(s.times(y))
		u = slices.Clone(y)
		for i, v := range of {
			simd.Axpy(-v, s.row(i), u)
		}
	} else {
		u = s.solve(y)
		copy(of, s.times(u))
		for i, v := range s.times(x) {
			left[i] = 1 - v
		}
	}
	for i := range m {
		row := out[i*q : (i+1)*q]
		simd.Axpy(left[i], u, row)
		simd.Axpy(-of[i], x, row)
	}
	return out, nil
}

// ridgeSystem is the system of [equalize]: phi phi' + ridge I where phi has no more rows than columns, else
// phi' phi + ridge I, by its eigenvalues. Those below zero are rounding.
type ridgeSystem struct {
	phi             []float64
	m, q            int
	dual            bool
	ridge           float64
	values, vectors []float64
}

func newRidgeSystem(phi []float64, m, q int, ridge float64) (*ridgeSystem, error) {
	s := &ridgeSystem{phi: phi, m: m, q: q, dual: m <= q, ridge: ridge}
	rows, gram, n := mat.NewDense(m, q, phi), mat.Dense{}, m
	if s.dual {
		gram.Mul(rows, rows.T())
	} else {
		gram.Mul(rows.T(), rows)
		n = q
	}
	var err error
	if s.values, s.vectors, err = eigen.Symmetric(1, n, gram.RawMatrix().Data, n); err != nil {
		return nil, fmt.Errorf("generalised max pooling: %w", err)
	}
	return s, nil
}

// row returns a row of phi.
func (s *ridgeSystem) row(i int) []float64 { return s.phi[i*s.q : (i+1)*s.q] }

// times returns phi x.
func (s *ridgeSystem) times(x []float64) []float64 {
	out := make([]float64, s.m)
	for i := range out {
		out[i] = simd.Dot(s.row(i), x)
	}
	return out
}

// solve solves the system for a right-hand side.
func (s *ridgeSystem) solve(y []float64) []float64 {
	n := len(y)
	x := make([]float64, n)
	for j, e := range s.values {
		v := s.vectors[j*n : (j+1)*n]
		simd.Axpy(simd.Dot(v, y)/(max(e, 0)+s.ridge), v, x)
	}
	return x
}

// pooled returns the vector x of [equalize].
func (s *ridgeSystem) pooled() []float64 {
	rows, ones := mat.NewDense(s.m, s.q, s.phi), slices.Repeat([]float64{1}, s.m)
	if s.dual {
		x := make([]float64, s.q)
		mat.NewVecDense(s.q, x).MulVec(rows.T(), mat.NewVecDense(s.m, s.solve(ones)))
		return x
	}
	var sum mat.VecDense
	sum.MulVec(rows.T(), mat.NewVecDense(s.m, ones))
	return s.solve(sum.RawVector().Data)
}

// gathered returns the rows of a segment of x, q columns each.
func gathered(x []float64, q int, s *engine.Segments, segment int) (phi []float64) {
	for _, r := range s.Index[s.Offsets[segment]:s.Offsets[segment+1]] {
		phi = append(phi, x[int(r)*q:(int(r)+1)*q]...)
	}
	return phi
}

// equalizeSegments pools the rows of every segment by [equalize], in float64 in host memory.
func equalizeSegments(e engine.Engine, out, x *tensor.Dense, s *engine.Segments, ridge float64) error {
	q := x.Shape()[1]
	rows, err := engine.Float64s(x)
	if err != nil {
		return err
	}
	return equalizeEach(e, out, ridge, func(g int) ([]float64, float64) { return gathered(rows, q, s, g), 1 })
}

// equalizeSegmentsGradient computes the gradient of a scalar with respect to x through equalizeSegments, from that with
// respect to its result. Segments that share rows add up in their order.
func equalizeSegmentsGradient(e engine.Engine, xGrad, grad, x *tensor.Dense, s *engine.Segments, ridge float64) error {
	n, q := x.Shape()[0], x.Shape()[1]
	rows, err := engine.Float64s(x)
	if err != nil {
		return err
	}
	from, err := engine.Float64s(grad)
	if err != nil {
		return err
	}
	parts, errs := make([][]float64, len(s.Offsets)-1), make([]error, len(s.Offsets)-1)
	parallel.For(e.Workers(), len(parts), func(g int) {
		phi := gathered(rows, q, s, g)
		parts[g], errs[g] = equalizeGradient(phi, len(phi)/q, q, ridge, from[g*q:(g+1)*q])
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	out := make([]float64, n*q)
	for g, part := range parts {
		for i, r := range s.Index[s.Offsets[g]:s.Offsets[g+1]] {
			simd.Axpy(1, part[i*q:(i+1)*q], out[int(r)*q:(int(r)+1)*q])
		}
	}
	return e.Convert(xGrad, tensor.New(tensor.WithShape(n, q), tensor.WithBacking(out)))
}

// equalizeEach sets every row of out to a factor times what [equalize] makes of some rows.
func equalizeEach(e engine.Engine, out *tensor.Dense, ridge float64, of func(r int) ([]float64, float64)) error {
	n, q := out.Shape()[0], out.Shape()[1]
	pooled, errs := make([]float64, n*q), make([]error, n)
	parallel.For(e.Workers(), n, func(r int) {
		phi, factor := of(r)
		x, err := equalize(phi, len(phi)/q, q, ridge)
		for f, v := range x {
			pooled[r*q+f] = v * factor
		}
		errs[r] = err
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return e.Convert(out, tensor.New(tensor.WithShape(n, q), tensor.WithBacking(pooled)))
}
