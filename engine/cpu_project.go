package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// Project implements [Engine] by a product for every channel.
func (e *CPU) Project(y, x, a *tensor.Dense, p Projection) error {
	if err := CheckProject(y, x, a, p); err != nil {
		return err
	}
	typed(x, project[float32], project[float64])(e, y, x, a, &p)
	return nil
}

func project[T simd.Float](e *CPU, y, x, a *tensor.Dense, p *Projection) {
	q, matrices := x.Shape()[1], a.Shape()[0]
	a, stacked := e.as(x.Dtype(), a), y
	turned := p.Interleaved && p.channels() > 1
	if turned {
		stacked = e.Scratch(x.Dtype(), x.Shape()...)
	}
	from, factors, to, line := data[T](x), data[T](a), data[T](stacked), max(q, 1)
	multiply := simd.Gemm[T]
	if p.Apart {
		multiply = simd.GemmApart[T]
	}
	p.each(matrices, func(first, rows, matrix int) {
		multiply(e.workers, false, false, rows, q, q, 1, from[first*q:], line, factors[matrix*q*q:], line, 0,
			to[first*q:], line)
	})
	if turned {
		interleave(data[T](y), to, p.channels(), q, false)
		e.Release(stacked)
	}
	if x.Dtype() == tensor.Float32 {
		e.Release(a)
	}
}

// as returns a tensor in a dtype, itself if it has that one, else a copy to be released.
func (e *CPU) as(dtype tensor.Dtype, t *tensor.Dense) *tensor.Dense {
	if t.Dtype() == dtype {
		return t
	}
	out := e.Scratch(dtype, t.Shape()...)
	convert(e.workers, out.Float32s(), t.Float64s())
	return out
}

// ProjectGrad implements [Engine] by a product for every channel.
func (e *CPU) ProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p Projection) error {
	if err := CheckProjectGrad(xGrad, aGrad, yGrad, x, a, p); err != nil {
		return err
	}
	typed(x, projectGrad[float32], projectGrad[float64])(e, xGrad, aGrad, yGrad, x, a, &p)
	return nil
}

func projectGrad[T simd.Float](e *CPU, xGrad, aGrad, yGrad, x, a *tensor.Dense, p *Projection) {
	q, matrices, line, single := x.Shape()[1], a.Shape()[0], max(x.Shape()[1], 1), x.Dtype() == tensor.Float32
	g := data[T](yGrad)
	if p.Interleaved && p.channels() > 1 {
		stacked := e.Scratch(x.Dtype(), x.Shape()...)
		defer e.Release(stacked)
		g = data[T](stacked)
		interleave(data[T](yGrad), g, p.channels(), q, true)
	}
	if xGrad != nil {
		to, narrow := data[T](xGrad), e.as(x.Dtype(), a)
		factors := data[T](narrow)
		p.each(matrices, func(first, rows, matrix int) {
			simd.Gemm(e.workers, false, true, rows, q, q, 1, g[first*q:], line, factors[matrix*q*q:], line, 0, to[first*q:],
				line)
		})
		if single {
			e.Release(narrow)
		}
	}
	if aGrad == nil {
		return
	}
	sums := aGrad
	if single {
		sums = e.Scratch(tensor.Float32, a.Shape()...)
		defer e.Release(sums)
	}
	from, to, seen := data[T](x), data[T](sums), 0
	p.each(matrices, func(first, rows, matrix int) {
		beta := T(0)
		if seen++; seen > matrices {
			beta = 1
		}
		simd.Gemm(e.workers, true, false, q, q, rows, 1, from[first*q:], line, g[first*q:], line, beta, to[matrix*q*q:], line)
	})
	clear(to[min(seen, matrices)*q*q:])
	if single {
		convert(e.workers, aGrad.Float64s(), sums.Float32s())
	}
}
