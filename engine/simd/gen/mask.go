package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// columnMasks returns, for AVX-512, the masks of as many vectors that together select the first
// "cols" lanes, where cols is a parameter.
func (a *assembler) columnMasks(f float, vectors int) []reg.OpmaskVirtual {
	bits := a.prefixBits(a.param("cols"))
	masks := make([]reg.OpmaskVirtual, vectors)
	for v := range masks {
		if v > 0 {
			a.op(x86.SHRQ(operand.U8(f.lanes(a.isa)), bits))
		}
		masks[v] = a.K()
		a.op(x86.KMOVW(bits.As32(), masks[v]))
	}
	return masks
}

// prefixBits returns a register with the n lowest bits set, n < 64.
func (a *assembler) prefixBits(n operand.Op) reg.GPVirtual {
	bits := a.GP64()
	a.op(x86.MOVQ(n, reg.RCX))
	a.op(x86.MOVQ(operand.U32(1), bits))
	a.op(x86.SHLQ(reg.CL, bits))
	a.op(x86.DECQ(bits))
	return bits
}

// laneMask returns, for AVX2, the address of a mask that selects the first n lanes of a vector, n at
// most the number of lanes.
func (a *assembler) laneMask(f float, n reg.GPVirtual) operand.Mem {
	lanes := f.lanes(a.isa)
	var words []operand.Constant
	for i := range 2 * a.bytes() / 8 {
		if i < a.bytes()/8 {
			words = append(words, operand.U64(^uint64(0)))
		} else {
			words = append(words, operand.U64(0))
		}
	}
	ones := a.table("lanes", words...)
	p := a.GP64()
	a.op(x86.LEAQ(ones.Offset(lanes*f.bytes), p))
	scaled := a.GP64()
	a.op(x86.MOVQ(n, scaled))
	a.op(x86.NEGQ(scaled))
	return operand.Mem{Base: p, Index: scaled, Scale: uint8(f.bytes)}
}
