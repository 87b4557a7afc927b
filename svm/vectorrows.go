package svm

import (
	"slices"
	"sync"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// Rows returns the kernel between the rows of x (N x D, Float32 or Float64) without its matrix: an engine
// computes rows when they are asked for, and those used last are cached in the given number of bytes. The
// products are in the type of x. The jaccard kernel is computed on the host. Errors are those of
// [VectorKernel.Cross], and what the engine reports of rows that are asked for.
func (k VectorKernel) Rows(e engine.Engine, x *tensor.Dense, bytes int) (*RowCache, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	host, err := engine.ToHost(x)
	if err != nil {
		return nil, err
	}
	v, err := k.vectors(host)
	if err != nil {
		return nil, err
	}
	if k.Kind == JaccardKernel {
		return jaccardRows(v, bytes)
	}
	squares := make([]float64, v.rows)
	for i := range squares {
		squares[i] = simd.Dot(v.row(i), v.row(i))
	}
	on, err := engine.FromHost(e, host)
	if err != nil {
		return nil, err
	}
	r := &productRows{engine: e, x: on, products: e.New(on.Dtype(), 1, v.rows)}
	if k.Kind == LinearKernel {
		return NewRowCache(squares, bytes, r.compute), nil
	}
	return NewRowCache(slices.Repeat([]float64{1}, v.rows), bytes, func(i int, out []float64) error {
		if err := r.compute(i, out); err != nil {
			return err
		}
		gaussianRow(k.Gamma, out, squares[i], squares)
		out[i] = 1
		return nil
	}), nil
}

func jaccardRows(v *vectors, bytes int) (*RowCache, error) {
	all, err := v.sparse()
	if err != nil {
		return nil, err
	}
	sums, host := rowSums(all), engine.NewCPU(1)
	return NewRowCache(slices.Repeat([]float64{1}, v.rows), bytes, func(i int, out []float64) error {
		from, to := all.RowPtr[i], all.RowPtr[i+1]
		one := &engine.Sparse{
			Cols: all.Cols, RowPtr: []int32{0, to - from}, Col: all.Col[from:to], Values: all.Values[from:to],
		}
		minima := tensor.New(tensor.WithShape(v.rows, 1), tensor.WithBacking(out))
		if err := host.HistogramIntersection(minima, all, one); err != nil { // of the second an index is made
			return err
		}
		overMaxima(out, sums[i], sums)
		return nil
	}), nil
}

// productRows computes rows of X X', one at a time.
type productRows struct {
	engine   engine.Engine
	x        *tensor.Dense
	mu       sync.Mutex
	products *tensor.Dense // 1 x N
}

func (r *productRows) compute(i int, out []float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.x.Shape()[1]
	one := engine.View(r.x, i*d, 1, d)
	if err := r.engine.Gemm(r.products, one, r.x, engine.Gemm{TransB: true, Alpha: 1}); err != nil {
		return err
	}
	host, err := engine.ToHost(r.products)
	if err != nil {
		return err
	}
	if host.Dtype() == tensor.Float64 {
		copy(out, host.Float64s())
		return nil
	}
	for j, v := range host.Float32s() {
		out[j] = float64(v)
	}
	return nil
}
