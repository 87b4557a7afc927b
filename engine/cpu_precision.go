package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// rounded returns the factor x of a product, of Float32, in less precision, to be released. The processor has no
// fast products of less precision; factors are rounded so that what it costs in accuracy can be measured anywhere.
func (e *CPU) rounded(x *tensor.Dense, p Precision) *tensor.Dense {
	out := e.Scratch(tensor.Float32, x.Shape()...)
	roundMantissa(out.Float32s(), x.Float32s(), p)
	return out
}

// roundMantissa rounds numbers to the nearest of those with fewer bits of mantissa, as tensor cores take them: to
// 10 bits with ties away from zero for TF32, to 7 bits with ties to even for bfloat16.
func roundMantissa(dst, src []float32, p Precision) {
	for i, x := range src {
		bits := math.Float32bits(x)
		switch {
		case bits>>23&0xff == 0xff: // infinities and what is no number stay
		case p == TF32:
			bits = (bits + 1<<12) &^ (1<<13 - 1)
		default:
			bits = (bits + 1<<15 - 1 + bits>>16&1) &^ (1<<16 - 1)
		}
		dst[i] = math.Float32frombits(bits)
	}
}
