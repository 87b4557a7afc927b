package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// exponential computes exp(t), t = scale*x + shift, by
//
//	exp(t) = 2^n * 2^(j/J) * exp(r),   n + j/J = round(J*t/log 2)/J,   r = t - (n + j/J)*log 2
//
// where 2^(j/J) comes from a table of J = 2^bits numbers in registers, exp(r) is a Taylor polynomial
// and r, at most log 2/(2J) in magnitude, is computed with log 2 in two parts. Adding 1.5 times a
// power of two to J*t/log 2 rounds it, and leaves n and j in the lowest bits.
type exponential struct {
	*loop
	bits         int // of the table
	degree       int // of the polynomial
	scale, shift operand.Op
	constants    map[string]operand.Op
	tables       []reg.VecVirtual
}

// expRange are the arguments between which results are normal numbers. Beyond expLimits they are +Inf
// and 0, even without normal numbers below the smallest one.
var (
	expRange  = map[int][2]float64{4: {-87.33654, 88.72283}, 8: {-708.396418532264, 709.782712893384}}
	expLimits = map[int][2]float64{4: {-104, 89}, 8: {-746, 710}}
)

func newExponential(k *loop) *exponential {
	e := &exponential{loop: k, constants: map[string]operand.Op{}}
	switch { // tables have as many numbers as one or two registers hold
	case k.isa == avx512 && k.f.bytes == 4:
		e.bits, e.degree = 4, 3
	case k.isa == avx512:
		e.bits, e.degree = 4, 7
	case k.f.bytes == 4:
		e.bits, e.degree = 3, 4
	default: // AVX2 cannot look up numbers of 64 bits
		e.bits, e.degree = 0, 13
	}
	e.scale, e.shift = k.scalar("scale"), k.scalar("shift")
	mantissa := 23
	if k.f.bytes == 8 {
		mantissa = 52
	}
	e.constant("log2e", math.Log2E)
	e.constant("rounder", math.Ldexp(1.5, mantissa-e.bits))
	high := math.Ln2
	low := 2.319046813846299616e-17 // log 2 - float64(log 2)
	if k.f.bytes == 4 {
		high = float64(float32(math.Ln2))
		low = math.Ln2 - high
	}
	e.constant("ln2High", high)
	e.constant("ln2Low", low)
	factorial := 1.0
	for d := 1; d <= e.degree; d++ {
		factorial *= float64(d)
		e.constant(fmt.Sprintf("coefficient%d", d), 1/factorial)
	}
	limits := expRange[k.f.bytes]
	if k.isa == avx512 {
		limits = expLimits[k.f.bytes]
	}
	e.constant("low", limits[0])
	e.constant("high", limits[1])
	if k.isa == avx2 {
		e.constant("infinity", math.Inf(1))
	}
	e.loadTables()
	return e
}

// constant provides a vector of equal numbers: in a register in AVX-512, in memory in AVX2, which has
// fewer registers.
func (e *exponential) constant(name string, value float64) {
	m := e.table(name+e.f.name, e.repeated(value)...)
	if e.isa == avx2 {
		e.constants[name] = m
		return
	}
	v := e.vec()
	e.op(e.f.broadcast(m, v))
	e.constants[name] = v
}

func (e *exponential) repeated(value float64) []operand.Constant {
	var words []operand.Constant
	for range e.f.lanes(e.isa) {
		words = append(words, e.word(value))
		if e.isa == avx512 {
			break // it is broadcast
		}
	}
	return words
}

func (e *exponential) word(value float64) operand.Constant {
	if e.f.bytes == 4 {
		return operand.U32(math.Float32bits(float32(value)))
	}
	return operand.U64(math.Float64bits(value))
}

// loadTables puts the powers 2^(j/J) into registers.
func (e *exponential) loadTables() {
	if e.bits == 0 {
		return
	}
	var words []operand.Constant
	for j := range 1 << e.bits {
		words = append(words, e.word(math.Exp2(float64(j)/float64(int(1)<<e.bits))))
	}
	m := e.table("powers"+e.f.name, words...)
	for at := 0; at < len(words)*e.f.bytes; at += e.bytes() {
		v := e.vec()
		e.op(e.f.move(m.Offset(at), v))
		e.tables = append(e.tables, v)
	}
}

// of replaces x by exp(scale*x + shift).
func (e *exponential) of(x reg.VecVirtual) reg.VecVirtual {
	f, c := e.f, e.constants
	e.op(f.multiplyAddTo(e.shift, e.scale, x))
	if e.isa == avx512 { // these keep NaN, their first operand
		e.op(f.minimum(x, c["high"], x))
		e.op(f.maximum(x, c["low"], x))
	}
	rounded, n, r := e.vec(), e.vec(), e.vec()
	e.op(f.move(c["rounder"], rounded))
	e.op(f.multiplyAdd(c["log2e"], x, rounded))
	e.op(f.sub(c["rounder"], rounded, n))
	e.op(f.move(x, r))
	e.op(f.negMultiplyAdd(c["ln2High"], n, r))
	e.op(f.negMultiplyAdd(c["ln2Low"], n, r))
	p := e.vec()
	e.op(f.move(c[fmt.Sprintf("coefficient%d", e.degree)], p))
	for d := e.degree - 1; d >= 1; d-- {
		e.op(f.multiplyAddTo(c[fmt.Sprintf("coefficient%d", d)], r, p))
	}
	if e.isa == avx512 {
		power := e.lookUp(rounded)
		e.op(f.mul(r, p, p))
		e.op(f.multiplyAddTo(power, power, p))
		e.op(f.scalef(n, p, p)) // rounds n + j/J down
		return p
	}
	if e.bits > 0 {
		power := e.lookUp(rounded)
		e.op(f.mul(r, p, p))
		e.op(f.multiplyAddTo(power, power, p))
	} else {
		e.op(f.multiplyAddTo(c["coefficient1"], r, p)) // which is 1
	}
	e.addToExponent(rounded, p)
	return e.outside(x, p)
}

// lookUp returns the powers 2^(j/J), and leaves n in the bits of rounded.
func (e *exponential) lookUp(rounded reg.VecVirtual) reg.VecVirtual {
	if len(e.tables) == 2 {
		index := e.vec()
		e.op(e.f.move(rounded, index))
		e.op(x86.VPERMI2PD(e.tables[1], e.tables[0], index))
		return index
	}
	power := e.vec()
	e.op(x86.VPERMPS(e.tables[0], rounded, power))
	return power
}

// addToExponent multiplies p by 2^n, where the bits of rounded end in n and j, if the result is a
// normal number.
func (e *exponential) addToExponent(rounded, p reg.VecVirtual) {
	if e.f.bytes == 8 {
		e.op(x86.VPSLLQ(operand.U8(52), rounded, rounded))
		e.op(x86.VPADDQ(rounded, p, p))
		return
	}
	e.op(x86.VPSRLD(operand.U8(e.bits), rounded, rounded))
	e.op(x86.VPSLLD(operand.U8(23), rounded, rounded))
	e.op(x86.VPADDD(rounded, p, p))
}

// outside corrects p = exp(x) where it is not a normal number: 0 below, and x + Inf, that is +Inf or
// NaN, elsewhere.
func (e *exponential) outside(x, p reg.VecVirtual) reg.VecVirtual {
	const lessThan, notLessOrEqual = 0x11, 0x16
	f, c := e.f, e.constants
	below, above := e.vec(), e.vec()
	e.op(f.compare(operand.U8(lessThan), c["low"], x, below))
	e.op(f.compare(operand.U8(notLessOrEqual), c["high"], x, above))
	e.op(f.add(c["infinity"], x, x))
	e.op(f.andNot(p, below, p))
	e.op(f.blend(above, x, p, p))
	return p
}
