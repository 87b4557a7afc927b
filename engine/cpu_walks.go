package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// walks pools over walks by the recursion of the GCKN paper (Eq. 21). For walks of j vertices
//
//	c_i(u) = b_i(u) * sum over neighbours v of c_{i+1}(v),   c_j(u) = b_j(u),
//
// from i = j-1 down to 1, where b_i(u) = exp(scale_j s_i(u) + shift_j / j) and * is elementwise. The
// factors are positive, so the maximum over walks obeys the same recursion with max in place of the sum.
func (p *pathPool[T]) walks(workers int) {
	n, q := p.Graph.NumVertices(), p.q
	next, cur := make([]T, n*q), make([]T, n*q)
	var counts []float64
	if p.Pool == Mean {
		counts = p.Graph.WalkCounts(p.Size)
	}
	for j := 1; j <= p.Size; j++ {
		if p.out[j] == nil {
			continue
		}
		shift := p.shift[j] / T(j)
		for i := j; i >= 1; i-- {
			parallel.Chunks(workers, n, rowChunk, func(from, to int) {
				factor := make([]T, q)
				for u := from; u < to; u++ {
					dst := cur[u*q : (u+1)*q]
					simd.Exp(factor, p.score(int32(u), i), p.scale[j], shift)
					if i == j {
						copy(dst, factor)
						continue
					}
					poolNeighbors(dst, next, p.Graph, int32(u), p.Pool)
					simd.Mul(dst, dst, factor)
				}
			})
			next, cur = cur, next
		}
		rows := len(p.out[j]) / max(q, 1)
		parallel.Chunks(workers, rows, rowChunk, func(from, to int) {
			for r := from; r < to; r++ {
				v := int32(r)
				if p.roots[j] != nil {
					v = p.roots[j][r]
				}
				count := 0.0
				if counts != nil {
					count = counts[int(v)*p.Size+j-1]
				}
				dst := p.out[j][r*q : (r+1)*q]
				copy(dst, next[int(v)*q:int(v+1)*q])
				p.finish(dst, v, count)
			}
		})
	}
}

// poolNeighbors sets dst to the sum or maximum of the rows of x that belong to u's neighbours.
func poolNeighbors[T simd.Float](dst, x []T, b *graph.Batch, u int32, pool Pooling) {
	clear(dst)
	q := len(dst)
	for _, v := range b.Neighbors(u) {
		src := x[int(v)*q : int(v+1)*q]
		if pool == Max {
			simd.Max(dst, src)
		} else {
			simd.Add(dst, dst, src)
		}
	}
}
