package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// gemmRows lists the heights of the tiles of C: the tallest that leaves registers for a row of B and
// an element of A when it is two vectors wide, and smaller ones of which every remainder is a sum.
func gemmRows(set isa) []int {
	if set == avx512 {
		return []int{12, 8, 4, 2, 1}
	}
	return []int{6, 4, 2, 1}
}

func gemmKernels(a *assembler) {
	for _, f := range floats {
		for _, rows := range gemmRows(a.isa) {
			for _, vectors := range []int{2, 1} {
				newTile(a, f, rows, vectors).write()
			}
		}
	}
}

// tile is the kernel of a tile of C, rows high and a number of vectors wide, that stays in registers
// while the kernel walks along the inner dimension.
type tile struct {
	*assembler
	f             float
	rows, vectors int
	sets          int                  // independent sums, so that short tiles are not bound by latency
	sums          [][][]reg.VecVirtual // set, row, vector
	aBase         []reg.GPVirtual      // address of every third row of A
	aRow, aCol    reg.GPVirtual        // strides in bytes
	b, bRow       reg.GPVirtual        // address of a row of B and its stride
	c, cRow       reg.GPVirtual        //
	masks         []reg.OpmaskVirtual  // AVX-512: the columns of each vector that exist
	mask          reg.VecVirtual       // AVX2, one vector: the columns that exist
}

func newTile(a *assembler, f float, rows, vectors int) *tile {
	t := &tile{assembler: a, f: f, rows: rows, vectors: vectors, sets: 1}
	for t.sets < 4 && rows*vectors*t.sets < 8 {
		t.sets *= 2
	}
	return t
}

func tileName(f float, set isa, rows, vectors int) string {
	return fmt.Sprintf("gemm%s%sRows%dVectors%d", f.name, set.suffix(), rows, vectors)
}

// masked reports whether the kernel serves tiles of fewer columns than it has. In AVX2, where masks
// are costly, only the kernels of one vector do.
func (t *tile) masked() bool { return t.isa == avx512 || t.vectors == 1 }

func (t *tile) write() {
	name := tileName(t.f, t.isa, t.rows, t.vectors)
	T := t.f.goType
	t.function(name,
		fmt.Sprintf("func(k int, a *%s, aRow, aCol int, b *%s, bRow int, c *%s, cRow int, alpha, beta %s, cols int)",
			T, T, T, T),
		fmt.Sprintf("%s computes C = alpha*A*B + beta*C for %d rows and cols <= %d columns of C, and k >= 1.",
			name, t.rows, t.vectors*t.f.lanes(t.isa)),
		"Strides of rows and columns are in bytes; rows of B and C are contiguous. C is not read if beta is 0.")
	k := t.load("k")
	t.loadOperands()
	t.clear()
	if t.sets > 1 {
		t.unrolled(k)
	}
	next := t.newLabel("next")
	done := t.newLabel("done")
	if t.sets > 1 {
		t.op(x86.TESTQ(k, k))
		t.op(x86.JZ(operand.LabelRef(done)))
	}
	t.label(next)
	t.step(0)
	t.op(x86.DECQ(k))
	t.op(x86.JNZ(operand.LabelRef(next)))
	t.label(done)
	t.combine()
	t.finish()
	t.ret()
}

func (t *tile) loadOperands() {
	t.aRow, t.aCol = t.load("aRow"), t.load("aCol")
	base := t.load("a")
	t.aBase = []reg.GPVirtual{base}
	for row := 3; row < t.rows; row += 3 {
		next := t.GP64()
		t.op(x86.LEAQ(operand.Mem{Base: base, Index: t.aRow, Scale: 1}, next))
		t.op(x86.LEAQ(operand.Mem{Base: next, Index: t.aRow, Scale: 2}, next))
		t.aBase = append(t.aBase, next)
		base = next
	}
	t.b, t.bRow = t.load("b"), t.load("bRow")
	t.c, t.cRow = t.load("c"), t.load("cRow")
	t.loadMasks()
	if t.rows >= 6 {
		t.prefetch()
	}
}

// loadMasks turns the number of columns into masks.
func (t *tile) loadMasks() {
	if !t.masked() {
		return
	}
	if t.isa == avx2 {
		t.mask = t.vec()
		t.op(t.f.move(t.laneMask(t.f, t.load("cols")), t.mask))
		return
	}
	t.masks = t.columnMasks(t.f, t.vectors)
}

// prefetch asks for the rows of C, which are needed when the sums are complete.
func (t *tile) prefetch() {
	p := t.GP64()
	t.op(x86.MOVQ(t.c, p))
	for row := range t.rows {
		for v := 0; v < t.vectors*t.bytes(); v += 64 {
			t.op(x86.PREFETCHT0(operand.Mem{Base: p, Disp: v}))
		}
		if row+1 < t.rows {
			t.op(x86.ADDQ(t.cRow, p))
		}
	}
}

func (t *tile) clear() {
	for range t.sets {
		var set [][]reg.VecVirtual
		for range t.rows {
			sums := t.vecs(t.vectors)
			for _, sum := range sums {
				t.zero(sum)
			}
			set = append(set, sums)
		}
		t.sums = append(t.sums, set)
	}
}

// unrolled takes as many steps at a time as there are sets, and leaves in k what remains.
func (t *tile) unrolled(k reg.GPVirtual) {
	loop, done := t.newLabel("unrolled"), t.newLabel("rest")
	t.op(x86.SUBQ(operand.U8(t.sets), k))
	t.op(x86.JLT(operand.LabelRef(done)))
	t.label(loop)
	for set := range t.sets {
		t.step(set)
	}
	t.op(x86.SUBQ(operand.U8(t.sets), k))
	t.op(x86.JGE(operand.LabelRef(loop)))
	t.label(done)
	t.op(x86.ADDQ(operand.U8(t.sets), k))
}

// step adds the product of a column of A and a row of B to a set of sums.
func (t *tile) step(set int) {
	row := t.vecs(t.vectors)
	for v := range row {
		m := operand.Mem{Base: t.b, Disp: v * t.bytes()}
		switch {
		case t.isa == avx512:
			t.op(t.f.loadZeroed(m, t.masks[v], row[v]))
		case t.masked():
			t.op(t.f.maskedMoveAVX2(m, t.mask, row[v]))
		default:
			t.op(t.f.move(m, row[v]))
		}
	}
	t.op(x86.ADDQ(t.bRow, t.b))
	for i := range t.rows {
		m := operand.Mem{Base: t.aBase[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = t.aRow, uint8(i%3)
		}
		if t.isa == avx512 && t.vectors == 1 {
			t.op(t.f.broadcastMultiplyAdd(m, row[0], t.sums[set][i][0]))
			continue
		}
		x := t.vec()
		t.op(t.f.broadcast(m, x))
		for v := range row {
			t.op(t.f.multiplyAdd(row[v], x, t.sums[set][i][v]))
		}
	}
	for _, base := range t.aBase {
		t.op(x86.ADDQ(t.aCol, base))
	}
}

// combine adds all sets of sums into the first.
func (t *tile) combine() {
	for half := t.sets / 2; half > 0; half /= 2 {
		for set := range half {
			for i := range t.rows {
				for v := range t.vectors {
					t.op(t.f.add(t.sums[set+half][i][v], t.sums[set][i][v], t.sums[set][i][v]))
				}
			}
		}
	}
}

// finish writes alpha*sums + beta*C.
func (t *tile) finish() {
	alpha := t.vec()
	t.op(t.f.broadcast(t.param("alpha"), alpha))
	t.each(func(i, v int, _ operand.Mem) {
		sum := t.sums[0][i][v]
		t.op(t.f.mul(alpha, sum, sum))
	})
	store := t.newLabel("store")
	bits := t.GP64()
	if t.f.bytes == 4 {
		t.op(x86.MOVL(t.param("beta"), bits.As32()))
		t.op(x86.ADDL(bits.As32(), bits.As32())) // shifts out the sign
	} else {
		t.op(x86.MOVQ(t.param("beta"), bits))
		t.op(x86.ADDQ(bits, bits))
	}
	t.op(x86.JZ(operand.LabelRef(store)))
	beta := t.vec()
	t.op(t.f.broadcast(t.param("beta"), beta))
	t.eachInC(func(i, v int, m operand.Mem) {
		sum := t.sums[0][i][v]
		switch {
		case t.isa == avx512:
			t.op(t.f.multiplyAdd(m, beta, t.masks[v], sum))
		case t.masked():
			old := t.vec()
			t.op(t.f.maskedMoveAVX2(m, t.mask, old))
			t.op(t.f.multiplyAdd(old, beta, sum))
		default:
			t.op(t.f.multiplyAdd(m, beta, sum))
		}
	})
	t.label(store)
	t.store()
}

func (t *tile) store() {
	if t.isa == avx512 {
		t.eachInC(func(i, v int, m operand.Mem) { t.op(t.f.move(t.sums[0][i][v], t.masks[v], m)) })
		return
	}
	plain := func(i, v int, m operand.Mem) { t.op(t.f.move(t.sums[0][i][v], m)) }
	if !t.masked() {
		t.eachInC(plain)
		return
	}
	partial, end := t.newLabel("partial"), t.newLabel("end")
	t.op(x86.CMPQ(t.param("cols"), operand.U8(t.f.lanes(t.isa))))
	t.op(x86.JLT(operand.LabelRef(partial)))
	t.eachInC(plain)
	t.op(x86.JMP(operand.LabelRef(end)))
	t.label(partial)
	t.eachInC(func(i, v int, m operand.Mem) { t.op(t.f.maskedMoveAVX2(t.sums[0][i][v], t.mask, m)) })
	t.label(end)
}

// each visits the vectors of the tile.
func (t *tile) each(visit func(i, v int, m operand.Mem)) {
	for i := range t.rows {
		for v := range t.vectors {
			visit(i, v, operand.Mem{})
		}
	}
}

// eachInC visits the vectors of the tile with their places in C.
func (t *tile) eachInC(visit func(i, v int, m operand.Mem)) {
	p := t.GP64()
	t.op(x86.MOVQ(t.c, p))
	for i := range t.rows {
		for v := range t.vectors {
			visit(i, v, operand.Mem{Base: p, Disp: v * t.bytes()})
		}
		if i+1 < t.rows {
			t.op(x86.ADDQ(t.cRow, p))
		}
	}
}
