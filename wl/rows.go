package wl

import (
	"context"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// rows returns the fitted graphs as rows whose products are the kernel after some rounds: the counts of the colours,
// or for [Assignment] w min(m, n) = sum_i w [m >= i] [n >= i], an entry sqrt(w) for each number up to the count, where
// w is the weight of the colour. What no other graph has is left out, but for its length.
func (m *Model) rows(rounds int) *svm.Sparse {
	train := m.train[:rounds+1]
	n := m.NumGraphs()
	x := &svm.Sparse{RowPtr: make([]int, n+1), Alone: make([]float64, n)}
	first := make([][]int32, len(train)) // column of each colour
	shared := make([][]int32, len(train))
	for t, h := range train {
		shared[t] = m.shared(h)
		first[t] = make([]int32, h.columns)
		for c, width := range shared[t] {
			first[t][c] = int32(x.Columns)
			if m.weight(t, int32(c)) > 0 {
				x.Columns += int(width)
			}
		}
	}
	each := func(g int, visit func(column, width, count int32, weight float64)) {
		for t, h := range train {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				c := h.colour[e]
				if w := m.weight(t, c); w > 0 {
					visit(first[t][c], shared[t][c], h.count[e], w)
				}
			}
		}
	}
	for g := range n {
		x.RowPtr[g+1] = x.RowPtr[g]
		each(g, func(_, width, count int32, weight float64) {
			if m.opt.Kernel == Subtree {
				if x.RowPtr[g+1] += int(width); width == 0 {
					x.Alone[g] += float64(count) * float64(count)
				}
				return
			}
			x.RowPtr[g+1] += int(min(width, count))
			x.Alone[g] += weight * float64(max(count-width, 0))
		})
	}
	x.Column = make([]int32, x.RowPtr[n])
	if m.opt.Kernel == Subtree || m.weights != nil {
		x.Value = make([]float32, x.RowPtr[n])
	}
	for g := range n {
		at := x.RowPtr[g]
		each(g, func(column, width, count int32, weight float64) {
			if m.opt.Kernel == Subtree && width > 0 {
				x.Column[at], x.Value[at] = column, float32(count)
				at++
				return
			}
			for i := range min(width, count) {
				x.Column[at] = column + i
				if x.Value != nil {
					x.Value[at] = float32(math.Sqrt(weight))
				}
				at++
			}
		})
	}
	if m.opt.Normalise {
		self := make([]float64, n)
		m.addSelf(self, train, 0, len(train))
		x.Scale = m.factors(self)
		for g, r := range x.Scale {
			x.Alone[g] *= r * r
		}
	}
	return x
}

// weight returns that of a colour of a round.
func (m *Model) weight(t int, colour int32) float64 {
	if m.weights == nil {
		return 1
	}
	return m.weights[t][colour]
}

// shared returns the number of columns of each colour that more than one graph has something in.
func (m *Model) shared(h *histograms) []int32 {
	most, second := make([]int32, h.columns), make([]int32, h.columns)
	for e, c := range h.colour {
		switch count := h.count[e]; {
		case count > most[c]:
			most[c], second[c] = count, most[c]
		case count > second[c]:
			second[c] = count
		}
	}
	if m.opt.Kernel == Subtree {
		for c, s := range second {
			second[c] = min(s, 1)
		}
	}
	return second
}

// Sums implements [machine.Expander]. Unlike [Model.Cross] a call takes time and memory for the colours of its graphs,
// however many are fitted.
func (m *Model) Sums(coefs [][]float64) machine.Sums {
	fitted := m.factors(m.self(m.train))
	added := make([]func(t int, colour, count int32) float64, len(coefs))
	for k, coef := range coefs {
		scaled := slices.Clone(coef)
		for g := range fitted {
			scaled[g] *= fitted[g]
		}
		added[k] = m.added(scaled)
	}
	return func(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
		colouring, err := m.refinement.apply(ctx, b, m.engine.Workers(), progress)
		if err != nil {
			return nil, err
		}
		all := colouring.histograms()
		out, err := matrix(b.NumGraphs(), len(coefs))
		if err != nil {
			return nil, err
		}
		values := out.Float64s()
		asked := m.factors(m.self(all))
		for k := range coefs {
			for t, h := range all {
				for g := range h.graphs() {
					for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
						if c := h.colour[e]; int(c) < m.train[t].columns {
							values[g*len(coefs)+k] += added[k](t, c, h.count[e])
						}
					}
				}
			}
			for g, r := range asked {
				values[g*len(coefs)+k] *= r
			}
		}
		return out, ctx.Err()
	}
}
