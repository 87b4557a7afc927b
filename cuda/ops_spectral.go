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

func (d *spectrum) invSqrt(dst *tensor.Dense, kept *engine.Spectrum, k *tensor.Dense) error {
	o := d.o
	d.angles, d.status = cleared[int32](o, d.matrices*spectralSweeps), cleared[int32](o, d.matrices)
	d.norms, d.scales = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.matrices)
	if kept != nil {
		d.values, d.vectors = of[float64](o, kept.Values), of[float64](o, kept.Vectors)
	} else {
		d.values, d.vectors = scratch[float64](o, d.matrices*d.n), scratch[float64](o, d.elements())
	}
	from, to := of[float64](o, k), of[float64](o, dst)
	return d.run(kept == nil, func(s *stream) error {
		if err := d.decompose(s, from); err != nil {
			return err
		}
		if err := d.applyRule(s); err != nil {
			return err
		}
		if kept != nil {
			d.status = pointer[int32]{} // nobody asks for it: what has one is to be NaN
		}
		return d.product(d, s, spectralTerm{to: to, a: d.vectors, b: d.vectors, transA: true, scale: d.factors, mirror: true})
	})
}

// InvSqrtGrad implements [engine.Engine]; see [eigen.InvSqrtGrad] for the formula.
func (e *Engine) InvSqrtGrad(kGrad, dstGrad *tensor.Dense, kept *engine.Spectrum, eps float64,
	rule engine.InvSqrtRule) error {
	if err := engine.CheckInvSqrtGrad(kGrad, dstGrad, kept, eps, rule); err != nil {
		return err
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
	spectralHalf    = 16 // columns of a block
	spectralSweeps  = 24
	spectralTile    = 64
	spectralShift   = 1.5
)

// spectrum is the eigendecomposition of matrices of order n on the device, and what a rule makes of it.
type spectrum struct {
	o           *op
	n, matrices int
	eps         float64
	rule        engine.InvSqrtRule
	small       bool // the order is that of one block
	spectralKernels

	values, vectors         pointer[float64]
	factors, roots, clamped pointer[float64] // what the rule needs of every eigenvalue
	norms, scales           pointer[float64]
	angles, status          pointer[int32] // null where there is no decomposition
}

// spectralKernels enqueue the sweeps that make the columns of the matrices orthogonal, those after convergence doing
// nothing, and a product. The tests can put others in their place.
type spectralKernels struct {
	orthogonalize func(d *spectrum, s *stream) error
	product       func(d *spectrum, s *stream, t spectralTerm) error
}

func newSpectrum(o *op, shape tensor.Shape, eps float64, rule engine.InvSqrtRule) *spectrum {
	d := &spectrum{o: o, matrices: shape[0], n: shape[1], eps: eps, rule: rule, small: shape[1] <= spectralSmall,
		spectralKernels: spectralKernels{(*spectrum).jacobi, (*spectrum).multiply}}
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

// decompose enqueues the eigendecomposition of k.
func (d *spectrum) decompose(s *stream, k pointer[float64]) error {
	n, matrices := int32(d.n), int32(d.matrices)
	rows := linear(d.matrices*d.n*32, spectralThreads)
	if err := s.spectralNormsF64(rows, d.norms, k, n, matrices); err != nil {
		return err
	}
	shift := spectralShift
	if d.small {
		shift = 0
	}
	start := linear(d.n*d.n, spectralThreads)
	start.blocks.y = min(d.matrices, 65535)
	if err := s.spectralStartF64(start, d.vectors, d.scales, d.status, k, d.norms, n, matrices, shift); err != nil {
		return err
	}
	if d.small {
		return s.spectralSmallF64(d.each(), d.vectors, d.values, d.status, d.scales, n, matrices)
	}
	if err := d.orthogonalize(d, s); err != nil {
		return err
	}
	return s.spectralValuesF64(rows, d.vectors, d.values, d.status, d.angles, d.scales, n, matrices)
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

// jacobi enqueues the sweeps of the one-sided block method.
func (d *spectrum) jacobi(s *stream) error {
	blocks := (d.n + spectralHalf - 1) / spectralHalf
	blocks += blocks % 2
	g := grid{blocks: dim{x: blocks / 2 * d.matrices}, threads: dim{x: spectralThreads}}
	for sweep := range spectralSweeps {
		for round := range blocks - 1 {
			if err := s.spectralRoundF64(g, d.vectors, d.angles, d.status, int32(d.n), int32(blocks), int32(round), int32(sweep),
				int32(d.matrices)); err != nil {
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
