package gckn

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// equalize computes generalised max pooling (Murray and Perronnin, CVPR 2014, Eq. 7) of the m rows of
// phi (m x q): the vector x that minimises |phi x - 1|^2 + ridge |x|^2, so that every row has about the same
// inner product with x however often it occurs. In dual form x = phi' (phi phi' + ridge I)^-1 1, for
// which a system of min(m, q) unknowns is solved.
func equalize(phi []float64, m, q int, ridge float64) []float64 {
	x := mat.NewVecDense(q, nil)
	if m == 0 {
		return x.RawVector().Data
	}
	rows := mat.NewDense(m, q, phi)
	ones := mat.NewVecDense(m, nil)
	for i := range m {
		ones.SetVec(i, 1)
	}
	var gram mat.SymDense
	var chol mat.Cholesky
	if m <= q {
		gram.SymOuterK(1, rows)
		addRidge(&gram, ridge)
		chol.Factorize(&gram) // positive definite: ridge > 0
		var alpha mat.VecDense
		if chol.SolveVecTo(&alpha, ones) == nil {
			x.MulVec(rows.T(), &alpha)
		}
		return x.RawVector().Data
	}
	gram.SymOuterK(1, rows.T())
	addRidge(&gram, ridge)
	chol.Factorize(&gram)
	var sum mat.VecDense
	sum.MulVec(rows.T(), ones)
	if chol.SolveVecTo(x, &sum) != nil {
		x.Zero()
	}
	return x.RawVector().Data
}

func addRidge(k *mat.SymDense, ridge float64) {
	for i := range k.SymmetricDim() {
		k.SetSym(i, i, k.At(i, i)+ridge)
	}
}

// generalizedMax pools the projected path features of every root by [equalize]. It visits all paths
// in float64.
func (y *layer) generalizedMax(e engine.Engine, out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	q := y.filters()
	table, projection := float64s(e, scores), float64s(e, y.invSqrt)
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
			if p.Walks {
				p.Graph.VisitWalks(root, size, visit)
			} else {
				p.Graph.VisitPaths(root, size, visit)
			}
			m := len(kappa) / q
			if m == 0 {
				return
			}
			var phi mat.Dense
			phi.Mul(mat.NewDense(m, q, kappa), project)
			x := equalize(phi.RawMatrix().Data, m, q, y.ridge)
			if norm != nil {
				for f := range x {
					x[f] *= norm[row(root)]
				}
			}
			copy(pooled[r*q:], x)
		})
		if err := e.Convert(out[i], tensor.New(tensor.WithShape(n, q), tensor.WithBacking(pooled))); err != nil {
			return err
		}
	}
	return nil
}

// float64s returns a float64 copy of the elements of t.
func float64s(e engine.Engine, t *tensor.Dense) []float64 {
	out := make([]float64, t.DataSize())
	wide := tensor.New(tensor.WithShape(t.Shape()...), tensor.WithBacking(out))
	if err := e.Convert(wide, t); err != nil {
		panic(err) // same number of elements, both floats
	}
	return out
}
