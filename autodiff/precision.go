package autodiff

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// multiply computes a product of scores or of their gradients, in the precision of the graph. The other
// products are in full precision: rounded factors of a projection lose most of their digits where anchors
// are close and the inverse square root large, and the rest is small.
//
// Engines in host memory have no fast products of less precision; there the factors are rounded beforehand,
// so that what training in less precision costs in accuracy can be measured anywhere.
func (g *Graph) multiply(c, a, b *tensor.Dense, opt engine.MatMul) error {
	if opt.Precision = g.precise; opt.Precision == engine.Full || c.Dtype() != tensor.Float32 {
		return g.engine.MatMul(c, a, b, opt)
	}
	if _, device := g.engine.(engine.Device); device {
		return g.engine.MatMul(c, a, b, opt)
	}
	rounded := [2]*tensor.Dense{engine.Scratch(g.engine, tensor.Float32, a.Shape()...),
		engine.Scratch(g.engine, tensor.Float32, b.Shape()...)}
	defer engine.Release(g.engine, rounded[:]...)
	for i, x := range []*tensor.Dense{a, b} {
		round(rounded[i].Float32s(), x.Float32s(), opt.Precision)
	}
	return g.engine.MatMul(c, rounded[0], rounded[1], opt)
}

// round rounds numbers to the nearest of those with fewer bits of mantissa, as tensor cores take them: to
// 10 bits with ties away from zero for TF32, to 7 bits with ties to even for bfloat16.
func round(dst, src []float32, p engine.Precision) {
	for i, x := range src {
		bits := math.Float32bits(x)
		switch {
		case bits>>23&0xff == 0xff: // infinities and what is no number stay
		case p == engine.TF32:
			bits = (bits + 1<<12) &^ (1<<13 - 1)
		default:
			bits = (bits + 1<<15 - 1 + bits>>16&1) &^ (1<<16 - 1)
		}
		dst[i] = math.Float32frombits(bits)
	}
}
