package engine

import (
	"fmt"

	"gorgonia.org/tensor"
)

// MaskedPaths pools over the paths of a batch with a weight for each of them (GCKN, section 4, Eq. 19):
//
//	out_j[u] = norm(u) * pool over paths p of j vertices from u of M_j[p] exp(scale_j sum_{i<=j} s_i(p_i) + shift_j)
//
// All but the masks M is as in [PathPooling]. A mean is divided by the number of paths whatever their weights; a
// maximum is that of the weighted kernel values. The entries of M_j follow the paths of j vertices from each root of
// that length in the order of [graph.Batch.Visit], root after root. Norms must not be negative.
//
// A path is laid out as a vertex of its own, so that the operations of any [Engine] do the work: with the
// mean score of its vertices in place of a score, and M_j[p] norm(u) in place of a norm, whose gradient is that of
// the mask. It takes memory for q numbers a path, and is meant for a graph at a time.
type MaskedPaths struct {
	pooling   PathPooling
	paths     [][]int32  // of each length: the vertices of its paths
	positions Segments   // of the paths of all lengths: their places in the table of scores
	roots     []Segments // of each length: the paths of every root
	rootRow   []int32    // of the paths of all lengths: the row of their first vertex
}

// NewMaskedPaths lists the paths that p pools over. p.Graph must be given, and stay as it is.
func NewMaskedPaths(p *PathPooling) (*MaskedPaths, error) {
	switch {
	case p.Graph == nil:
		return nil, fmt.Errorf("masked paths: no graph")
	case p.Size < 1:
		return nil, fmt.Errorf("masked paths: path size %d, want at least 1", p.Size)
	case p.Index != nil && len(p.Index) != p.Graph.NumVertices():
		return nil, fmt.Errorf("masked paths: index of %d vertices, want %d", len(p.Index), p.Graph.NumVertices())
	}
	m := &MaskedPaths{pooling: *p, positions: Segments{Offsets: []int32{0}}}
	for i, j := range p.Lengths() {
		var paths []int32
		roots := Segments{Offsets: []int32{0}}
		from := func(u int32) {
			p.Graph.Visit(p.Route, u, j, func(path []int32) {
				if len(path) == j {
					paths = append(paths, path...)
				}
			})
			roots.Offsets = append(roots.Offsets, int32(len(paths)/j))
		}
		if p.Roots != nil && p.Roots[i] != nil {
			for _, u := range p.Roots[i] {
				from(u)
			}
		} else {
			for u := range p.Graph.NumVertices() {
				from(int32(u))
			}
		}
		for k, v := range paths {
			row := v
			if p.Index != nil {
				row = p.Index[v]
			}
			if k%j == 0 {
				m.rootRow = append(m.rootRow, row)
			}
			m.positions.Index = append(m.positions.Index, row*int32(p.Size)+int32(k%j))
			if k%j == j-1 {
				m.positions.Offsets = append(m.positions.Offsets, int32(len(m.positions.Index)))
			}
		}
		m.paths, m.roots = append(m.paths, paths), append(m.roots, roots)
	}
	if m.positions.Index == nil {
		m.positions.Index = []int32{}
	}
	return m, nil
}

// Paths returns the paths of length i of [PathPooling.Lengths]: the vertices of one after those of another.
func (m *MaskedPaths) Paths(i int) []int32 { return m.paths[i] }

// Len returns the number of paths of length i of [PathPooling.Lengths], which is that of the weights in its mask.
func (m *MaskedPaths) Len(i int) int { return len(m.paths[i]) / m.pooling.Lengths()[i] }

// Pool computes out, a matrix for each length as [Engine].PathPool does, from scores and norms in the shapes that it
// takes. mask has a slice for each length; nil stands for ones.
func (m *MaskedPaths) Pool(e Engine, out []*tensor.Dense, scores, norms *tensor.Dense, mask [][]float64) error {
	w, err := m.lay(e, out, scores, norms, mask)
	if err != nil {
		return err
	}
	defer w.release()
	return w.each(func(i int, single *PathPooling, means, weights, kappa *tensor.Dense) error {
		if err := e.PathPool([]*tensor.Dense{kappa}, means, weights, single); err != nil {
			return err
		}
		return e.SegmentReduce(out[i], kappa, m.roots[i], m.pooling.Pool)
	})
}

// PoolGrad is the gradient of a scalar through Pool. From outGrad, its gradient with respect to the outputs, it computes
// those with respect to scores and norms, which have their shapes, and adds that with respect to the masks to
// maskGrad, which the channels of a layer share. Of scoreGrad, normGrad and maskGrad any may be nil.
func (m *MaskedPaths) PoolGrad(e Engine, scoreGrad, normGrad *tensor.Dense, maskGrad [][]float64, outGrad []*tensor.Dense,
	scores, norms *tensor.Dense, mask [][]float64) error {
	w, err := m.lay(e, outGrad, scores, norms, mask)
	if err != nil {
		return err
	}
	defer w.release()
	if maskGrad != nil {
		if err := m.check(maskGrad); err != nil {
			return err
		}
	}
	count, q, dtype := len(m.rootRow), w.q, scores.Dtype()
	meanGrad, weightGrad, kappaGrad := Scratch(e, dtype, count, q), Scratch(e, dtype, count), Scratch(e, dtype, count, q)
	defer Release(e, meanGrad, weightGrad, kappaGrad)
	err = w.each(func(i int, single *PathPooling, means, weights, kappa *tensor.Dense) error {
		if m.pooling.Pool == Max {
			if err := e.PathPool([]*tensor.Dense{kappa}, means, weights, single); err != nil {
				return err
			}
		}
		grad := w.part(kappaGrad, i, q)
		if err := e.SegmentReduceGrad(grad, outGrad[i], kappa, m.roots[i], m.pooling.Pool); err != nil {
			return err
		}
		return e.PathPoolGrad(w.part(meanGrad, i, q), w.numbers(weightGrad, i), []*tensor.Dense{grad}, means, weights, single)
	})
	if err != nil {
		return err
	}
	if scoreGrad != nil {
		rows := scores.Shape()[0] * m.pooling.Size
		if err := e.SegmentReduceGrad(View(scoreGrad, 0, rows, q), meanGrad, View(scores, 0, rows, q), m.positions, Mean); err != nil {
			return err
		}
	}
	if normGrad != nil {
		rows := scores.Shape()[0]
		back := m.byRoot(rows, flattened(mask))
		if err := e.SparseMatMul(View(normGrad, 0, rows, 1), back, View(weightGrad, 0, count, 1)); err != nil {
			return err
		}
	}
	if maskGrad != nil {
		return m.addMaskGrad(maskGrad, weightGrad, norms)
	}
	return nil
}

// addMaskGrad adds the gradient of the weights M_j[p] norm(u) times the norms.
func (m *MaskedPaths) addMaskGrad(maskGrad [][]float64, weightGrad, norms *tensor.Dense) error {
	grad, err := ToHost(weightGrad)
	if err != nil {
		return err
	}
	slope, norm := values(grad), []float64(nil)
	if norms != nil {
		host, err := ToHost(norms)
		if err != nil {
			return err
		}
		norm = values(host)
	}
	k := 0
	for _, of := range maskGrad {
		for p := range of {
			if norm != nil {
				slope[k] *= norm[m.rootRow[k]]
			}
			of[p] += slope[k]
			k++
		}
	}
	return nil
}
