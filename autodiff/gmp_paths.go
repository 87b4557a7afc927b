package autodiff

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// EqualizePaths adds the generalised max pooling of the paths of layer number l of the batch, each projected by the
// inverse square roots (J x q x q, Float64). Its result is laid out as that of [Graph.PathPool]. It visits all paths,
// in float64 in host memory, here and in its gradient.
func (g *Graph) EqualizePaths(l int, layer Layer, scores, roots *G.Node) *G.Node {
	q := g.dims("EqualizePaths", roots, 3)[1]
	op := &operation{name: "generalised max pooling", shape: tensor.Shape{varying, q}, wrt: []bool{true, true}}
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
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		columns, matrices := in[0].Shape()[1], in[1].Shape()
		back := &operation{name: "gradient of generalised max pooling", shape: tensor.Shape{varying, columns}}
		rows, norms, root, table := back.newMemory(), back.newMemory(), back.newMemory(), &Table{}
		var toRoots *tensor.Dense
		back.compute = func(in []G.Value) (G.Value, error) {
			scores, grad, stage := in[0].(*Table), dense(in[3]), &g.batch.stages[l]
			projection, err := engine.Float64s(dense(in[1]))
			if err != nil {
				return nil, err
			}
			grads := pathGrads{roots: make([]float64, len(projection))}
			table.Rows, table.Norms = rows.tensor(g.engine, g.dtype, scores.Rows.Shape()...), nil
			if scores.Norms != nil {
				table.Norms = norms.tensor(g.engine, g.dtype, scores.Norms.Shape()...)
			}
			toRoots = root.tensor(g.engine, tensor.Float64, matrices...)
			err = stage.eachPooling(&layer, func(p *engine.PathPooling, in block, outs []block) error {
				err := grads.back(g.engine, viewsOf(rows, grad, outs), in.of(rows, scores), projection, p, layer.Ridge)
				if err != nil {
					return err
				}
				return grads.write(g.engine, in.of(rows, table))
			})
			if err != nil {
				return nil, err
			}
			return table, g.engine.Convert(toRoots, tensor.New(tensor.WithShape(matrices...), tensor.WithBacking(grads.roots)))
		}
		ofScores := g.add(back, in[0], in[1], out, grad)
		ofRoots := g.derived("part", matrices, func(*memory, []G.Value) (G.Value, error) { return toRoots, nil }, ofScores)
		return G.Nodes{ofScores, ofRoots}
	}
	return g.add(op, scores, roots)
}

// equalizePaths pools the projected kernel values of the paths from every root by [equalize].
func equalizePaths(
	e engine.Engine, out []*tensor.Dense, scores Table, projection []float64, p *engine.PathPooling, ridge float64,
) error {
	w, err := newPathKernels(scores, projection, p)
	if err != nil {
		return err
	}
	for i := range p.Lengths() {
		err := equalizeEach(e, out[i], ridge, func(r int) ([]float64, float64) {
			_, kappa := w.at(i, r)
			return w.project(i, kappa), w.norm(i, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pathKernels are the kernel values of the paths of a layer in one channel, in host memory.
type pathKernels struct {
	pooling    *engine.PathPooling
	lengths    []int
	q          int
	scores     []float64
	norms      []float64 // nil: ones
	projection []float64 // J x q x q
	of         block
}

func newPathKernels(scores Table, projection []float64, p *engine.PathPooling) (*pathKernels, error) {
	w := &pathKernels{pooling: p, lengths: p.Lengths(), q: scores.Rows.Shape()[1] / p.Size, projection: projection,
		of: block{index: p.Index}}
	var err error
	if w.scores, err = engine.Float64s(scores.Rows); err == nil && scores.Norms != nil {
		w.norms, err = engine.Float64s(scores.Norms)
	}
	return w, err
}

// root returns the vertex of a row of a length.
func (w *pathKernels) root(length, r int) int32 {
	if w.pooling.Roots != nil {
		return w.pooling.Roots[length][r]
	}
	return int32(r)
}

// norm returns the norm of the root of a row.
func (w *pathKernels) norm(length, r int) float64 {
	if w.norms == nil {
		return 1
	}
	return w.norms[w.of.row(w.root(length, r))]
}

// at returns the rows along the paths of a length from a root, and the kernel values, q for each path.
func (w *pathKernels) at(length, r int) (along [][]int32, kappa []float64) {
	size := w.lengths[length]
	scale, shift := w.pooling.Kernel.Scale(size)
	along = rowsAlong(w.pooling, w.root(length, r), size)
	for _, rows := range along {
		for f := range w.q {
			sum := 0.0
			for j, row := range rows {
				sum += w.scores[(int(row)*w.pooling.Size+j)*w.q+f]
			}
			kappa = append(kappa, math.Exp(scale*sum+shift))
		}
	}
	return along, kappa
}

// matrix returns the projection of a length.
func (w *pathKernels) matrix(length int) *mat.Dense {
	return mat.NewDense(w.q, w.q, w.projection[length*w.q*w.q:(length+1)*w.q*w.q])
}

// project returns kernel values times the projection of a length.
func (w *pathKernels) project(length int, kappa []float64) []float64 {
	if len(kappa) == 0 {
		return nil
	}
	var phi mat.Dense
	phi.Mul(mat.NewDense(len(kappa)/w.q, w.q, kappa), w.matrix(length))
	return phi.RawMatrix().Data
}

// pathGrads are gradients through equalizePaths: of the scores and norms of a channel, and of the inverse square roots
// over all channels.
type pathGrads struct{ scores, norms, roots []float64 }

// rootChunk is the number of roots whose gradients are computed at a time, before they are added up in their order.
const rootChunk = 64

// back computes the gradients of a channel, from that of what equalizePaths computed, and adds those of the roots.
func (d *pathGrads) back(
	e engine.Engine, grads []*tensor.Dense, scores Table, projection []float64, p *engine.PathPooling, ridge float64,
) error {
	w, err := newPathKernels(scores, projection, p)
	if err != nil {
		return err
	}
	d.scores, d.norms = make([]float64, len(w.scores)), make([]float64, len(w.norms))
	for i := range w.lengths {
		grad, err := engine.Float64s(grads[i])
		if err != nil {
			return err
		}
		for first := 0; first < len(grad)/w.q; first += rootChunk {
			parts := make([]rootGrad, min(rootChunk, len(grad)/w.q-first))
			parallel.For(e.Workers(), len(parts), func(k int) {
				parts[k].compute(w, i, first+k, ridge, grad[(first+k)*w.q:(first+k+1)*w.q])
			})
			for k := range parts {
				if parts[k].err != nil {
					return parts[k].err
				}
				d.add(w, i, first+k, &parts[k])
			}
		}
	}
	return nil
}

// rootGrad are the gradients of one root: of the kernel values of its paths, of their exponents, of its norm and of the
// projection.
type rootGrad struct {
	along    [][]int32
	exponent []float64
	norm     float64
	matrix   *mat.Dense // nil: zeros
	err      error
}

// compute computes the gradients of a root from that of its row.
func (d *rootGrad) compute(w *pathKernels, length, r int, ridge float64, grad []float64) {
	var kappa []float64
	if d.along, kappa = w.at(length, r); len(kappa) == 0 {
		return
	}
	m, phi, n := len(d.along), w.project(length, kappa), w.norm(length, r)
	x, err := equalize(phi, m, w.q, ridge)
	if err != nil {
		d.err = err
		return
	}
	d.norm = simd.Dot(grad, x)
	y := slices.Clone(grad)
	simd.Scale(n, y)
	phiGrad, err := equalizeGradient(phi, m, w.q, ridge, y)
	if err != nil {
		d.err = err
		return
	}
	of, values, toKappa := mat.NewDense(m, w.q, phiGrad), mat.NewDense(m, w.q, kappa), mat.Dense{}
	d.matrix = &mat.Dense{}
	d.matrix.Mul(values.T(), of)
	toKappa.Mul(of, w.matrix(length).T())
	d.exponent = toKappa.RawMatrix().Data
	simd.Mul(d.exponent, d.exponent, kappa)
}

// add adds the gradients of a root.
func (d *pathGrads) add(w *pathKernels, length, r int, of *rootGrad) {
	if of.matrix == nil {
		return
	}
	q, size := w.q, w.pooling.Size
	simd.Axpy(1, of.matrix.RawMatrix().Data, d.roots[length*q*q:(length+1)*q*q])
	if w.norms != nil {
		d.norms[w.of.row(w.root(length, r))] += of.norm
	}
	scale, _ := w.pooling.Kernel.Scale(w.lengths[length])
	for k, rows := range of.along {
		for j, row := range rows {
			at := (int(row)*size + j) * q
			simd.Axpy(scale, of.exponent[k*q:(k+1)*q], d.scores[at:at+q])
		}
	}
}

// write writes the gradients of a channel to the table of the engine.
func (d *pathGrads) write(e engine.Engine, to Table) error {
	rows := tensor.New(tensor.WithShape(to.Rows.Shape()...), tensor.WithBacking(d.scores))
	err := e.Convert(to.Rows, rows)
	if to.Norms != nil {
		err = errors.Join(err, e.Convert(to.Norms, tensor.New(tensor.WithShape(len(d.norms)), tensor.WithBacking(d.norms))))
	}
	return err
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
