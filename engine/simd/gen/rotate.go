package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// rotateKernels writes the kernel that applies a sequence of plane rotations to the rows of a matrix. Columns are
// independent: for some of them at a time it goes up the rows, with the row that comes from below in registers, so
// that every element is read and written once.
func rotateKernels(a *assembler) {
	f := floats[1]
	name := "rotateF64" + a.suffix()
	a.function(name, "func(cols int, u *float64, ld, count int, c, s *float64)",
		name+" rotates rows i and i+1 of u, ld bytes apart, by (c[i], s[i]) for i from count-1 down to 0.")
	k := &rotation{assembler: a, f: f, u: a.load("u"), ld: a.load("ld"), count: a.load("count"), c: a.load("c"),
		s: a.load("s")}
	cols := a.load("cols")
	for _, vectors := range []int{2, 1} {
		a.chunks(cols, vectors*f.lanes(a.isa), func() {
			k.columns(vectors,
				func(m operand.Mem, v reg.VecVirtual) { a.op(f.move(m, v)) },
				func(v reg.VecVirtual, m operand.Mem) { a.op(f.move(v, m)) })
			a.advance(vectors*a.bytes(), k.u)
		})
	}
	a.tail(f, cols, func(t tailMask) { k.columns(1, t.load, t.store) })
	a.ret()
}

// rotation holds the arguments of the kernel.
type rotation struct {
	*assembler
	f                  float
	u, ld, count, c, s reg.GPVirtual
}

// columns rotates the columns of so many vectors from u on.
func (k *rotation) columns(
	vectors int, load func(operand.Mem, reg.VecVirtual), store func(reg.VecVirtual, operand.Mem),
) {
	row, i := k.GP64(), k.GP64()
	k.op(x86.MOVQ(k.count, row))
	k.op(x86.IMULQ(k.ld, row))
	k.op(x86.ADDQ(k.u, row))
	k.op(x86.MOVQ(k.count, i))
	below := make([]reg.VecVirtual, vectors)
	at := func(v int) operand.Mem { return operand.Mem{Base: row, Disp: v * k.bytes()} }
	for v := range below {
		below[v] = k.vec()
		load(at(v), below[v])
	}
	loop := k.newLabel("row")
	k.label(loop)
	k.op(x86.DECQ(i))
	c, s := k.vec(), k.vec()
	k.op(k.f.broadcast(operand.Mem{Base: k.c, Index: i, Scale: 8}, c))
	k.op(k.f.broadcast(operand.Mem{Base: k.s, Index: i, Scale: 8}, s))
	above := k.GP64()
	k.op(x86.MOVQ(row, above))
	k.op(x86.SUBQ(k.ld, above))
	for v := range below {
		x, y, up := k.vec(), k.vec(), k.vec()
		load(operand.Mem{Base: above, Disp: v * k.bytes()}, x)
		k.op(k.f.mul(s, x, y)) // y = s x + c below
		k.op(k.f.multiplyAdd(c, below[v], y))
		store(y, at(v))
		k.op(k.f.mul(c, x, up)) // x = c x - s below
		k.op(k.f.negMultiplyAdd(s, below[v], up))
		k.op(k.f.move(up, below[v]))
	}
	k.op(x86.MOVQ(above, row))
	k.op(x86.TESTQ(i, i))
	k.op(x86.JNZ(operand.LabelRef(loop)))
	for v := range below {
		store(below[v], at(v))
	}
}
