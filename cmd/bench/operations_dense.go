package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func matMul(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, q, r := s.batch.NumVertices(), t.sizes.filters, newRandom("matmul")
	a, b := r.matrix(t.engine, tensor.Float32, n, q), r.matrix(t.engine, tensor.Float32, q, q)
	c := engine.New(t.engine, tensor.Float32, n, q)
	flops := 2 * float64(n) * float64(q) * float64(q)
	return &task{
		shape: fmt.Sprintf("%s: %d x %d by %d x %d", s.from, n, q, q, q),
		run:   func(e engine.Engine) error { return e.MatMul(c, a, b, engine.MatMul{Alpha: 1}) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 8 * float64(n*q)},
	}, nil
}

func matMulThin(t *table) (*task, error) {
	n, d, r := t.sizes.vertices, 18, newRandom("matmul-thin")
	columns := 4 * t.sizes.filters
	a, z := r.matrix(t.engine, tensor.Float32, n, d), r.matrix(t.engine, tensor.Float32, columns, d)
	c := engine.New(t.engine, tensor.Float32, n, columns)
	flops := 2 * float64(n) * float64(d) * float64(columns)
	return &task{
		shape: fmt.Sprintf("%d x %d by the transpose of %d x %d", n, d, columns, d),
		run:   func(e engine.Engine) error { return e.MatMul(c, a, z, engine.MatMul{TransB: true, Alpha: 1}) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 4 * float64(n*d+columns*d+n*columns)},
	}, nil
}

// gramKernel has the bandwidth of the published experiments.
func gramKernel() engine.Kernel { return engine.Kernel{Alpha: 1 / (sigma * sigma)} }

func gram(t *table) (*task, error) {
	p, q := 4, t.sizes.filters
	z, err := newRandom("gram").unit(t.engine, tensor.Float32, p*q, q)
	if err != nil {
		return nil, err
	}
	if err := z.Reshape(p, q, q); err != nil {
		return nil, err
	}
	out := engine.New(t.engine, tensor.Float64, p, q, q)
	flops := 2 * float64(p) * float64(q) * float64(q) * float64(q)
	return &task{
		shape: fmt.Sprintf("anchors %d x %d x %d", p, q, q),
		run:   func(e engine.Engine) error { return e.Gram(out, z, gramKernel(), true) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, exps64: float64(p * q * q), bytes: float64(p*q*q) * 12},
	}, nil
}

func invSqrtSmall(t *table) (*task, error) { return invSqrt(t, 4, t.sizes.filters) }

func invSqrtLarge(t *table) (*task, error) { return invSqrt(t, 1, t.sizes.inverted) }

// invSqrt takes kernel matrices of random anchors. The floor counts the products V f(E) V' (2 n^3), the
// reduction to tridiagonal form (4/3 n^3), the divide-and-conquer step without deflation (4/3 n^3) and the
// transformation back (2 n^3).
func invSqrt(t *table, count, n int) (*task, error) {
	z, err := newRandom("invsqrt").unit(t.engine, tensor.Float32, count*n, 32)
	if err != nil {
		return nil, err
	}
	if err := z.Reshape(count, n, 32); err != nil {
		return nil, err
	}
	k, out := engine.New(t.engine, tensor.Float64, count, n, n), engine.New(t.engine, tensor.Float64, count, n, n)
	if err := t.engine.Gram(k, z, gramKernel(), true); err != nil {
		return nil, err
	}
	flops := 20.0 / 3 * float64(count) * float64(n) * float64(n) * float64(n)
	return &task{
		shape: fmt.Sprintf("%d x %d x %d", count, n, n),
		run:   func(e engine.Engine) error { return e.InvSqrt(out, k, 0.01, engine.AfterRoot) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, bytes: 16 * float64(count*n*n)},
	}, nil
}

func sparseMatMul(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, arcs, q := s.batch.NumVertices(), s.batch.NumArcs(), t.sizes.filters
	a, x := engine.Adjacency(s.batch), newRandom("sparse").matrix(t.engine, tensor.Float32, n, q)
	y := engine.New(t.engine, tensor.Float32, n, q)
	bytes := 8*float64(n*q) + 4*float64(n+arcs)
	return &task{
		shape: fmt.Sprintf("%s: %d x %d with %d arcs, %d columns", s.from, n, n, arcs, q),
		run:   func(e engine.Engine) error { return e.SparseMatMul(y, a, x) },
		units: bytes, unit: "B/s",
		floor: floor{flops32: float64(arcs * q), bytes: bytes},
	}, nil
}

func segmentSum(t *table) (*task, error) { return segments(t, engine.Sum) }

func segmentMax(t *table) (*task, error) { return segments(t, engine.Max) }

func segments(t *table, pool engine.Pooling) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, graphs, q := s.batch.NumVertices(), s.batch.NumGraphs(), t.sizes.filters
	x := newRandom("segments").matrix(t.engine, tensor.Float32, n, q)
	out := engine.New(t.engine, tensor.Float32, graphs, q)
	bytes := 4 * float64((n+graphs)*q+graphs)
	return &task{
		shape: fmt.Sprintf("%s: %d vertices in %d graphs, %d columns", s.from, n, graphs, q),
		run: func(e engine.Engine) error {
			return e.SegmentReduce(out, x, engine.Segments{Offsets: s.batch.Offsets}, pool)
		},
		units: bytes, unit: "B/s",
		floor: floor{flops32: float64(n * q), bytes: bytes},
	}, nil
}
