package svm

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// point is a value of v = (w, b) with what one pass over the rows says about it; norm is that of what is
// penalised.
type point struct {
	v         []float64
	decision  []float64 // Z v
	gradient  []float64
	active    []bool // margin 1 - y decision is positive
	actives   int
	loss      float64 // sum of squared positive margins
	norm      float64 // |w|^2
	objective float64
}

func newPoint(n, p int) *point {
	return &point{
		v: make([]float64, p), decision: make([]float64, n),
		gradient: make([]float64, p), active: make([]bool, n),
	}
}

const (
	chunkWork = 1 << 15 // numbers of Z in a chunk, at least
	maxChunks = 16      // partial sums that are added in order
)

// passes runs over the rows of a space in chunks. The chunks depend on the shape alone and their
// partial sums are added in order, so that the number of workers does not show in the result.
type passes struct {
	space   *space
	y       []float64
	chunks  int
	partial []float64 // chunks x p
	scalar  []float64
	count   []int
}

func newPasses(s *space, y []float64) *passes {
	chunks := min(max(s.n*s.p/chunkWork, 1), maxChunks)
	return &passes{
		space: s, y: y, chunks: chunks,
		partial: make([]float64, chunks*s.p),
		scalar:  make([]float64, chunks),
		count:   make([]int, chunks),
	}
}

// chunked calls work for every chunk of total rows.
func (p *passes) chunked(total int, work func(chunk, from, to int)) {
	size := (total + p.chunks - 1) / p.chunks
	parallel.For(p.space.workers, p.chunks, func(c int) {
		work(c, min(c*size, total), min((c+1)*size, total))
	})
}

// each calls work for every chunk, with its partial sum cleared, and adds the partial sums to out.
func (p *passes) each(total int, out []float64, work func(chunk, from, to int, sum []float64)) {
	width := p.space.p
	p.chunked(total, func(c, from, to int) {
		sum := p.partial[c*width : (c+1)*width]
		clear(sum)
		work(c, from, to, sum)
	})
	for c := range p.chunks {
		simd.Add(out, out, p.partial[c*width:(c+1)*width])
	}
}

// evaluate fills everything but v: decisions, active rows, objective and gradient in one pass.
func (p *passes) evaluate(at *point, c float64) {
	w := at.v[:p.space.penal]
	copy(at.gradient, w)
	clear(at.gradient[len(w):])
	p.each(p.space.n, at.gradient, func(chunk, from, to int, sum []float64) {
		loss, count := 0.0, 0
		for i := from; i < to; i++ {
			row := p.space.row(i)
			f := simd.Dot(row, at.v)
			at.decision[i] = f
			margin := 1 - p.y[i]*f
			at.active[i] = margin > 0
			if margin > 0 {
				loss += margin * margin
				count++
				simd.Axpy(-2*c*p.y[i]*margin, row, sum)
			}
		}
		p.scalar[chunk], p.count[chunk] = loss, count
	})
	at.loss, at.actives = 0, 0
	for i := range p.chunks {
		at.loss += p.scalar[i]
		at.actives += p.count[i]
	}
	at.norm = simd.Dot(w, w)
	at.objective = at.norm/2 + c*at.loss
}

// hessian writes H u to out, for the given active rows.
func (p *passes) hessian(rows []int, c float64, u, out []float64) {
	clear(out[copy(out, u[:p.space.penal]):])
	p.each(len(rows), out, func(_, from, to int, sum []float64) {
		for _, i := range rows[from:to] {
			row := p.space.row(i)
			simd.Axpy(2*c*simd.Dot(row, u), row, sum)
		}
	})
}

// project writes <x_i, w> to out for the given rows, w without an entry for the intercept.
func (p *passes) project(rows []int, w, out []float64) {
	p.chunked(len(rows), func(_, from, to int) {
		for k := from; k < to; k++ {
			out[k] = simd.Dot(p.space.row(rows[k])[:len(w)], w)
		}
	})
}

// combine adds the sum of coefficients[k] z_rows[k] to out.
func (p *passes) combine(rows []int, coefficients, out []float64) {
	p.each(len(rows), out, func(_, from, to int, sum []float64) {
		for k := from; k < to; k++ {
			simd.Axpy(coefficients[k], p.space.row(rows[k]), sum)
		}
	})
}
