package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// widenKernels writes the kernels that read float32 and compute in float64. What remains of full vectors goes
// element by element, as the two types would need masks of their own.
func widenKernels(a *assembler) {
	axpyWide(a)
	dotWide(a)
}

func axpyWide(a *assembler) {
	f := floats[1]
	name := "axpyWideF32" + a.suffix()
	a.function(name, "func(n int, a float64, x *float32, y *float64)", name+" computes y[i] += a*x[i] for n elements.")
	n, x, y := a.load("n"), operand.Mem{Base: a.load("x")}, operand.Mem{Base: a.load("y")}
	factor := a.vec()
	a.op(f.broadcast(a.param("a"), factor))
	advance := func(elements int) {
		a.op(x86.ADDQ(operand.U32(4*elements), x.Base))
		a.op(x86.ADDQ(operand.U32(8*elements), y.Base))
	}
	a.chunks(n, f.lanes(a.isa), func() {
		wide, sum := a.vec(), a.vec()
		a.op(x86.VCVTPS2PD(x, wide))
		a.op(f.move(y, sum))
		a.op(f.multiplyAdd(wide, factor, sum))
		a.op(f.move(sum, y))
		advance(f.lanes(a.isa))
	})
	a.chunks(n, 1, func() {
		wide, sum := a.XMM(), a.XMM()
		a.op(x86.VXORPS(wide, wide, wide)) // the conversion keeps the upper lanes of its second operand
		a.op(x86.VCVTSS2SD(x, wide, wide))
		a.op(x86.VMOVSD(y, sum))
		a.op(x86.VFMADD231SD(wide, factor.AsX(), sum))
		a.op(x86.VMOVSD(sum, y))
		advance(1)
	})
	a.ret()
}

// dotWide writes the kernel of an inner product. Two sums hide the latency of the additions.
func dotWide(a *assembler) {
	f := floats[1]
	name := "dotWideF32" + a.suffix()
	a.function(name, "func(n int, x, y *float32) (sum float64)",
		name+" is the inner product in float64 of two vectors of n elements.")
	n, x, y := a.load("n"), a.load("x"), a.load("y")
	sum := a.vecs(2)
	for _, s := range sum {
		a.zero(s)
	}
	accumulate := func(v int) {
		left, right := a.vec(), a.vec()
		a.op(x86.VCVTPS2PD(operand.Mem{Base: x, Disp: v * a.bytes() / 2}, left))
		a.op(x86.VCVTPS2PD(operand.Mem{Base: y, Disp: v * a.bytes() / 2}, right))
		a.op(f.multiplyAdd(left, right, sum[v]))
	}
	a.chunks(n, len(sum)*f.lanes(a.isa), func() {
		for v := range sum {
			accumulate(v)
		}
		a.advance(len(sum)*a.bytes()/2, x, y)
	})
	a.op(f.add(sum[1], sum[0], sum[0]))
	a.chunks(n, f.lanes(a.isa), func() {
		accumulate(0)
		a.advance(a.bytes()/2, x, y)
	})
	half := a.fold(f, sum[0])
	a.op(f.horizontal(half, half, half))
	low := a.XMM()
	a.op(x86.VEXTRACTF128(operand.U8(1), half, low))
	a.op(f.addScalar(low, half.AsX(), low))
	a.chunks(n, 1, func() {
		left, right := a.XMM(), a.XMM()
		a.op(x86.VXORPS(left, left, left)) // the conversion keeps the upper lanes of its second operand
		a.op(x86.VCVTSS2SD(operand.Mem{Base: x}, left, left))
		a.op(x86.VXORPS(right, right, right))
		a.op(x86.VCVTSS2SD(operand.Mem{Base: y}, right, right))
		a.op(x86.VFMADD231SD(left, right, low))
		a.advance(4, x, y)
	})
	a.op(f.moveScalar(low, a.result("sum")))
	a.ret()
}
