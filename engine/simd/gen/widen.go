package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// widenKernels writes the kernel that reads float32 and computes in float64. What remains of full vectors goes
// element by element, as the two types would need masks of their own.
func widenKernels(a *assembler) {
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
