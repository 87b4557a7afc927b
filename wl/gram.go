package wl

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parallel"
)

// pairs compares some graphs with the fitted ones.
func (m *Model) pairs(left []*histograms) *pairs {
	return &pairs{kernel: m.opt.Kernel, left: left, right: m.index(), weights: m.weights}
}

// pairs compares the graphs of left with those of an inverted index, round by round.
type pairs struct {
	kernel  Kernel
	left    []*histograms
	right   []*index
	weights [][]float64 // of every colour of every round, for Assignment; nil: ones
}

// add adds the rounds from to to-1 of row i to sums, for the graphs from first on, in the order of the colours:
//
//	sums_j += sum_t sum_c a_ic b_jc               (Subtree)
//	sums_j += sum_t sum_c w_tc min(a_ic, b_jc)    (Assignment)
//
// Postings are read from the last to the first, which ends the loop where row i itself is met.
func (p *pairs) add(sums []float64, i int, first int32, from, to int) {
	for t := from; t < to; t++ {
		h, x := p.left[t], p.right[t]
		for e := h.rowPtr[i]; e < h.rowPtr[i+1]; e++ {
			c, count := h.colour[e], h.count[e]
			of := x.of(c)
			switch {
			case p.kernel == Subtree:
				a := float64(count)
				for k := len(of) - 1; k >= 0 && of[k].graph >= first; k-- {
					sums[of[k].graph] += a * float64(of[k].count)
				}
			case p.weights == nil:
				for k := len(of) - 1; k >= 0 && of[k].graph >= first; k-- {
					sums[of[k].graph] += float64(min(count, of[k].count))
				}
			case p.weights[t][c] != 0:
				w := p.weights[t][c]
				for k := len(of) - 1; k >= 0 && of[k].graph >= first; k-- {
					sums[of[k].graph] += w * float64(min(count, of[k].count))
				}
			}
		}
	}
}

// rowBlock is the number of rows between two looks at the context, rowChunk that of a piece of parallel work.
const (
	rowBlock = 512
	rowChunk = 16
)

// rows calls each for the rows 0 to n-1 and reports progress between blocks.
func rows(ctx context.Context, workers, n int, progress model.Progress, each func(i int)) error {
	for from := 0; from < n; from += rowBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.Report("kernel matrix", from, n)
		block := min(rowBlock, n-from)
		parallel.Chunks(workers, block, rowChunk, func(lo, hi int) {
			for i := from + lo; i < from+hi; i++ {
				each(i)
			}
		})
	}
	progress.Report("kernel matrix", n, n)
	return ctx.Err()
}

// addUpper adds the rounds from to to-1 to the upper triangle of an n x n matrix, right being the index of left.
func (p *pairs) addUpper(ctx context.Context, out []float64, from, to, workers int, progress model.Progress) error {
	n := p.left[0].graphs()
	return rows(ctx, workers, n, progress, func(i int) {
		p.add(out[i*n:(i+1)*n], i, int32(i), from, to)
	})
}

// addAll adds all rounds to the matrix of the graphs of left x columns.
func (p *pairs) addAll(ctx context.Context, out []float64, columns, workers int, progress model.Progress) error {
	return rows(ctx, workers, p.left[0].graphs(), progress, func(i int) {
		p.add(out[i*columns:(i+1)*columns], i, 0, 0, len(p.left))
	})
}

// finish makes an n x n kernel matrix of the upper triangle of raw, which may be out itself: it is normalised by
// the self-values, unless those are nil, and mirrored.
func finish(out, raw, self []float64, n, workers int) {
	parallel.Chunks(workers, n, rowChunk, func(from, to int) {
		for i := from; i < to; i++ {
			dst, src := out[i*n+i:(i+1)*n], raw[i*n+i:(i+1)*n]
			if self == nil {
				copy(dst, src)
			} else {
				normalise(dst, src, self[i], self[i:])
			}
		}
	})
	engine.MirrorUpper(workers, n, out)
}

// normalise computes dst_j = src_j / sqrt(self selves_j), and 0 for 0. The bits do not depend on which of two graphs
// comes first, and a graph has exactly 1 with itself: the root of a square is exact.
func normalise(dst, src []float64, self float64, selves []float64) {
	for j, v := range src {
		if v != 0 {
			v /= math.Sqrt(self * selves[j])
		}
		dst[j] = v
	}
}
