package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// verticesBack goes back through paths of single vertices whose scores stand in the order of the output: every row
// depends on its own row alone,
//
//	scoreGrad = scale norm outGrad o exp(scale s + shift),  normGrad = <outGrad, exp(scale s + shift)>.
func (g *pathGrad[T]) verticesBack(workers int) {
	q := g.q
	if q == 0 {
		clear(g.normGrad)
		return
	}
	scale, shift := g.scale[1], g.shift[1]
	parallel.Chunks(workers, len(g.scores)/q, rowChunk, func(from, to int) {
		dst, outGrad := g.scoreGrad[from*q:to*q], g.out[1][from*q:to*q]
		simd.Exp(dst, g.scores[from*q:to*q], scale, shift)
		if g.norms == nil {
			simd.Mul(dst, dst, outGrad)
			simd.Scale(scale, dst)
			return
		}
		for r := from; r < to; r++ {
			row, gradient := dst[(r-from)*q:(r-from+1)*q], outGrad[(r-from)*q:(r-from+1)*q]
			if g.normGrad != nil {
				g.normGrad[r] = simd.Dot(gradient, row)
			}
			simd.Mul(row, row, gradient)
			simd.Scale(scale*g.norms[r], row)
		}
	})
}
