package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// philoxKernels writes the random function Philox4x32-10 (Salmon et al., SC 2011) and what keeps elements by its words.
func philoxKernels(a *assembler) {
	philox(a)
	for _, f := range floats {
		keep(a, f)
	}
}

// philox writes the kernel of consecutive counters. Each has a lane of 64 bits in four registers, one for each of its
// words: the lower halves are the words, the upper ones are left as the products leave them, for a product reads lower
// halves only.
func philox(a *assembler) {
	lanes := a.bytes() / 8
	name := "philox" + a.suffix()
	a.function(name, "func(groups int, words, counter, keys *uint32)",
		fmt.Sprintf("%s computes the words of %d counters for each group, with the keys of all rounds.", name, lanes))
	groups, words, keys := a.load("groups"), a.load("words"), operand.Mem{Base: a.load("keys")}
	counter := operand.Mem{Base: a.load("counter")}
	constant := func(v uint32) reg.VecVirtual {
		r := a.vec()
		a.op(x86.VPBROADCASTQ(a.table(fmt.Sprintf("word%x", v), operand.U64(v)), r))
		return r
	}
	first, second, step := constant(0xD2511F53), constant(0xCD9E8D57), constant(uint32(lanes))
	var start [4]reg.VecVirtual
	for i := range start {
		start[i] = a.vec()
		a.op(x86.VPBROADCASTD(counter.Offset(4*i), start[i]))
	}
	// Counters j and lanes/2 + j are neighbours, so that the halves of what is unpacked at the end are consecutive.
	var order []operand.Constant
	for j := range lanes / 2 {
		order = append(order, operand.U64(j), operand.U64(lanes/2+j))
	}
	a.op(x86.VPADDD(a.table("counters", order...), start[0], start[0]))
	var odd reg.OpmaskVirtual
	if a.isa == avx512 {
		odd = a.K()
		bits := a.GP32()
		a.op(x86.MOVL(operand.U32(0xaaaa), bits))
		a.op(x86.KMOVW(bits, odd))
	}
	pair := func(low, high reg.VecVirtual) { // of the words in the lower halves of lanes
		if a.isa == avx512 {
			a.op(x86.VMOVSLDUP(high, odd, low))
			return
		}
		a.op(x86.VPSLLQ(operand.U8(32), high, high))
		a.op(x86.VPBLENDD(operand.U8(0xaa), high, low, low))
	}
	a.chunks(groups, 1, func() {
		v := start
		for round := range 10 {
			ofFirst, ofSecond := a.vec(), a.vec()
			a.op(x86.VPMULUDQ(first, v[0], ofFirst))
			a.op(x86.VPMULUDQ(second, v[2], ofSecond))
			left := a.mixed(ofSecond, v[1], keys.Offset(8*round))
			right := a.mixed(ofFirst, v[3], keys.Offset(8*round+4))
			v = [4]reg.VecVirtual{left, ofSecond, right, ofFirst}
		}
		pair(v[0], v[1])
		pair(v[2], v[3])
		low, high := a.vec(), a.vec()
		a.op(x86.VPUNPCKLQDQ(v[2], v[0], low))
		a.op(x86.VPUNPCKHQDQ(v[2], v[0], high))
		a.storeWords(low, operand.Mem{Base: words})
		a.storeWords(high, operand.Mem{Base: words, Disp: a.bytes()})
		a.op(x86.VPADDD(step, start[0], start[0]))
		a.advance(2*a.bytes(), words)
	})
	a.ret()
}

// mixed returns, in the lower halves of lanes, the upper halves of products combined with words and a key.
func (a *assembler) mixed(products, words reg.VecVirtual, key operand.Mem) reg.VecVirtual {
	out := a.vec()
	a.op(x86.VPSRLQ(operand.U8(32), products, out))
	if a.isa == avx512 {
		const threefold = operand.U8(0x96) // exclusive or
		a.op(x86.VPTERNLOGD_BCST(threefold, key, words, out))
		return out
	}
	all := a.vec()
	a.op(x86.VPBROADCASTD(key, all))
	a.op(x86.VPXOR(words, out, out))
	a.op(x86.VPXOR(all, out, out))
	return out
}

func (a *assembler) storeWords(v reg.VecVirtual, m operand.Mem) {
	if a.isa == avx512 {
		a.op(x86.VMOVDQU32(v, m))
		return
	}
	a.op(x86.VMOVDQU(v, m))
}

// keep writes the kernel of y[i] = factor*x[i] where words[i] >= least, else 0.
func keep(a *assembler, f float) {
	name := "keep" + f.name + a.suffix()
	a.function(name,
		fmt.Sprintf("func(n int, y, x *%s, words *uint32, least uint32, factor %s)", f.goType, f.goType),
		name+" computes y[i] = factor*x[i] where words[i] >= least, else 0, for n elements.")
	n, y, x, words := a.load("n"), a.load("y"), a.load("x"), a.load("words")
	factor, least := a.vec(), a.words(f)
	a.op(f.broadcast(a.param("factor"), factor))
	word, one := a.GP32(), a.XMM()
	a.op(x86.MOVL(a.param("least"), word))
	a.op(x86.VMOVD(word, one))
	a.op(x86.VPBROADCASTD(one, least))
	at := func(p reg.GPVirtual) operand.Mem { return operand.Mem{Base: p} }
	a.chunks(n, f.lanes(a.isa), func() {
		v, w := a.vec(), a.words(f)
		a.op(f.move(at(x), v))
		if a.isa == avx512 {
			a.op(x86.VMOVDQU32(at(words), w))
		} else {
			a.op(x86.VMOVDQU(at(words), w))
		}
		a.keepWhere(f, v, factor, w, least)
		a.op(f.move(v, at(y)))
		a.advance(a.bytes(), x, y)
		a.advance(4*f.lanes(a.isa), words)
	})
	a.tail(f, n, func(t tailMask) {
		v, w := a.vec(), a.words(f)
		t.load(at(x), v)
		if a.isa == avx512 {
			a.op(x86.VMOVDQU32_Z(at(words), t.k, w))
		} else {
			mask := a.words(f)
			a.op(x86.VMOVDQU(a.laneMask(floats[0], n), mask))
			a.op(x86.VPMASKMOVD(at(words), mask, w))
		}
		a.keepWhere(f, v, factor, w, least)
		t.store(v, at(y))
	})
	a.ret()
}

// words returns a fresh register for as many words as there are elements in a vector.
func (a *assembler) words(f float) reg.VecVirtual {
	switch f.lanes(a.isa) {
	case 16:
		return a.ZMM()
	case 8:
		return a.YMM()
	}
	return a.XMM()
}

// keepWhere replaces v by its product with a factor where words are at least so large, by 0 elsewhere.
func (a *assembler) keepWhere(f float, v, factor, words, least reg.VecVirtual) {
	if a.isa == avx512 {
		const notLess = operand.U8(5)
		k := a.K()
		a.op(x86.VPCMPUD(notLess, least, words, k))
		a.op(f.mulZeroed(v, factor, k, v))
		return
	}
	larger, kept := a.words(f), a.vec()
	a.op(x86.VPMAXUD(least, words, larger))
	a.op(x86.VPCMPEQD(larger, words, larger))
	if f.bytes == 4 {
		kept = larger
	} else {
		a.op(x86.VPMOVSXDQ(larger, kept))
	}
	a.op(f.mul(factor, v, v))
	a.op(x86.VPAND(kept, v, v))
}
