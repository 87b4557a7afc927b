package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// chunks repeats a body for every full chunk of so many elements and leaves in n what remains.
func (a *assembler) chunks(n reg.GPVirtual, elements int, body func()) {
	loop, done := a.newLabel("chunk"), a.newLabel("rest")
	a.op(x86.SUBQ(operand.U32(elements), n))
	a.op(x86.JLT(operand.LabelRef(done)))
	a.label(loop)
	body()
	a.op(x86.SUBQ(operand.U32(elements), n))
	a.op(x86.JGE(operand.LabelRef(loop)))
	a.label(done)
	a.op(x86.ADDQ(operand.U32(elements), n))
}

// advance moves pointers on.
func (a *assembler) advance(bytes int, pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		a.op(x86.ADDQ(operand.U32(bytes), p))
	}
}

// tail runs a body once, with a mask of the first n lanes, unless n is 0.
func (a *assembler) tail(f float, n reg.GPVirtual, body func(tailMask)) {
	end := a.newLabel("end")
	a.op(x86.TESTQ(n, n))
	a.op(x86.JZ(operand.LabelRef(end)))
	t := tailMask{a: a, f: f}
	if a.isa == avx512 {
		t.k = a.K()
		a.op(x86.KMOVW(a.prefixBits(n).As32(), t.k))
	} else {
		t.v = a.vec()
		a.op(f.move(a.laneMask(f, n), t.v))
	}
	body(t)
	a.label(end)
}

// tailMask accesses the first lanes of vectors in memory. The other lanes are not touched, and read
// as 0.
type tailMask struct {
	a *assembler
	f float
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

func (t tailMask) load(m operand.Mem, v reg.VecVirtual) {
	if t.a.isa == avx512 {
		t.a.op(t.f.loadZeroed(m, t.k, v))
		return
	}
	t.a.op(t.f.maskedMoveAVX2(m, t.v, v))
}

func (t tailMask) store(v reg.VecVirtual, m operand.Mem) {
	if t.a.isa == avx512 {
		t.a.op(t.f.move(v, t.k, m))
		return
	}
	t.a.op(t.f.maskedMoveAVX2(v, t.v, m))
}

// multiplyAdd is sum += m*v.
func (t tailMask) multiplyAdd(m operand.Mem, v, sum reg.VecVirtual) {
	if t.a.isa == avx512 {
		t.a.op(t.f.multiplyAdd(m, v, t.k, sum))
		return
	}
	x := t.a.vec()
	t.load(m, x)
	t.a.op(t.f.multiplyAdd(x, v, sum))
}
