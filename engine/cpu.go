package engine

import (
	"math"
	"strconv"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// CPU runs the operations on the processor's vector units, on a bounded number of goroutines. It
// handles Float32 and Float64. See package simd for the instruction sets.
type CPU struct {
	tensor.StdEng
	workers int
	scratch scratch
}

// NewCPU returns a CPU engine that computes on at most workers goroutines, at least one.
func NewCPU(workers int) *CPU { return &CPU{workers: max(workers, 1)} }

// String returns "cpu".
func (e *CPU) String() string { return "cpu" }

// Describe implements [Engine]: it says which instruction set and how many workers compute.
func (e *CPU) Describe() string {
	return "cpu (" + simd.Level() + ", workers " + strconv.Itoa(e.workers) + ")"
}

// Workers returns the number of goroutines that host-side work beside the engine may use as well.
func (e *CPU) Workers() int { return e.workers }

// WithWorkers implements [Engine].
func (e *CPU) WithWorkers(workers int) Engine {
	if workers = max(workers, 1); workers == e.workers {
		return e
	}
	return NewCPU(workers)
}

// Host implements [Engine]: it returns e.
func (e *CPU) Host() Engine { return e }

// Capabilities implements [Engine].
func (e *CPU) Capabilities() Capabilities { return Capabilities{} }

// Synchronize implements [Engine]; operations are done when they return.
func (e *CPU) Synchronize() error { return nil }

// rowChunk is the number of matrix rows that one piece of parallel work covers.
const rowChunk = 256

// data returns the elements of t, which has the dtype of T.
func data[T simd.Float](t *tensor.Dense) []T {
	if t == nil {
		return nil
	}
	var zero T
	if _, ok := any(zero).(float32); ok {
		return any(t.Float32s()).([]T)
	}
	return any(t.Float64s()).([]T)
}

// typed returns the one of two instances of a routine that computes in the dtype of t.
func typed[F any](t *tensor.Dense, single, double F) F {
	if t.Dtype() == tensor.Float32 {
		return single
	}
	return double
}

// Gemm implements [Engine].
func (e *CPU) Gemm(c, a, b *tensor.Dense, opt Gemm) error {
	m, n, k, err := CheckGemm(c, a, b, opt)
	if err != nil {
		return err
	}
	if opt.Precision != Full && c.Dtype() == tensor.Float32 {
		a, b = e.rounded(a, opt.Precision), e.rounded(b, opt.Precision)
		defer e.Release(a, b)
	}
	typed(c, gemm[float32], gemm[float64])(e.workers, c, a, b, m, n, k, opt)
	return nil
}

func gemm[T simd.Float](workers int, c, a, b *tensor.Dense, m, n, k int, opt Gemm) {
	lda, ldb := max(a.Shape()[1], 1), max(b.Shape()[1], 1)
	multiply := simd.Gemm[T]
	if opt.Apart {
		multiply = simd.GemmApart[T]
	}
	multiply(workers, opt.TransA, opt.TransB, m, n, k, T(opt.Alpha), data[T](a), lda, data[T](b), ldb, T(opt.Beta),
		data[T](c), max(n, 1))
}

// NormalizeRows implements [Engine].
func (e *CPU) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	if err := CheckNormalizeRows(dst, norms, x); err != nil {
		return err
	}
	typed(x, normalizeRows[float32], normalizeRows[float64])(e.workers, dst, norms, x, eps)
	return nil
}

func normalizeRows[T simd.Float](workers int, dst, norms, x *tensor.Dense, eps float64) {
	n, d, rows, units, lengths := x.Shape()[0], x.Shape()[1], data[T](x), data[T](dst), data[T](norms)
	parallel.Chunks(workers, n, rowChunk, func(from, to int) {
		for r := from; r < to; r++ {
			src, out := rows[r*d:(r+1)*d], units[r*d:(r+1)*d]
			norm := T(math.Sqrt(float64(simd.Dot(src, src))))
			if lengths != nil {
				lengths[r] = norm
			}
			copy(out, src)
			simd.Scale(1/max(norm, T(eps)), out)
		}
	})
}

// Gram implements [Engine]; it computes in float64 for either dtype of Z.
func (e *CPU) Gram(out, z *tensor.Dense, kernel Kernel, allLengths bool) error {
	if err := CheckGram(out, z, allLengths); err != nil {
		return err
	}
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	wide := e.Scratch(tensor.Float64, q*q+p*q*d)
	defer e.Release(wide)
	space := wide.Float64s()
	sum, zv, k := space[:q*q], space[q*q:], out.Float64s()
	clear(sum)
	if z.Dtype() == tensor.Float32 {
		convert(e.workers, zv, z.Float32s())
	} else {
		zv = z.Float64s()
	}
	for i := range p {
		zi := zv[i*q*d : (i+1)*q*d]
		simd.Gemm(e.workers, false, true, q, q, d, 1, zi, max(d, 1), zi, max(d, 1), 1, sum, q)
		slot := 0
		if allLengths {
			slot = i
		} else if i < p-1 {
			continue
		}
		scale, shift := kernel.Scale(i + 1)
		simd.Exp(k[slot*q*q:(slot+1)*q*q], sum, scale, shift)
	}
	return nil
}

// Convert implements [Engine].
func (e *CPU) Convert(dst, src *tensor.Dense) error {
	if err := CheckConvert(dst, src); err != nil || dst == src {
		return err
	}
	switch single := dst.Dtype() == tensor.Float32; {
	case single == (src.Dtype() != tensor.Float32): // across dtypes
		if single {
			convert(e.workers, dst.Float32s(), src.Float64s())
		} else {
			convert(e.workers, dst.Float64s(), src.Float32s())
		}
	case single:
		copy(dst.Float32s(), src.Float32s())
	default:
		copy(dst.Float64s(), src.Float64s())
	}
	return nil
}

// convertChunk is the number of elements that one piece of parallel work converts.
const convertChunk = 1 << 15

// convert copies x to dst.
func convert[T, U simd.Float](workers int, dst []T, x []U) {
	parallel.Chunks(workers, len(dst), convertChunk, func(from, to int) {
		dst, x := dst[from:to], x[from:to]
		for i := range dst {
			dst[i] = T(x[i])
		}
	})
}

var _ Engine = (*CPU)(nil)
