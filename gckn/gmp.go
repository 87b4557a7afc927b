package gckn

import (
	"errors"
	"fmt"
	"math"

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
	x := make([]float64, q)
	if m == 0 {
		return x, nil
	}
	rows := mat.NewDense(m, q, phi)
	ones := make([]float64, m)
	for i := range ones {
		ones[i] = 1
	}
	if m <= q {
		var gram mat.Dense
		gram.Mul(rows, rows.T())
		alpha, err := solveRidge(&gram, ones, ridge)
		if err == nil {
			mat.NewVecDense(q, x).MulVec(rows.T(), mat.NewVecDense(m, alpha))
		}
		return x, err
	}
	var gram mat.Dense
	gram.Mul(rows.T(), rows)
	var sum mat.VecDense
	sum.MulVec(rows.T(), mat.NewVecDense(m, ones))
	return solveRidge(&gram, sum.RawVector().Data, ridge)
}

// solveRidge solves (K + ridge I) x = y for a positive semidefinite K; eigenvalues below zero are
// rounding.
func solveRidge(k *mat.Dense, y []float64, ridge float64) ([]float64, error) {
	n := len(y)
	values, vectors, err := eigen.Symmetric(1, n, k.RawMatrix().Data, n)
	if err != nil {
		return nil, fmt.Errorf("generalised max pooling: %w", err)
	}
	x := make([]float64, n)
	for j, e := range values {
		v := vectors[j*n : (j+1)*n]
		simd.Axpy(simd.Dot(v, y)/(max(e, 0)+ridge), v, x)
	}
	return x, nil
}

// generalizedMax pools the projected path features of every root by [equalize]. It visits all paths
// in float64.
func (y *layer) generalizedMax(
	e engine.Engine, out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling,
) error {
	q := y.filters()
	table, projection := float64s(e, scores), float64s(e, y.wide.invSqrt)
	var norm []float64
	if norms != nil {
		norm = float64s(e, norms)
	}
	row := func(v int32) int {
		if p.Index == nil {
			return int(v)
		}
		return int(p.Index[v])
	}
	for i, size := range p.Lengths() {
		scale, shift := p.Kernel.Scale(size)
		project := mat.NewDense(q, q, projection[i*q*q:(i+1)*q*q])
		n := out[i].Shape()[0]
		pooled := make([]float64, n*q)
		errs := make([]error, n)
		parallel.For(e.Workers(), n, func(r int) {
			root := int32(r)
			if p.Roots != nil {
				root = p.Roots[i][r]
			}
			var kappa []float64
			visit := func(path []int32) {
				if len(path) != size {
					return
				}
				for f := range q {
					sum := 0.0
					for j, v := range path {
						sum += table[(row(v)*p.Size+j)*q+f]
					}
					kappa = append(kappa, math.Exp(scale*sum+shift))
				}
			}
			p.Graph.Visit(p.Route, root, size, visit)
			m := len(kappa) / q
			if m == 0 {
				return
			}
			var phi mat.Dense
			phi.Mul(mat.NewDense(m, q, kappa), project)
			x, err := equalize(phi.RawMatrix().Data, m, q, y.ridge)
			if err != nil {
				errs[r] = err
				return
			}
			if norm != nil {
				for f := range x {
					x[f] *= norm[row(root)]
				}
			}
			copy(pooled[r*q:], x)
		})
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if err := e.Convert(out[i], tensor.New(tensor.WithShape(n, q), tensor.WithBacking(pooled))); err != nil {
			return err
		}
	}
	return nil
}

// float64s returns a float64 copy of the elements of t, which may lie on e or in host memory.
func float64s(e engine.Engine, t *tensor.Dense) []float64 {
	out := make([]float64, t.DataSize())
	wide := tensor.New(tensor.WithShape(t.Shape()...), tensor.WithBacking(out))
	if own, ok := t.Engine().(engine.Engine); ok {
		e = own
	}
	if err := e.Convert(wide, t); err != nil {
		panic(err) // same number of elements, both floats
	}
	return out
}
