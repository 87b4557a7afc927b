package autodiff

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
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
	ones := slices.Repeat([]float64{1}, m)
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

// EqualizePaths adds the generalised max pooling of the paths of layer number l of the batch, each projected by the
// inverse square roots (J x q x q, Float64). Its result is laid out as that of [Graph.PathPool]. It visits all paths,
// in float64 in host memory, and has no gradient.
func (g *Graph) EqualizePaths(l int, layer Layer, scores, roots *G.Node) *G.Node {
	q := g.dims("EqualizePaths", roots, 3)[1]
	op := &operation{name: "generalised max pooling", shape: tensor.Shape{varying, q}}
	m := op.newMemory()
	op.compute = func(in []G.Value) (G.Value, error) {
		scores, stage := in[0].(*Table), &g.batch.stages[l]
		projection, err := engine.Float64s(dense(in[1]))
		if err != nil {
			return nil, err
		}
		out := m.tensor(g.engine, g.dtype, rowsOf(stage.out), q)
		return out, stage.eachPooling(&layer, func(p *engine.PathPooling, in block, outs []block) error {
			return equalizePaths(g.engine, viewsOf(m, out, outs), in.of(m, scores), projection, p, layer.Ridge)
		})
	}
	return g.add(op, scores, roots)
}

// equalizePaths pools the projected kernel values of the paths from every root by [equalize].
func equalizePaths(
	e engine.Engine, out []*tensor.Dense, scores Table, projection []float64, p *engine.PathPooling, ridge float64,
) error {
	q := scores.Rows.Shape()[1] / p.Size
	table, err := engine.Float64s(scores.Rows)
	if err != nil {
		return err
	}
	var norm []float64
	if scores.Norms != nil {
		if norm, err = engine.Float64s(scores.Norms); err != nil {
			return err
		}
	}
	at := block{index: p.Index}
	for i, size := range p.Lengths() {
		scale, shift := p.Kernel.Scale(size)
		project := mat.NewDense(q, q, projection[i*q*q:(i+1)*q*q])
		err := equalizeEach(e, out[i], ridge, func(r int) ([]float64, float64) {
			root := int32(r)
			if p.Roots != nil {
				root = p.Roots[i][r]
			}
			var kappa []float64
			for _, rows := range rowsAlong(p, root, size) {
				for f := range q {
					sum := 0.0
					for j, row := range rows {
						sum += table[(int(row)*p.Size+j)*q+f]
					}
					kappa = append(kappa, math.Exp(scale*sum+shift))
				}
			}
			factor := 1.0
			if norm != nil {
				factor = norm[at.row(root)]
			}
			if len(kappa) == 0 {
				return nil, factor
			}
			var phi mat.Dense
			phi.Mul(mat.NewDense(len(kappa)/q, q, kappa), project)
			return phi.RawMatrix().Data, factor
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsAlong returns the rows of the vertices of each path of so many vertices from a root, in the order of their ranks,
// or without ranks in that of the paths.
func rowsAlong(p *engine.PathPooling, root int32, size int) (all [][]int32) {
	at := block{index: p.Index}
	p.Graph.Visit(p.Route, root, size, func(path []int32) {
		if len(path) != size {
			return
		}
		rows := make([]int32, size)
		for j, v := range path {
			rows[j] = int32(at.row(v))
		}
		all = append(all, rows)
	})
	if p.Ranks != nil {
		slices.SortFunc(all, func(a, b []int32) int {
			return slices.CompareFunc(a, b, func(r, s int32) int { return cmp.Compare(p.Ranks[r], p.Ranks[s]) })
		})
	}
	return all
}

// equalizeSegments pools the rows of every segment by [equalize].
func equalizeSegments(e engine.Engine, out, x *tensor.Dense, s *engine.Segments, ridge float64) error {
	q := x.Shape()[1]
	rows, err := engine.Float64s(x)
	if err != nil {
		return err
	}
	return equalizeEach(e, out, ridge, func(g int) ([]float64, float64) {
		var phi []float64
		for _, r := range s.Index[s.Offsets[g]:s.Offsets[g+1]] {
			phi = append(phi, rows[int(r)*q:(int(r)+1)*q]...)
		}
		return phi, 1
	})
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
