//go:build gpu

package cuda

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"gorgonia.org/tensor"
)

// InvSqrt implements [engine.Engine] by Jacobi's method on the device, for matrices of any order. It waits
// for the result, because a matrix that is not finite or has no inverse square root is an error. dst is
// then unchanged.
func (e *Engine) InvSqrt(dst, k *tensor.Dense, eps float64, rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrt(dst, k, eps, rule); err != nil {
		return err
	}
	o := e.begin("InvSqrt")
	to := of[float64](o, dst)
	d := newSpectrum(e, o, k, eps, rule)
	d.factors = scratch[float64](o, d.matrices*d.n)
	return d.wait(func(s *stream) error {
		return d.product(s, spectralTerm{to: to, a: d.vectors, b: d.vectors, transA: true, scale: d.factors, mirror: true})
	})
}

// InvSqrtGrad implements [engine.Engine]; see [eigen.InvSqrtGrad] for the formula. It waits like InvSqrt.
func (e *Engine) InvSqrtGrad(kGrad, dstGrad, k *tensor.Dense, eps float64, rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrtGrad(kGrad, dstGrad, k, eps, rule); err != nil {
		return err
	}
	o := e.begin("InvSqrtGrad")
	to, gradient := of[float64](o, kGrad), of[float64](o, dstGrad)
	d := newSpectrum(e, o, k, eps, rule)
	d.factors, d.roots, d.clamped = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices*d.n)
	g, t := scratch[float64](o, d.elements()), scratch[float64](o, d.elements())
	return d.wait(func(s *stream) error {
		if err := s.spectralSymmetrizeF64(linear(d.elements(), spectralThreads), g, gradient, int32(d.n), int32(d.matrices)); err != nil {
			return err
		}
		for _, term := range []spectralTerm{
			{to: t, a: d.vectors, b: g},
			{to: g, a: t, b: d.vectors, transB: true, slopes: true},
			{to: t, a: d.vectors, b: g, transA: true},
			{to: to, a: t, b: d.vectors, mirror: true},
		} {
			if err := d.product(s, term); err != nil {
				return err
			}
		}
		return nil
	})
}

// The constants of the kernels spectral_* that the host computes with too.
const (
	spectralThreads = 256
	spectralSmall   = 32 // order up to which a matrix is the work of one block
	spectralHalf    = 16 // columns of a block
	spectralSweeps  = 24
	spectralTile    = 64
	spectralShift   = 1.5
)

// spectrum is the eigendecomposition of matrices of order n on the device.
type spectrum struct {
	e           *Engine
	o           *op
	n, matrices int
	eps         float64
	inside      bool

	k, vectors              pointer[float64]
	norms, values, scales   pointer[float64]
	factors, roots, clamped pointer[float64] // what the rule needs of every eigenvalue
	angles, status          pointer[int32]
}

func newSpectrum(e *Engine, o *op, k *tensor.Dense, eps float64, rule engine.InvSqrtRule) *spectrum {
	d := &spectrum{e: e, o: o, matrices: k.Shape()[0], n: k.Shape()[1], eps: eps, inside: rule == engine.InsideRoot}
	d.k, d.vectors = of[float64](o, k), scratch[float64](o, d.elements())
	d.norms, d.values, d.scales = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices)
	d.angles, d.status = cleared[int32](o, d.matrices*spectralSweeps), cleared[int32](o, d.matrices)
	return d
}

func (d *spectrum) elements() int { return d.matrices * d.n * d.n }

// wait decomposes, runs what is to follow and returns the error of the first matrix that has one.
func (d *spectrum) wait(then func(s *stream) error) error {
	if d.elements() == 0 {
		return d.o.run(func(*stream) error { return nil })
	}
	status := make([]int32, d.matrices)
	fetch(d.o, status, d.status)
	if err := d.o.wait(func(s *stream) error {
		if err := d.decompose(s); err != nil {
			return err
		}
		return then(s)
	}); err != nil {
		return err
	}
	for m, code := range status {
		switch code {
		case 0:
		case 1:
			return fmt.Errorf("%s: matrix %d has an entry that is not a number or too large, remove it before: %w", d.o.name, m, eigen.ErrNotFinite)
		case 2:
			return fmt.Errorf("%s: matrix %d with the regularisation %v has no inverse square root, use a larger one: %w", d.o.name, m, d.eps, eigen.ErrNotFinite)
		default:
			return fmt.Errorf("%s: matrix %d: %w", d.o.name, m, eigen.ErrNoConvergence)
		}
	}
	return nil
}

// decompose enqueues the eigendecomposition and the values of the rule.
func (d *spectrum) decompose(s *stream) error {
	n, matrices := int32(d.n), int32(d.matrices)
	rows := linear(d.matrices*d.n*32, spectralThreads)
	if err := s.spectralNormsF64(rows, d.norms, d.k, n, matrices); err != nil {
		return err
	}
	small := d.n <= spectralSmall && !d.e.plain
	shift := spectralShift
	if small {
		shift = 0
	}
	start := linear(d.n*d.n, spectralThreads)
	start.blocks.y = min(d.matrices, 65535)
	if err := s.spectralStartF64(start, d.vectors, d.scales, d.status, d.k, d.norms, n, matrices, shift); err != nil {
		return err
	}
	each := grid{blocks: dim{x: d.matrices}, threads: dim{x: spectralThreads}}
	if small {
		if err := s.spectralSmallF64(each, d.vectors, d.values, d.status, d.scales, n, matrices); err != nil {
			return err
		}
	} else {
		if err := d.orthogonalize(s, each); err != nil {
			return err
		}
		if err := s.spectralValuesF64(rows, d.vectors, d.values, d.status, d.angles, d.scales, n, matrices); err != nil {
			return err
		}
	}
	return s.spectralRuleF64(each, d.factors, d.roots, d.clamped, d.status, d.values, n, matrices, d.eps, number(d.inside))
}

// orthogonalize enqueues the sweeps of the one-sided method; those after convergence do nothing.
func (d *spectrum) orthogonalize(s *stream, each grid) error {
	if d.e.plain {
		return s.spectralPlainF64(each, d.vectors, d.angles, d.status, int32(d.n), int32(d.matrices))
	}
	blocks := (d.n + spectralHalf - 1) / spectralHalf
	blocks += blocks % 2
	g := grid{blocks: dim{x: blocks / 2 * d.matrices}, threads: dim{x: spectralThreads}}
	for sweep := range spectralSweeps {
		for round := range blocks - 1 {
			if err := s.spectralRoundF64(g, d.vectors, d.angles, d.status, int32(d.n), int32(blocks), int32(round), int32(sweep), int32(d.matrices)); err != nil {
				return err
			}
		}
	}
	return nil
}

// spectralTerm is a product op(A) diag(scale) op(B) of matrices of a spectrum, times divided differences
// with slopes.
type spectralTerm struct {
	to, a, b       pointer[float64]
	transA, transB bool
	scale          pointer[float64]
	slopes, mirror bool
}

func (d *spectrum) product(s *stream, t spectralTerm) error {
	var roots pointer[float64]
	if t.slopes {
		roots = d.roots
	}
	tiles := (d.n + spectralTile - 1) / spectralTile
	launch, g := s.spectralProductF64, grid{blocks: dim{x: tiles * tiles * d.matrices}, threads: dim{x: spectralThreads}}
	if d.e.plain {
		launch, g = s.spectralProductPlainF64, linear(d.elements(), spectralThreads)
	}
	return launch(g, t.to, t.a, t.b, d.status, number(t.transA), number(t.transB), int32(d.n), int32(d.matrices),
		t.scale, d.factors, roots, d.clamped, number(t.mirror))
}
