package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// matrixOperations are those on the kernel matrices of anchors.
func matrixOperations() []operation {
	return []operation{
		{"gram", "kernel matrices of 128 anchors of 4 vertices: product and exponential, in float64", gram, everywhere},
		{"invsqrt", "inverse square roots of 4 matrices of order 128, in float64", invSqrtSmall, everywhere},
		{"invsqrt-large", "inverse square root of a matrix of order 1024, in float64", invSqrtLarge, everywhere},
		{"invsqrt-grad", "gradient through the inverse square roots of 4 matrices of order 128, in float64", invSqrtGradSmall,
			everywhere},
	}
}

// gramKernel has the bandwidth of the published experiments.
func gramKernel() engine.Kernel { return engine.Kernel{Alpha: 1 / (sigma * sigma)} }

func gram(t *table) (*task, error) {
	p, q := 4, t.sizes.filters
	z, err := newRandom("gram").unit(t.engine, tensor.Float32, p, q, q)
	if err != nil {
		return nil, err
	}
	out := t.engine.New(tensor.Float64, p, q, q)
	flops := 2 * float64(p) * float64(q) * float64(q) * float64(q)
	return &task{
		shape: fmt.Sprintf("anchors %d x %d x %d", p, q, q),
		run:   func(e engine.Engine) error { return e.Gram(out, z, gramKernel(), true) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, exps64: float64(p * q * q), bytes: float64(p*q*q) * 12},
	}, nil
}

func invSqrtSmall(t *table) (*task, error) { return invSqrt(t, 4, t.sizes.filters) }

func invSqrtGradSmall(t *table) (*task, error) { return invSqrtGrad(t, 4, t.sizes.filters) }

func invSqrtLarge(t *table) (*task, error) { return invSqrt(t, 1, t.sizes.inverted) }

// kernelMatrices returns the kernel matrices of random anchors.
func (t *table) kernelMatrices(count, n int) (*tensor.Dense, error) {
	z, err := newRandom("invsqrt").unit(t.engine, tensor.Float32, count, n, 32)
	if err != nil {
		return nil, err
	}
	k := t.engine.New(tensor.Float64, count, n, n)
	return k, t.engine.Gram(k, z, gramKernel(), true)
}

// decomposition is the arithmetic of V diag(e) V' for a symmetric matrix of order n without the last product:
// the reduction to tridiagonal form (4/3 n^3), the divide-and-conquer step without deflation (4/3 n^3) and
// the transformation back (2 n^3).
func decomposition(n int) float64 { return 14.0 / 3 * float64(n) * float64(n) * float64(n) }

// product is the arithmetic of a product of matrices of order n.
func product(n int) float64 { return 2 * float64(n) * float64(n) * float64(n) }

func invSqrt(t *table, count, n int) (*task, error) {
	k, err := t.kernelMatrices(count, n)
	if err != nil {
		return nil, err
	}
	out := t.engine.New(tensor.Float64, count, n, n)
	flops := float64(count) * (decomposition(n) + product(n))
	return &task{
		shape: fmt.Sprintf("%d x %d x %d", count, n, n),
		run:   func(e engine.Engine) error { return e.InvSqrt(out, nil, k, 0.01, engine.AfterRoot) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, bytes: 16 * float64(count*n*n)},
	}, nil
}

// invSqrtGrad counts the four products of V (F o (V' G V)) V'; the decomposition is that of the way forward.
func invSqrtGrad(t *table, count, n int) (*task, error) {
	k, err := t.kernelMatrices(count, n)
	if err != nil {
		return nil, err
	}
	grad, err := newRandom("invsqrt-grad").matrix(t.engine, tensor.Float64, count, n, n)
	if err != nil {
		return nil, err
	}
	out, spectrum := t.engine.New(tensor.Float64, count, n, n), engine.NewSpectrum(t.engine, count, n)
	if err := t.engine.InvSqrt(out, spectrum, k, 0.01, engine.Published); err != nil {
		return nil, err
	}
	flops := float64(count) * 4 * product(n)
	return &task{
		shape: fmt.Sprintf("%d x %d x %d", count, n, n),
		run:   func(e engine.Engine) error { return e.InvSqrtGrad(out, grad, spectrum, 0.01, engine.Published) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, bytes: 24 * float64(count*n*n)},
	}, nil
}
