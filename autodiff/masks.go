package autodiff

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// EachPath calls visit for every path that has a mask, in the order of the masks: layer by layer (counted from 0),
// length by length, vertex by vertex.
func (b *Batch) EachPath(visit func(layer int, vertices []int32)) {
	for l, s := range b.stages {
		if s.masks == nil {
			continue
		}
		for i, j := range s.masks.lengths {
			for paths := s.masks.paths[i]; len(paths) > 0; paths = paths[j:] {
				visit(l, paths[:j:j])
			}
		}
	}
}

// Masks returns the number of paths that have a mask.
func (b *Batch) Masks() int {
	n := 0
	for _, s := range b.stages {
		if s.masks != nil {
			n += s.masks.count()
		}
	}
	return n
}

// StepMasked computes representation, logits and loss of a batch of masked [Features] with the kernel values of
// every path multiplied by its mask (GCKN, section 4), and the gradient of the loss with respect to the masks, which
// it writes to gradient. A mean still divides by the number of all paths, a maximum is that of the masked values. The
// network is one of Float64 in host memory.
func (n *KernelNetwork) StepMasked(b *Batch, masks, gradient []float64) error {
	p, err := n.program(masked)
	if err != nil {
		return err
	}
	for l := range b.stages {
		if m := b.stages[l].masks; m != nil {
			count := m.count()
			p.machine.Let(p.masks[l], tensor.New(tensor.WithShape(count, 1), tensor.WithBacking(masks[:count])))
			masks = masks[count:]
		}
	}
	if err := n.use(masked, b); err != nil {
		return err
	}
	for _, node := range n.last.gradients {
		gradient = gradient[copy(gradient, dense(n.last.machine.Value(node)).Float64s()):]
	}
	return nil
}

// MaskedPathPool is [Graph.PathPool] with the kernel values of every path multiplied by its mask, one mask in a row, in
// Float64 in host memory. fixed says that the scores have no gradient, and change with the batch alone.
func (g *Graph) MaskedPathPool(l int, layer Layer, scores, masks *G.Node, fixed bool) *G.Node {
	columns := g.dims("MaskedPathPool", scores, 2)[1]
	q := columns / layer.Size
	op := &operation{name: "masked path pooling", shape: tensor.Shape{varying, q}, wrt: []bool{!fixed, true}}
	result, kernels := op.newMemory(), op.newMemory()
	p := &maskedPooling{layer: layer, q: q}
	var of *Batch // that the kernel values belong to
	op.compute = func(in []G.Value) (G.Value, error) {
		p.stage, p.scores, p.masks = &g.batch.stages[l], in[0].(*Table), dense(in[1]).Float64s()
		if of != g.batch || !fixed {
			of = g.batch
			p.kernels = kernels.tensor(g.engine, g.dtype, p.stage.masks.count()*len(p.stage.in), q).Float64s()
			p.compare()
		}
		out := result.tensor(g.engine, g.dtype, rowsOf(p.stage.out), q)
		p.pool(out.Float64s())
		return out, nil
	}
	op.gradient = func(_ G.Nodes, out, grad *G.Node) G.Nodes {
		toMasks := func(m *memory, in []G.Value) (G.Value, error) {
			dst := m.tensor(g.engine, g.dtype, len(p.masks), 1)
			p.backToMasks(dst.Float64s(), dense(in[1]).Float64s())
			return dst, nil
		}
		one := tensor.Shape{varying, 1}
		// out: the kernel values of this run are known
		dm := g.derived("gradient of masked path pooling to masks", one, toMasks, out, grad)
		if fixed {
			return G.Nodes{nil, dm}
		}
		toScores := &operation{name: "gradient of masked path pooling to scores", shape: tensor.Shape{varying, columns}}
		rows, norms, table := toScores.newMemory(), toScores.newMemory(), &Table{}
		toScores.compute = func(in []G.Value) (G.Value, error) {
			n := p.scores.Rows.Shape()[0]
			table.Rows, table.Norms = rows.tensor(g.engine, g.dtype, n, columns), norms.tensor(g.engine, g.dtype, n)
			p.backToScores(table.Rows.Float64s(), table.Norms.Float64s(), dense(in[1]).Float64s())
			return table, nil
		}
		return G.Nodes{g.add(toScores, out, grad), dm}
	}
	return g.add(op, scores, masks)
}

// maskedPooling is the masked pooling of one layer, with what its last run left for the way back.
type maskedPooling struct {
	layer   Layer
	q       int
	stage   *stage
	scores  *Table
	masks   []float64
	kernels []float64 // of every channel, length and path: q values
	best    []int     // of every row of the result, for a maximum: the row of kernels that attains each value
}

// paths are those of one length from a vertex in one channel.
type paths struct {
	length     int // number of it
	root       int // row of the vertex in the table of scores
	out        int // row of the result
	kernel     int // row of the first path in the kernel values
	mask       int // number of its mask
	vertices   []int32
	in         block
	count      int
	divisor, n float64 // what the sum over the paths is divided by, and the norm of the vertex
}

// each calls body for the paths from every vertex, channel after channel and length after length.
func (p *maskedPooling) each(body func(of *paths)) {
	m, kernel, of := p.stage.masks, 0, paths{}
	for c, in := range p.stage.in {
		mask := 0
		for i, j := range m.lengths {
			out, end := p.stage.out[c*len(m.lengths)+i], 0
			for u := range len(m.first[i]) - 1 {
				var from int
				from, end = m.first[i][u], m.first[i][u+1]
				of = paths{length: i, root: in.first + in.row(int32(u)), out: out.first + u, kernel: kernel + from,
					mask: mask + from, vertices: m.paths[i][from*j : end*j], in: in, count: end - from, divisor: 1, n: 1}
				if p.layer.Pool == engine.Mean {
					of.divisor = float64(max(of.count, 1))
				}
				if p.scores.Norms != nil {
					of.n = p.scores.Norms.Float64s()[of.root]
				}
				body(&of)
			}
			kernel, mask = kernel+end, mask+end
		}
	}
}

// row returns row r of a matrix of a column for each filter.
func (p *maskedPooling) row(x []float64, r int) []float64 { return x[r*p.q : (r+1)*p.q] }

// positions calls body with the place of the scores of every vertex of path k.
func (p *maskedPooling) positions(of *paths, k int, body func(first int)) {
	j := p.stage.masks.lengths[of.length]
	for at, v := range of.vertices[k*j : (k+1)*j] {
		body(((of.in.first+of.in.row(v))*p.layer.Size + at) * p.q)
	}
}

// compare computes the kernel values of all paths.
func (p *maskedPooling) compare() {
	scores := p.scores.Rows.Float64s()
	clear(p.kernels)
	p.each(func(of *paths) {
		scale, shift := p.layer.Kernel.Scale(p.stage.masks.lengths[of.length])
		for k := range of.count {
			kappa := p.row(p.kernels, of.kernel+k)
			p.positions(of, k, func(first int) { simd.Axpy(1, scores[first:first+p.q], kappa) })
			simd.Exp(kappa, kappa, scale, shift)
		}
	})
}

// pool computes the rows of the result.
func (p *maskedPooling) pool(out []float64) {
	clear(out)
	p.best = append(p.best[:0], make([]int, len(out))...)
	p.each(func(of *paths) {
		row, best := p.row(out, of.out), p.best[of.out*p.q:(of.out+1)*p.q]
		for k := range of.count {
			kappa, mask := p.row(p.kernels, of.kernel+k), p.masks[of.mask+k]
			if p.layer.Pool != engine.Max {
				simd.Axpy(mask, kappa, row)
				continue
			}
			for f, v := range kappa {
				if k == 0 || mask*v > row[f] {
					row[f], best[f] = mask*v, of.kernel+k
				}
			}
		}
		simd.Scale(of.n/of.divisor, row)
	})
}

// back calls body for every path with the gradient with respect to its masked kernel values, but for the norm.
func (p *maskedPooling) back(grad []float64, body func(of *paths, k int, slope []float64)) {
	slope := make([]float64, p.q)
	p.each(func(of *paths) {
		copy(slope, p.row(grad, of.out))
		simd.Scale(1/of.divisor, slope)
		for k := range of.count {
			if p.layer.Pool == engine.Max {
				clear(slope)
				for f, path := range p.best[of.out*p.q : (of.out+1)*p.q] {
					if path == of.kernel+k {
						slope[f] = grad[of.out*p.q+f]
					}
				}
			}
			body(of, k, slope)
		}
	})
}

// backToMasks computes the gradient with respect to the masks.
func (p *maskedPooling) backToMasks(dst, grad []float64) {
	clear(dst)
	p.back(grad, func(of *paths, k int, slope []float64) {
		dst[of.mask+k] += of.n * simd.Dot(slope, p.row(p.kernels, of.kernel+k))
	})
}

// backToScores computes the gradients with respect to the scores and to the norms.
func (p *maskedPooling) backToScores(scores, norms, grad []float64) {
	clear(scores)
	clear(norms)
	through := make([]float64, p.q)
	p.back(grad, func(of *paths, k int, slope []float64) {
		mask := p.masks[of.mask+k]
		simd.Mul(through, slope, p.row(p.kernels, of.kernel+k))
		for _, v := range through {
			norms[of.root] += mask * v
		}
		scale, _ := p.layer.Kernel.Scale(p.stage.masks.lengths[of.length])
		p.positions(of, k, func(first int) { simd.Axpy(of.n*mask*scale, through, scores[first:first+p.q]) })
	})
}
