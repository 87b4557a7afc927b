//go:build gpu

package cuda

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/eigen"
	"gorgonia.org/tensor"
)

// InvSqrt implements [engine.Engine] by Jacobi's method on the device, for matrices of any order. Without a spectrum
// to keep it waits for the result, because a matrix that is not finite or has no inverse square root is an
// error; dst is then unchanged.
func (e *Engine) InvSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense, eps float64,
	rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrt(dst, kept, k, eps, rule); err != nil {
		return err
	}
	o := e.begin("InvSqrt")
	return newSpectrum(o, k.Shape(), eps, rule).invSqrt(dst, kept, k)
}

// invSqrt is one launch: a block for each matrix where these are small, else blocks that wait for each other.
func (d *spectrum) invSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense) error {
	o, ask := d.o, kept == nil
	if ask && d.small {
		d.status = scratch[int32](o, d.matrices)
	}
	if kept != nil {
		d.values, d.vectors = of[float64](o, kept.Values), of[float64](o, kept.Vectors)
	}
	from, to := of[float64](o, k), of[float64](o, dst)
	n, matrices, eps, rule := int32(d.n), int32(d.matrices), d.eps, int32(d.rule)
	if d.small {
		return d.run(ask, func(s *stream) error {
			operations[float64](s, 2, d.n, d.n, d.n, d.matrices)
			return s.spectralSmallF64(d.each(), to, d.values, d.vectors, d.status, from, n, matrices, eps, rule)
		})
	}
	if ask {
		d.values, d.vectors = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.elements())
	}
	norms, scales := scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices)
	arrived := cleared[int32](o, 1+d.matrices*(1+spectralSweeps))
	d.status = arrived.at(1)
	angles := d.status.at(d.matrices)
	return d.run(ask, func(s *stream) error {
		operations[float64](s, 2, d.n, d.n, d.n, d.matrices)
		pairs := (d.n + spectralPair - 1) / spectralPair * d.matrices
		g := grid{blocks: dim{x: min(pairs, o.e.device.multiprocessors)}, threads: dim{x: spectralThreads}, together: true}
		return s.spectralLargeF64(g, to, d.values, d.vectors, d.factors, norms, scales, arrived, d.status, angles, from, n,
			matrices, eps, rule, number(ask))
	})
}

// InvSqrtGrad implements [engine.Engine]; see [eigen.InvSqrtGrad] for the formula.
func (e *Engine) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, kept *engine.Spectrum, eps float64,
	rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrtGrad(kGrad, dstGrad, kept, eps, rule); err != nil {
		return err
	}
	if dstGrad.Shape()[1] <= spectralWhole {
		return e.wholeInvSqrtGrad(kGrad, dstGrad, kept, eps, rule)
	}
	o := e.begin("InvSqrtGrad")
	return newSpectrum(o, dstGrad.Shape(), eps, rule).invSqrtGrad(kGrad, dstGrad, kept)
}

func (d *spectrum) invSqrtGrad(kGrad, dstGrad *tensor.Dense, kept *engine.Spectrum) error {
	o := d.o
	d.values, d.vectors = of[float64](o, kept.Values), of[float64](o, kept.Vectors)
	d.roots, d.clamped = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices*d.n)
	to, gradient := of[float64](o, kGrad), of[float64](o, dstGrad)
	g, t := scratch[float64](o, d.elements()), scratch[float64](o, d.elements())
	return d.run(false, func(s *stream) error {
		if err := d.applyRule(s); err != nil {
			return err
		}
		if err := s.spectralSymmetrizeF64(linear(d.elements(), spectralThreads), g, gradient, int32(d.n),
			int32(d.matrices)); err != nil {
			return err
		}
		for _, term := range []spectralTerm{
			{to: t, a: d.vectors, b: g},
			{to: g, a: t, b: d.vectors, transB: true, slopes: true},
			{to: t, a: d.vectors, b: g, transA: true},
			{to: to, a: t, b: d.vectors, mirror: true},
		} {
			if err := d.product(d, s, term); err != nil {
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
	spectralPair    = 32 // columns that a block turns
	spectralSweeps  = 24
	spectralTile    = 64
)

// spectrum is the eigendecomposition of matrices of order n on the device, and what a rule makes of it.
type spectrum struct {
	o           *op
	n, matrices int
	eps         float64
	rule        engine.InvSqrtRule
	small       bool // the order is that of one block

	values, vectors         pointer[float64]
	factors, roots, clamped pointer[float64] // what the rule needs of every eigenvalue
	status                  pointer[int32]   // null where nobody asks

	product func(d *spectrum, s *stream, t spectralTerm) error // the tests can put another in its place
}

func newSpectrum(o *op, shape tensor.Shape, eps float64, rule engine.InvSqrtRule) *spectrum {
	d := &spectrum{o: o, matrices: shape[0], n: shape[1], eps: eps, rule: rule, small: shape[1] <= spectralSmall,
		product: (*spectrum).multiply}
	d.factors = scratch[float64](o, d.matrices*d.n)
	return d
}

func (d *spectrum) elements() int { return d.matrices * d.n * d.n }

// run enqueues f; if it is to wait it returns the error of the first matrix that has one.
func (d *spectrum) run(wait bool, f func(s *stream) error) error {
	if d.elements() == 0 {
		return d.o.run(func(*stream) error { return nil })
	}
	if !wait {
		return d.o.run(f)
	}
	status := make([]int32, d.matrices)
	fetch(d.o, status, d.status)
	if err := d.o.run(f); err != nil {
		return err
	}
	for m, code := range status {
		switch code {
		case 0:
		case 1:
			return fmt.Errorf("%s: matrix %d has an entry that is not a number or too large, remove it before: %w", d.o.name, m,
				eigen.ErrNotFinite)
		case 2:
			return fmt.Errorf("%s: matrix %d with the regularisation %v has no inverse square root, use a larger one: %w",
				d.o.name, m, d.eps, eigen.ErrNotFinite)
		default:
			return fmt.Errorf("%s: matrix %d: %w", d.o.name, m, eigen.ErrNoConvergence)
		}
	}
	return nil
}

// each is a grid with a block for each matrix.
func (d *spectrum) each() grid {
	return grid{blocks: dim{x: d.matrices}, threads: dim{x: spectralThreads}}
}

// applyRule enqueues what the rule makes of the eigenvalues.
func (d *spectrum) applyRule(s *stream) error {
	return s.spectralRuleF64(d.each(), d.factors, d.roots, d.clamped, d.status, d.values, int32(d.n), int32(d.matrices),
		d.eps, int32(d.rule))
}

// spectralTerm is a product op(A) diag(scale) op(B) of matrices of a spectrum, times divided differences
// with slopes.
type spectralTerm struct {
	to, a, b       pointer[float64]
	transA, transB bool
	scale          pointer[float64]
	slopes, mirror bool
}

func (d *spectrum) multiply(s *stream, t spectralTerm) error {
	tiles := (d.n + spectralTile - 1) / spectralTile
	g := grid{blocks: dim{x: tiles * tiles * d.matrices}, threads: dim{x: spectralThreads}}
	operations[float64](s, 2, d.n, d.n, d.n, d.matrices)
	return s.spectralProductF64(g, t.to, t.a, t.b, d.status, number(t.transA), number(t.transB), int32(d.n),
		int32(d.matrices),
		t.scale, d.factors, d.rootsOf(t), d.clamped, number(t.mirror))
}

// rootsOf returns the roots of a product with divided differences.
func (d *spectrum) rootsOf(t spectralTerm) pointer[float64] {
	if !t.slopes {
		return pointer[float64]{}
	}
	return d.roots
}
