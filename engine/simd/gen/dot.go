package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// dotRows is the number of rows of a matrix that one kernel multiplies by a vector.
const dotRows = 8

func dotKernels(a *assembler) {
	for _, f := range floats {
		dot(a, f)
		dots(a, f)
	}
}

// dot writes the kernel of one inner product. Four sums hide the latency of the additions.
func dot(a *assembler, f float) {
	const sums = 4
	name := "dot" + f.name + a.suffix()
	a.function(name, fmt.Sprintf("func(n int, x, y *%s) (sum %s)", f.goType, f.goType),
		name+" is the inner product of two vectors of n elements.")
	n, x, y := a.load("n"), a.load("x"), a.load("y")
	sum := a.vecs(sums)
	for _, s := range sum {
		a.zero(s)
	}
	accumulate := func(v int) {
		t := a.vec()
		m := operand.Mem{Disp: v * a.bytes()}
		m.Base = x
		a.op(f.move(m, t))
		m.Base = y
		a.op(f.multiplyAdd(m, t, sum[v]))
	}
	a.chunks(n, sums*f.lanes(a.isa), func() {
		for v := range sum {
			accumulate(v)
		}
		a.advance(sums*a.bytes(), x, y)
	})
	a.op(f.add(sum[1], sum[0], sum[0]))
	a.op(f.add(sum[3], sum[2], sum[2]))
	a.op(f.add(sum[2], sum[0], sum[0]))
	a.chunks(n, f.lanes(a.isa), func() {
		accumulate(0)
		a.advance(a.bytes(), x, y)
	})
	a.tail(f, n, func(t tailMask) {
		v := a.vec()
		t.load(operand.Mem{Base: x}, v)
		t.multiplyAdd(operand.Mem{Base: y}, v, sum[0])
	})
	half := a.fold(f, sum[0])
	a.op(f.horizontal(half, half, half))
	if f.bytes == 4 {
		a.op(f.horizontal(half, half, half))
	}
	low := a.XMM()
	a.op(x86.VEXTRACTF128(operand.U8(1), half, low))
	a.op(f.addScalar(low, half.AsX(), low))
	a.op(f.moveScalar(low, a.result("sum")))
	a.ret()
}

// dots writes the kernel of the inner products of eight rows with one vector.
func dots(a *assembler, f float) {
	name := "dots" + f.name + a.suffix()
	a.function(name, fmt.Sprintf("func(n int, a *%s, aRow int, x, sums *%s)", f.goType, f.goType),
		fmt.Sprintf("%s writes to sums the inner products of x with %d rows of a, which are aRow bytes apart.",
			name, dotRows))
	n, row, x := a.load("n"), a.load("aRow"), a.load("x")
	base := []reg.GPVirtual{a.load("a"), a.GP64(), a.GP64()}
	for i := 1; i < len(base); i++ {
		a.op(x86.LEAQ(operand.Mem{Base: base[i-1], Index: row, Scale: 1}, base[i]))
		a.op(x86.LEAQ(operand.Mem{Base: base[i], Index: row, Scale: 2}, base[i]))
	}
	at := func(i int) operand.Mem {
		if i%3 == 0 {
			return operand.Mem{Base: base[i/3]}
		}
		return operand.Mem{Base: base[i/3], Index: row, Scale: uint8(i % 3)}
	}
	sum := a.vecs(dotRows)
	for _, s := range sum {
		a.zero(s)
	}
	a.chunks(n, f.lanes(a.isa), func() {
		v := a.vec()
		a.op(f.move(operand.Mem{Base: x}, v))
		for i, s := range sum {
			a.op(f.multiplyAdd(at(i), v, s))
		}
		a.advance(a.bytes(), append(base, x)...)
	})
	a.tail(f, n, func(t tailMask) {
		v := a.vec()
		t.load(operand.Mem{Base: x}, v)
		for i, s := range sum {
			t.multiplyAdd(at(i), v, s)
		}
	})
	out := a.load("sums")
	for i, v := range a.sumsOf(f, sum) {
		a.op(f.move(v, operand.Mem{Base: out, Disp: 32 * i}))
	}
	a.ret()
}

// fold returns the sum of the halves of a vector of 512 bits, in 256 bits.
func (a *assembler) fold(f float, v reg.VecVirtual) reg.VecVirtual {
	if a.isa != avx512 {
		return v
	}
	high := a.YMM()
	a.op(x86.VEXTRACTF64X4(operand.U8(1), v, high))
	a.op(f.add(high, v.AsY(), high))
	return high
}

// sumsOf adds up the lanes of each of eight vectors. The sums fill one vector of 256 bits for
// float32, two for float64.
func (a *assembler) sumsOf(f float, v []reg.VecVirtual) []reg.VecVirtual {
	h := make([]reg.VecVirtual, len(v))
	for i := range v {
		h[i] = a.fold(f, v[i])
	}
	pairs := func(in []reg.VecVirtual) (out []reg.VecVirtual) {
		for i := 0; i < len(in); i += 2 {
			a.op(f.horizontal(in[i+1], in[i], in[i]))
			out = append(out, in[i])
		}
		return out
	}
	h = pairs(h)
	if f.bytes == 4 {
		h = pairs(h)
	}
	var sums []reg.VecVirtual
	for i := 0; i < len(h); i += 2 {
		low, high := a.YMM(), a.YMM()
		a.op(x86.VPERM2F128(operand.U8(0x20), h[i+1], h[i], low))
		a.op(x86.VPERM2F128(operand.U8(0x31), h[i+1], h[i], high))
		a.op(f.add(low, high, low))
		sums = append(sums, low)
	}
	return sums
}
