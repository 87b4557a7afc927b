//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Gemm implements [engine.Engine]. Products in TF32 and bfloat16 run on tensor cores where the GPU has them
// and the matrices are not thin; the others are exact. Large products go to cuBLAS where it was found, but for those
// whose rows stand apart.
func (e *Engine) Gemm(c, a, b *tensor.Dense, opt engine.Gemm) error {
	m, n, k, err := engine.CheckGemm(c, a, b, opt)
	if err != nil {
		return err
	}
	if c.Dtype() == tensor.Float64 {
		return newProduct[float64](e, c, a, b, opt, m, n, k).compute(engine.Full)
	}
	p := newProduct[float32](e, c, a, b, opt, m, n, k)
	wide := opt.Precision != engine.Full && (m >= thinTensor || opt.Apart) && n >= thinTensor
	if wide && e.device.major >= 8 && !p.blas() {
		return p.op.run(func(s *stream) error { return multiplyRounded(s, p, opt.Precision) })
	}
	return p.compute(opt.Precision)
}

// compute computes the product by cuBLAS where it is large, which rounds factors as asked, and else without rounding.
func (p *product[T]) compute(precision engine.Precision) error {
	e := p.op.e
	if !p.blas() {
		return p.multiply()
	}
	return p.op.run(func(s *stream) error {
		p.counted(s)
		e.counter.launched(&e.counter.blas, grid{blocks: dim{x: 1}})
		s.call(func() error { return multiplyBLAS(e.blas, p, precision) })
		return nil
	})
}

// blas reports whether cuBLAS computes the product. It chooses the order of a sum by the number of rows.
func (p *product[T]) blas() bool { return !p.apart && p.op.e.blas.takes(p.m, p.n, p.k) }

// thinTensor is the number of rows or columns below which tiles of tensor cores would be mostly empty.
const thinTensor = 32

// product is a call of Gemm on the device.
type product[T real] struct {
	op             *op
	c, a, b        pointer[T]
	m, n, k        int
	transA, transB int32
	alpha, beta    T
	apart          bool
}

func newProduct[T real](e *Engine, c, a, b *tensor.Dense, opt engine.Gemm, m, n, k int) *product[T] {
	o := e.begin("Gemm")
	return &product[T]{
		op: o, c: of[T](o, c), a: of[T](o, a), b: of[T](o, b), m: m, n: n, k: k,
		transA: number(opt.TransA), transB: number(opt.TransB), alpha: T(opt.Alpha), beta: T(opt.Beta),
		apart: opt.Apart,
	}
}

// The tile shapes of the kernels, in elements of float32; those of float64 have half the sides.
const (
	largeTile  = 128
	mediumTile = 64
	thinTile   = 32
)

// manyTiles is the number of tiles from which on a GPU is busy: two for each multiprocessor of the largest. It
// does not depend on the GPU at hand, nor do then the order of summation and the bits of a product.
const manyTiles = 264

// splitTerms is the least number of terms that is worth a split of its own.
const splitTerms = 256

// fewTerms is the number of terms up to which a product moves so many bytes for its operations that tiles do not
// pay.
const fewTerms = 8

// tiling says which kernel computes a product and in how many splits of how many terms.
type tiling struct {
	rows, columns int // of a tile
	splits, terms int
}

// tile chooses the shape of the tiles and the splits of an m x n product of k terms; unit is 1 for float32 and
// 2 for float64. Tiles of all shapes add up in the order of the terms; where rows stand apart, nothing is split.
func tile(m, n, k, unit int, apart bool) tiling {
	large, medium, thin := largeTile/unit, mediumTile/unit, thinTile/unit
	t := tiling{rows: medium, columns: medium, splits: 1, terms: max(k, 1)}
	switch {
	case n <= thin:
		t.rows, t.columns = large, thin
	case m <= thin:
		t.rows, t.columns = thin, large
	case blocksOf(m, large)*blocksOf(n, large) >= manyTiles/2:
		t.rows, t.columns = large, large
	}
	tiles := blocksOf(m, t.rows) * blocksOf(n, t.columns)
	if tiles > 0 && tiles < manyTiles/2 && k >= 2*splitTerms && !apart {
		splits := min(blocksOf(manyTiles, tiles), k/splitTerms)
		t.terms = blocksOf(blocksOf(k, splits), 16) * 16 // whole stages
		t.splits = blocksOf(k, t.terms)
	}
	return t
}

// blocksOf is the number of blocks of a size that cover n.
func blocksOf(n, size int) int { return (n + size - 1) / size }

// multiply computes the product without rounding of the factors.
func (p *product[T]) multiply() error {
	if p.k <= fewTerms {
		return p.multiplyShort()
	}
	return p.multiplyTiles(tile(p.m, p.n, p.k, size[T]()/4, p.apart))
}

// counted counts the arithmetic of the product for the next launch.
func (p *product[T]) counted(s *stream) { operations[T](s, 2, p.m, p.n, p.k) }

// multiplyShort computes the product with a thread for each element.
func (p *product[T]) multiplyShort() error {
	return p.op.run(func(s *stream) error {
		if p.m*p.n == 0 {
			return nil
		}
		p.counted(s)
		return matmulShort(s, linear(p.m*p.n, 256), p.c, p.a, p.b, int32(p.m), int32(p.n), int32(p.k),
			p.transA, p.transB, p.alpha, p.beta)
	})
}

func (p *product[T]) multiplyTiles(t tiling) error {
	m, n, k := int32(p.m), int32(p.n), int32(p.k)
	g := grid{blocks: dim{x: blocksOf(p.m, t.rows) * blocksOf(p.n, t.columns), y: t.splits}, threads: dim{x: 256}}
	launch := matmul[T]
	switch {
	case t.rows < t.columns:
		launch = matmulWide[T]
	case t.rows > t.columns:
		launch = matmulTall[T]
	case t.rows < largeTile*4/size[T]():
		launch = matmulMedium[T]
	}
	if t.splits == 1 && p.beta == 0 {
		return p.op.run(func(s *stream) error {
			p.counted(s)
			return launch(s, g, p.c, p.a, p.b, m, n, k, p.transA, p.transB, p.alpha, int32(t.terms))
		})
	}
	partial := scratch[T](p.op, t.splits*p.m*p.n)
	return p.op.run(func(s *stream) error {
		if p.m*p.n == 0 {
			return nil
		}
		p.counted(s)
		if err := launch(s, g, partial, p.a, p.b, m, n, k, p.transA, p.transB, 1, int32(t.terms)); err != nil {
			return err
		}
		return matmulCombine(s, linear(p.m*p.n, 256), p.c, partial, int64(p.m)*int64(p.n), int32(t.splits), p.alpha, p.beta)
	})
}

// multiplyRounded computes a product of factors rounded to less than float32.
func multiplyRounded(s *stream, p *product[float32], precision engine.Precision) error {
	m, n, k := int32(p.m), int32(p.n), int32(p.k)
	if p.m*p.n == 0 {
		return nil
	}
	launch, g := s.matmulTf32F32, grid{blocks: dim{x: blocksOf(p.m, largeTile) * blocksOf(p.n, largeTile)},
		threads: dim{x: 256}}
	if precision == engine.BFloat16 {
		launch = s.matmulBfloat16F32
	}
	p.counted(s)
	return launch(g, p.c, p.a, p.b, m, n, k, p.transA, p.transB, p.alpha, p.beta)
}
