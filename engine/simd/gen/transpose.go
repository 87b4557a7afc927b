package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

func transposeKernels(a *assembler) {
	for _, f := range floats {
		transpose(a, f)
	}
}

// transpose writes the kernel that turns rows into columns, as many as a vector has lanes. It works
// through square blocks: loads a vector of each row, transposes in registers and stores.
func transpose(a *assembler, f float) {
	lanes := f.lanes(a.isa)
	name := "transpose" + f.name + a.suffix()
	a.function(name, fmt.Sprintf("func(n int, dst *%s, dstRow int, rows **%s)", f.goType, f.goType),
		fmt.Sprintf("%s writes the first n elements of %d rows, given by an array of pointers, as columns of dst:",
			name, lanes),
		"element p of row i to the place i of row p. Rows of dst are dstRow bytes apart.")
	n, dst, stride, rows := a.load("n"), a.load("dst"), a.load("dstRow"), a.load("rows")
	offset := a.GP64()
	a.op(x86.XORQ(offset, offset))
	row := func(i int) operand.Mem {
		p := a.GP64()
		a.op(x86.MOVQ(operand.Mem{Base: rows, Disp: 8 * i}, p))
		return operand.Mem{Base: p, Index: offset, Scale: 1}
	}
	a.chunks(n, lanes, func() {
		v := a.vecs(lanes)
		for i := range v {
			a.op(f.move(row(i), v[i]))
		}
		for _, column := range a.transposed(f, v) {
			a.op(f.move(column, operand.Mem{Base: dst}))
			a.op(x86.ADDQ(stride, dst))
		}
		a.advance(a.bytes(), offset)
	})
	a.tail(f, n, func(t tailMask) {
		v := a.vecs(lanes)
		for i := range v {
			t.load(row(i), v[i])
		}
		done := a.newLabel("done")
		for i, column := range a.transposed(f, v) {
			a.op(f.move(column, operand.Mem{Base: dst}))
			if i < lanes-1 {
				a.op(x86.DECQ(n))
				a.op(x86.JZ(operand.LabelRef(done)))
				a.op(x86.ADDQ(stride, dst))
			}
		}
		a.label(done)
	})
	a.ret()
}

// transposed returns the columns of a square block given by its rows. Within every 128 bits the
// elements of groups of rows are interleaved; then the 128 bit blocks are themselves transposed.
func (a *assembler) transposed(f float, rows []reg.VecVirtual) []reg.VecVirtual {
	perBlock := 16 / f.bytes
	groups := make([][]reg.VecVirtual, 0, len(rows)/perBlock)
	for i := 0; i < len(rows); i += perBlock {
		groups = append(groups, a.interleaved(f, rows[i:i+perBlock]))
	}
	columns := make([]reg.VecVirtual, len(rows))
	for c := range perBlock {
		blocks := make([]reg.VecVirtual, len(groups))
		for g := range groups {
			blocks[g] = groups[g][c]
		}
		for block, column := range a.transposedBlocks(blocks) {
			columns[block*perBlock+c] = column
		}
	}
	return columns
}

// interleaved returns, for each place c in 128 bits, the vector of the elements c of the rows.
func (a *assembler) interleaved(f float, rows []reg.VecVirtual) []reg.VecVirtual {
	both := func(low, high instruction, x, y reg.VecVirtual) (l, h reg.VecVirtual) {
		l, h = a.vec(), a.vec()
		a.op(low(y, x, l))
		a.op(high(y, x, h))
		return l, h
	}
	if f.bytes == 8 {
		l, h := both(x86.VUNPCKLPD, x86.VUNPCKHPD, rows[0], rows[1])
		return []reg.VecVirtual{l, h}
	}
	l01, h01 := both(x86.VUNPCKLPS, x86.VUNPCKHPS, rows[0], rows[1])
	l23, h23 := both(x86.VUNPCKLPS, x86.VUNPCKHPS, rows[2], rows[3])
	c0, c1 := both(x86.VUNPCKLPD, x86.VUNPCKHPD, l01, l23)
	c2, c3 := both(x86.VUNPCKLPD, x86.VUNPCKHPD, h01, h23)
	return []reg.VecVirtual{c0, c1, c2, c3}
}

// transposedBlocks transposes a square block of 128 bit blocks.
func (a *assembler) transposedBlocks(v []reg.VecVirtual) []reg.VecVirtual {
	if a.isa == avx2 {
		low, high := a.vec(), a.vec()
		a.op(x86.VPERM2F128(operand.U8(0x20), v[1], v[0], low))
		a.op(x86.VPERM2F128(operand.U8(0x31), v[1], v[0], high))
		return []reg.VecVirtual{low, high}
	}
	const even, odd = 0x88, 0xdd
	mixed := func(order int, x, y reg.VecVirtual) reg.VecVirtual {
		z := a.vec()
		a.op(x86.VSHUFF32X4(operand.U8(order), y, x, z))
		return z
	}
	e01, o01 := mixed(even, v[0], v[1]), mixed(odd, v[0], v[1])
	e23, o23 := mixed(even, v[2], v[3]), mixed(odd, v[2], v[3])
	return []reg.VecVirtual{mixed(even, e01, e23), mixed(even, o01, o23), mixed(odd, e01, e23), mixed(odd, o01, o23)}
}
