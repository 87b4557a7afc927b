package autodiff

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// wholePaths are the paths of a layer whose kernel has the norms of whole paths ([Layer].PathNorms), as vectors.
type wholePaths struct {
	blocks []pathVectors // of each channel that leaves
}

// pathVectors are the paths of one length in one channel.
type pathVectors struct {
	size, paths      int            // vertices of a path, number of paths
	gather, scatter  *engine.Sparse // (paths size) x rows and its transpose: the row of every vertex over the root of size
	count, countBack *engine.Sparse // roots x paths and its transpose; nil for maxima
	maxima           engine.Segments
}

// newWholePaths lays out the listed paths of a layer for the channels that enter it, with back also for gradients.
func newWholePaths(layer *Layer, in []block, list *pathList, back bool) *wholePaths {
	w, rows := &wholePaths{}, rowsOf(in)
	for _, c := range in {
		for i, size := range list.lengths {
			vertices, first := list.paths[i], list.first[i]
			v := pathVectors{size: size, paths: len(vertices) / size}
			v.gather = &engine.Sparse{Cols: rows, RowPtr: ascending(len(vertices)), Col: make([]int32, len(vertices)),
				Values: slices.Repeat([]float64{1 / math.Sqrt(float64(size))}, len(vertices))}
			for k, vertex := range vertices {
				v.gather.Col[k] = int32(c.first + c.row(vertex))
			}
			if back {
				v.scatter = v.gather.Transpose()
			}
			of, offsets := ascending(v.paths)[:v.paths], make([]int32, len(first))
			for r, p := range first {
				offsets[r] = int32(p)
			}
			if v.maxima = (engine.Segments{Offsets: offsets, Index: of}); layer.Pool != engine.Max {
				v.count = &engine.Sparse{Cols: v.paths, RowPtr: offsets, Col: of, Values: make([]float64, v.paths)}
				for r := range len(first) - 1 {
					for p := first[r]; p < first[r+1]; p++ {
						if v.count.Values[p] = 1; layer.Pool == engine.Mean {
							v.count.Values[p] /= float64(first[r+1] - first[r])
						}
					}
				}
				if back {
					v.countBack = v.count.Transpose()
				}
			}
			w.blocks = append(w.blocks, v)
		}
	}
	return w
}

// layWhole lays out a layer of whole paths for the channels that enter it. need are the vertices whose rows must leave
// it, nil for all.
func (s *stage) layWhole(layer *Layer, need []int32, back bool) {
	list := listPaths(layer, s.graph, need)
	s.whole = newWholePaths(layer, s.in, list, back)
	next := block{rows: s.graph.NumVertices()}
	if need != nil {
		next.rows, next.index = len(need), places(need, s.graph.NumVertices())
	}
	for range s.whole.blocks {
		next.first = rowsOf(s.out)
		s.out = append(s.out, next)
	}
}

// single returns the kernel of the paths of so many vertices as one of their vectors.
func (l *Layer) single(size int) engine.Kernel {
	if l.Kernel.SumExponent {
		return engine.Kernel{Alpha: l.Kernel.Alpha * float64(size)}
	}
	return engine.Kernel{Alpha: l.Kernel.Alpha}
}

// prefixes are the anchors of a layer as vectors, one matrix for each length: the first positions of all anchors,
// divided by their norms.
type prefixes struct {
	lengths []int
	shape   tensor.Shape // of the anchors, p x q x d
	take    []*engine.Sparse
	back    []*engine.Sparse
	unit    []*tensor.Dense // q x (length d)
	norms   []*tensor.Dense // q
}

// newPrefixes says how prefixes are taken.
func newPrefixes(lengths []int, shape tensor.Shape) *prefixes {
	p := &prefixes{lengths: lengths, shape: shape}
	for _, size := range lengths {
		take := &engine.Sparse{Cols: shape[0] * shape[1], RowPtr: ascending(size * shape[1])}
		for f := range shape[1] {
			for j := range size {
				take.Col = append(take.Col, int32(j*shape[1]+f))
			}
		}
		p.take, p.back = append(p.take, take), append(p.back, take.Transpose())
	}
	p.unit, p.norms = make([]*tensor.Dense, len(lengths)), make([]*tensor.Dense, len(lengths))
	return p
}

// elements returns the number of numbers before the vectors of a length.
func (p *prefixes) elements(length int) int {
	n := 0
	for _, size := range p.lengths[:length] {
		n += size * p.shape[1] * p.shape[2]
	}
	return n
}

// compute takes the prefixes of anchors z.
func (p *prefixes) compute(e engine.Engine, dtype tensor.Dtype, units, norms *memory, z *tensor.Dense) error {
	q, d := p.shape[1], p.shape[2]
	all, lengths := units.tensor(e, dtype, p.elements(len(p.lengths))), norms.tensor(e, dtype, len(p.lengths)*q)
	flat := units.view(z, 0, p.shape[0]*q, d)
	for i, size := range p.lengths {
		rows := units.view(all, p.elements(i), q*size, d)
		if err := e.SparseMatMul(rows, p.take[i], flat); err != nil {
			return err
		}
		p.unit[i], p.norms[i] = units.view(all, p.elements(i), q, size*d), norms.view(lengths, i*q, q)
		if err := e.NormalizeRows(p.unit[i], p.norms[i], p.unit[i], NormEps); err != nil {
			return err
		}
	}
	return nil
}

// gradient computes the gradient of the anchors, zGrad (p x q x d), from those of the prefixes, which lie in memory as
// the prefixes do and are overwritten; without first it adds it to what is there.
func (p *prefixes) gradient(e engine.Engine, m *memory, zGrad, unitGrads *tensor.Dense, first bool) error {
	q, d := p.shape[1], p.shape[2]
	flat := m.view(zGrad, 0, p.shape[0]*q, d)
	for i, size := range p.lengths {
		grad := m.view(unitGrads, p.elements(i), q, size*d)
		if err := e.NormalizeRowsGrad(grad, grad, nil, p.unit[i], p.norms[i], NormEps); err != nil {
			return err
		}
		add := e.SparseMatMulAdd
		if i == 0 && first {
			add = e.SparseMatMul
		}
		if err := add(flat, p.back[i], m.view(unitGrads, p.elements(i), q*size, d)); err != nil {
			return err
		}
	}
	return nil
}

// later returns 1 where something was computed before, that more is added to.
func later(before bool) float64 {
	if before {
		return 1
	}
	return 0
}

// WholePathPool adds the pooled kernel values of layer number l of the batch, see [Layer].PathNorms, from the rows x of
// the vertices as they are and the anchors z (p x q x d). The result is laid out as that of [Graph.PathPool]. fixed
// says that the rows have no gradient.
func (g *Graph) WholePathPool(l int, layer Layer, x, z *G.Node, fixed bool) *G.Node {
	d, shape := g.dims("WholePathPool", x, 2)[1], g.dims("WholePathPool", z, 3)
	if !g.want(d == shape[2], "WholePathPool: anchors of dimension %d, rows of %d", shape[2], d) {
		return nil
	}
	pooling := layer.pooling()
	op := &operation{name: "pooling of whole paths", shape: tensor.Shape{varying, shape[1]}, wrt: []bool{!fixed, true}}
	p := &wholePooling{graph: g, layer: layer, anchors: newPrefixes(pooling.Lengths(), shape), q: shape[1], d: d}
	result := op.newMemory()
	for _, m := range []**memory{&p.prefix, &p.prefixNorms, &p.unit, &p.norms, &p.cosines, &p.kernels, &p.grads,
		&p.cosineGrads, &p.normGrads, &p.unitGrads, &p.prefixGrads} {
		*m = op.newMemory()
	}
	op.compute = func(in []G.Value) (G.Value, error) {
		stage := &g.batch.stages[l]
		out := result.tensor(g.engine, g.dtype, rowsOf(stage.out), p.q)
		if err := p.anchors.compute(g.engine, g.dtype, p.prefix, p.prefixNorms, dense(in[1])); err != nil {
			return nil, err
		}
		return out, p.pool(stage, viewsOf(result, out, stage.out), dense(in[0]))
	}
	op.gradient = func(in G.Nodes, out, grad *G.Node) G.Nodes {
		shapes := []tensor.Shape{{varying, d}, shape}
		if fixed {
			shapes[0] = nil
		}
		return g.parts("gradient of "+op.name, shapes, func(to []*tensor.Dense, in []G.Value) error {
			return p.back(&g.batch.stages[l], to[0], to[1], dense(in[2]))
		}, in[0], out, grad)
	}
	return g.add(op, x, z)
}

// wholePooling is the pooling of one layer over whole paths, with what its last run left for the way back: the unit
// vectors of the paths, their norms, and the products with the anchors.
type wholePooling struct {
	graph                                     *Graph
	layer                                     Layer
	anchors                                   *prefixes
	q, d                                      int
	prefix, prefixNorms, prefixGrads          *memory
	unit, norms, cosines, kernels             *memory
	grads, cosineGrads, normGrads, unitGrads  *memory
	allUnit, allNorms, allCosines, allKernels *tensor.Dense
}

// sizes returns how many numbers the vectors of all paths have, and how many paths there are. Without a way back one
// block is in memory at a time.
func (p *wholePooling) sizes(w *wholePaths) (vectors, paths int) {
	for _, v := range w.blocks {
		if p.graph.apart {
			vectors, paths = max(vectors, v.paths*v.size*p.d), max(paths, v.paths)
			continue
		}
		vectors, paths = vectors+v.paths*v.size*p.d, paths+v.paths
	}
	return vectors, paths
}

// each calls body for every block, with its length and where its vectors and its paths begin.
func (p *wholePooling) each(w *wholePaths, body func(b, length, vector, path int) error) error {
	vector, path := 0, 0
	for b := range w.blocks {
		if err := body(b, b%len(p.anchors.lengths), vector, path); err != nil {
			return err
		}
		if !p.graph.apart {
			vector, path = vector+w.blocks[b].paths*w.blocks[b].size*p.d, path+w.blocks[b].paths
		}
	}
	return nil
}

// of returns the pooling of one block, whose paths are vectors of their own.
func (p *wholePooling) of(v *pathVectors) *engine.PathPooling {
	return &engine.PathPooling{Size: 1, Kernel: p.layer.single(v.size)}
}

// pool computes the channels that leave from the rows of the vertices.
func (p *wholePooling) pool(s *stage, out []*tensor.Dense, x *tensor.Dense) error {
	e, dtype := p.graph.engine, p.graph.dtype
	vectors, paths := p.sizes(s.whole)
	p.allUnit, p.allNorms = p.unit.tensor(e, dtype, vectors), p.norms.tensor(e, dtype, paths)
	p.allCosines, p.allKernels = p.cosines.tensor(e, dtype, paths, p.q), p.kernels.tensor(e, dtype, paths, p.q)
	return p.each(s.whole, func(b, length, vector, path int) error {
		v := &s.whole.blocks[b]
		if err := e.SparseMatMul(p.unit.view(p.allUnit, vector, v.paths*v.size, p.d), v.gather, x); err != nil {
			return err
		}
		unit, norms, cosines, kernels := p.views(v, vector, path)
		if err := e.NormalizeRows(unit, norms, unit, NormEps); err != nil {
			return err
		}
		err := p.graph.multiply(cosines, unit, p.anchors.unit[length],
			engine.Gemm{TransB: true, Alpha: 1, Apart: p.graph.apart})
		if err != nil {
			return err
		}
		if err := e.PathPool([]*tensor.Dense{kernels}, cosines, norms, p.of(v)); err != nil {
			return err
		}
		if p.layer.Pool == engine.Max {
			return e.SegmentReduce(out[b], kernels, v.maxima, engine.Max)
		}
		return e.SparseMatMul(out[b], v.count, kernels)
	})
}

// views returns what belongs to a block.
func (p *wholePooling) views(v *pathVectors, vector, path int) (unit, norms, cosines, kernels *tensor.Dense) {
	return p.unit.view(p.allUnit, vector, v.paths, v.size*p.d), p.norms.view(p.allNorms, path, v.paths),
		p.cosines.view(p.allCosines, path*p.q, v.paths, p.q), p.kernels.view(p.allKernels, path*p.q, v.paths, p.q)
}

// back computes the gradients of rows, unless that is nil, and anchors from that of what pool computed.
func (p *wholePooling) back(s *stage, xGrad, zGrad, grad *tensor.Dense) error {
	g, e := p.graph, p.graph.engine
	most, paths := 0, 0
	for _, v := range s.whole.blocks {
		most, paths = max(most, v.paths*v.size*p.d), max(paths, v.paths)
	}
	prefixGrads := p.prefixGrads.tensor(e, g.dtype, p.anchors.elements(len(p.anchors.lengths)))
	kernelGrads, cosineGrads := p.grads.tensor(e, g.dtype, paths, p.q), p.cosineGrads.tensor(e, g.dtype, paths, p.q)
	normGrads, unitGrads := p.normGrads.tensor(e, g.dtype, paths), p.unitGrads.tensor(e, g.dtype, most)
	outs := viewsOf(p.grads, grad, s.out)
	err := p.each(s.whole, func(b, length, vector, path int) error {
		v := &s.whole.blocks[b]
		unit, norms, cosines, kernels := p.views(v, vector, path)
		kGrad, sGrad := p.grads.view(kernelGrads, 0, v.paths, p.q), p.cosineGrads.view(cosineGrads, 0, v.paths, p.q)
		nGrad := p.normGrads.view(normGrads, 0, v.paths)
		var err error
		if p.layer.Pool == engine.Max {
			err = e.SegmentReduceGrad(kGrad, outs[b], kernels, v.maxima, engine.Max)
		} else {
			err = e.SparseMatMul(kGrad, v.countBack, outs[b])
		}
		if err == nil {
			err = e.PathPoolGrad(sGrad, nGrad, []*tensor.Dense{kGrad}, cosines, norms, p.of(v))
		}
		if err == nil {
			to := p.prefixGrads.view(prefixGrads, p.anchors.elements(length), p.q, v.size*p.d)
			err = g.multiply(to, sGrad, unit, engine.Gemm{TransA: true, Alpha: 1, Beta: later(b >= len(p.anchors.lengths))})
		}
		if err != nil || xGrad == nil {
			return err
		}
		vGrad := p.unitGrads.view(unitGrads, 0, v.paths, v.size*p.d)
		if err := g.multiply(vGrad, sGrad, p.anchors.unit[length], engine.Gemm{Alpha: 1}); err != nil {
			return err
		}
		if err := e.NormalizeRowsGrad(vGrad, vGrad, nGrad, unit, norms, NormEps); err != nil {
			return err
		}
		positions, add := p.unitGrads.view(unitGrads, 0, v.paths*v.size, p.d), e.SparseMatMulAdd
		if b == 0 {
			add = e.SparseMatMul
		}
		return add(xGrad, v.scatter, positions)
	})
	if err != nil {
		return err
	}
	return p.anchors.gradient(e, p.prefixGrads, zGrad, prefixGrads, true)
}
