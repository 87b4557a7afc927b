package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

func argMaxKernels(a *assembler) {
	for _, f := range floats {
		argMax(a, f)
	}
}

// argMax writes the kernel that finds the maximum, and then the place where it first occurs.
func argMax(a *assembler, f float) {
	name := "argMax" + f.name + a.suffix()
	a.function(name, fmt.Sprintf("func(n int, x *%s) (index int)", f.goType),
		name+" returns the first index of the maximum of n >= 1 elements, where NaN is passed over. The index",
		"is 0 if the first element is NaN.")
	n, x := a.load("n"), a.load("x")
	best := a.vec()
	a.op(f.broadcast(operand.Mem{Base: x}, best))
	a.accumulateMax(f, n, x, best)
	a.broadcastMax(f, best)

	index, bits, left, v := a.GP64(), a.GP64(), a.GP64(), a.vec()
	found := a.newLabel("found")
	a.op(x86.XORQ(index, index))
	a.op(x86.MOVQ(n, left))
	m := operand.Mem{Base: x, Index: index, Scale: uint8(f.bytes)}
	a.chunks(left, f.lanes(a.isa), func() {
		a.op(f.move(m, v))
		a.equalLanes(f, v, best, bits)
		a.op(x86.TESTQ(bits, bits))
		a.op(x86.JNZ(operand.LabelRef(found)))
		a.advance(f.lanes(a.isa), index)
	})
	a.tail(f, left, func(t tailMask) {
		t.load(m, v)
		a.equalLanes(f, v, best, bits)
		a.op(x86.ANDQ(a.prefixBits(left), bits))
		a.op(x86.JNZ(operand.LabelRef(found)))
	})
	a.op(x86.MOVQ(operand.U32(0), a.result("index")))
	a.ret()
	a.label(found)
	a.op(x86.BSFQ(bits, bits))
	a.op(x86.ADDQ(bits, index))
	a.op(x86.MOVQ(index, a.result("index")))
	a.ret()
}

// accumulateMax raises the lanes of best to the maxima of the elements that fall on them.
func (a *assembler) accumulateMax(f float, n, x reg.GPVirtual, best reg.VecVirtual) {
	left, p := a.GP64(), a.GP64()
	a.op(x86.MOVQ(n, left))
	a.op(x86.MOVQ(x, p))
	v := a.vec()
	a.chunks(left, f.lanes(a.isa), func() {
		a.op(f.move(operand.Mem{Base: p}, v))
		a.op(f.maximum(best, v, best)) // the first operand, if one is NaN
		a.advance(a.bytes(), p)
	})
	a.tail(f, left, func(t tailMask) {
		t.load(operand.Mem{Base: p}, v)
		if a.isa == avx512 {
			a.op(f.maximum(best, v, t.k, best))
			return
		}
		a.op(f.blend(t.v, v, best, v))
		a.op(f.maximum(best, v, best))
	})
}

// broadcastMax replaces every lane by the maximum of all.
func (a *assembler) broadcastMax(f float, v reg.VecVirtual) {
	half := v.AsY()
	if a.isa == avx512 {
		high := a.YMM()
		a.op(x86.VEXTRACTF64X4(operand.U8(1), v, high))
		a.op(f.maximum(high, half, half))
	}
	quarter, other := v.AsX(), a.XMM()
	a.op(x86.VEXTRACTF128(operand.U8(1), half, other))
	a.op(f.maximum(other, quarter, quarter))
	a.op(x86.VPERMILPS(operand.U8(0x4e), quarter, other)) // exchanges 64 bits
	a.op(f.maximum(other, quarter, quarter))
	if f.bytes == 4 {
		a.op(x86.VPERMILPS(operand.U8(0xb1), quarter, other)) // exchanges 32 bits
		a.op(f.maximum(other, quarter, quarter))
	}
	a.op(f.broadcast(quarter, v))
}

// equalLanes sets a bit for every lane that is equal in x and y.
func (a *assembler) equalLanes(f float, x, y reg.VecVirtual, bits reg.GPVirtual) {
	const equal = operand.U8(0)
	if a.isa == avx512 {
		k := a.K()
		a.op(f.compare(equal, x, y, k))
		a.op(x86.KMOVW(k, bits.As32()))
		return
	}
	same := a.vec()
	a.op(f.compare(equal, x, y, same))
	a.op(f.signs(same, bits.As32()))
}
