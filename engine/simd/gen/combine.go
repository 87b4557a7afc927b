package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

func combineKernels(a *assembler) {
	for _, f := range floats {
		combine(a, f)
	}
}

// combine writes the kernel of a weighted sum of rows of a matrix. The sums of some columns stay in registers while
// all rows go by; each column adds up the rows in their order.
func combine(a *assembler, f float) {
	name := "combine" + f.name + a.suffix()
	a.function(name, fmt.Sprintf("func(n int, y *%s, rows int, index *int32, factor *float64, x *%s, xRow int)",
		f.goType, f.goType),
		name+" computes y[i] = sum over k < rows of factor[k] x[index[k]][i] for n elements; rows of x are xRow bytes apart.")
	n, x, y, xRow := a.load("n"), a.load("x"), a.load("y"), a.load("xRow")
	zero := a.XMM()
	a.op(x86.VXORPS(zero, zero, zero))
	// each runs add for every row, with its address and its factor in all lanes.
	each := func(add func(row operand.Mem, factor reg.VecVirtual)) {
		left, index, factor := a.load("rows"), a.load("index"), a.load("factor")
		loop, done := a.newLabel("row"), a.newLabel("rows")
		a.op(x86.TESTQ(left, left))
		a.op(x86.JZ(operand.LabelRef(done)))
		a.label(loop)
		at, all := a.GP64(), a.vec()
		a.op(x86.MOVLQSX(operand.Mem{Base: index}, at))
		a.op(x86.IMULQ(xRow, at))
		if f.bytes == 4 {
			single := a.XMM()
			a.op(x86.VCVTSD2SS(operand.Mem{Base: factor}, zero, single))
			a.op(f.broadcast(single, all))
		} else {
			a.op(f.broadcast(operand.Mem{Base: factor}, all))
		}
		add(operand.Mem{Base: x, Index: at, Scale: 1}, all)
		a.advance(4, index)
		a.advance(8, factor)
		a.op(x86.DECQ(left))
		a.op(x86.JNZ(operand.LabelRef(loop)))
		a.label(done)
	}
	full := func(vectors int) {
		a.chunks(n, vectors*f.lanes(a.isa), func() {
			sums := a.vecs(vectors)
			for _, s := range sums {
				a.zero(s)
			}
			each(func(row operand.Mem, factor reg.VecVirtual) {
				for v, s := range sums {
					a.op(f.multiplyAdd(row.Offset(v*a.bytes()), factor, s))
				}
			})
			for v, s := range sums {
				a.op(f.move(s, operand.Mem{Base: y, Disp: v * a.bytes()}))
			}
			a.advance(vectors*a.bytes(), x, y)
		})
	}
	full(4)
	full(2)
	full(1)
	a.tail(f, n, func(t tailMask) {
		sum := a.vec()
		a.zero(sum)
		each(func(row operand.Mem, factor reg.VecVirtual) { t.multiplyAdd(row, factor, sum) })
		t.store(sum, operand.Mem{Base: y})
	})
	a.ret()
}
