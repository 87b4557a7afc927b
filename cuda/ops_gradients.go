//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// GramGrad implements [engine.Engine].
func (e *Engine) GramGrad(zGrad, plus, z, kGrad, k *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	if err := engine.CheckGramGrad(zGrad, plus, z, kGrad, k, allLengths); err != nil {
		return err
	}
	if z.Dtype() == tensor.Float32 {
		return gramGradOn[float32](e, zGrad, plus, z, kGrad, k, kernel, allLengths)
	}
	return gramGradOn[float64](e, zGrad, plus, z, kGrad, k, kernel, allLengths)
}

func gramGradOn[T real](e *Engine, zGrad, plus, z, kGrad, k *tensor.Dense, kernel engine.Kernel,
	allLengths bool) error {
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	if q*d == 0 {
		return nil
	}
	o := e.begin("GramGrad")
	to, more, from := of[T](o, zGrad), of[T](o, plus), of[T](o, z)
	gradient, matrices := of[float64](o, kGrad), of[float64](o, k)
	const tile = 32
	g := grid{blocks: dim{x: min(p*blocksOf(q, tile)*blocksOf(d, tile), maxBlocks)}, threads: dim{x: 256}}
	return o.run(func(s *stream) error {
		operations[float64](s, 2, p, q, q, d)
		return gramGrad(s, g, to, more, from, gradient, matrices, int32(p), int32(q), int32(d), kernel.Alpha,
			number(kernel.SumExponent), number(allLengths))
	})
}

// spectralWhole is the order up to which a block has a matrix for its whole gradient.
const spectralWhole = 64

// wholeInvSqrtGrad is InvSqrtGrad of matrices of order spectralWhole and less, in one launch.
func (e *Engine) wholeInvSqrtGrad(kGrad, dstGrad *tensor.Dense, kept *engine.Spectrum, eps float64,
	rule engine.InvSqrtRule) error {
	matrices, n := dstGrad.Shape()[0], dstGrad.Shape()[1]
	if matrices*n == 0 {
		return nil
	}
	o := e.begin("InvSqrtGrad")
	to, gradient := of[float64](o, kGrad), of[float64](o, dstGrad)
	values, vectors := of[float64](o, kept.Values), of[float64](o, kept.Vectors)
	g := grid{blocks: dim{x: min(matrices, maxBlocks)}, threads: dim{x: spectralThreads}, shared: 2 * n * (n + 1) * 8}
	return o.run(func(s *stream) error {
		operations[float64](s, 8, n, n, n, matrices)
		return s.spectralGradF64(g, to, gradient, vectors, values, int32(n), int32(matrices), eps, int32(rule))
	})
}

// singleGrad is PathPoolGrad of single vertices with rows of their own.
func singleGrad[T real](e *Engine, scoreGrad, normGrad, outGrad, scores, norms *tensor.Dense, alpha float64) error {
	n, q := scores.Shape()[0], scores.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("PathPoolGrad")
	to, ofNorms, gradient := of[T](k, scoreGrad), of[T](k, normGrad), of[T](k, outGrad)
	from, lengths := of[T](k, scores), of[T](k, norms)
	return k.run(func(s *stream) error {
		group := lanes(q)
		exponentials[T](s, func() int { return n * q })
		return pathSingleGrad(s, linear(n*group, 256), to, ofNorms, gradient, from, lengths, int32(n), int32(q), T(alpha),
			int32(group))
	})
}
