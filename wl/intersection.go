package wl

import (
	"context"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// throughEngine reports whether the engine compares the graphs, all by one operation: a wide one does for [Assignment].
// The products of [Subtree] stay on the host.
func (m *Model) throughEngine() bool {
	return m.engine.Capabilities().Wide && m.opt.Kernel == Assignment
}

// intersect computes out_ij = sum_c min(a_ic, b_jc) on the engine; a and b may be the same.
func (m *Model) intersect(ctx context.Context, out *tensor.Dense, a, b *engine.Sparse) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k := m.engine.Scratch(tensor.Float64, out.Shape()...)
	defer m.engine.Release(k)
	if err := m.engine.HistogramIntersection(k, a, b); err != nil {
		return err
	}
	return m.engine.Convert(out, k)
}

// sparse returns the counts of all rounds side by side, each times the weight of its colour, which is not
// negative: w min(a, b) = min(w a, w b). Colours of weight 0 are left out.
func (m *Model) sparse(rounds []*histograms) *engine.Sparse {
	s := &engine.Sparse{RowPtr: []int32{0}, Col: []int32{}, Values: []float64{}}
	for g := range rounds[0].graphs() {
		s.Cols = 0
		for t, h := range rounds {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				w := 1.0
				if m.weights != nil {
					w = m.weights[t][h.colour[e]]
				}
				if w > 0 {
					s.Col = append(s.Col, int32(s.Cols)+h.colour[e])
					s.Values = append(s.Values, w*float64(h.count[e]))
				}
			}
			s.Cols += h.columns
		}
		s.RowPtr = append(s.RowPtr, int32(len(s.Col)))
	}
	return s
}
