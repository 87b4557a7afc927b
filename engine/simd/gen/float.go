package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// instruction constructs an instruction from its operands, destination last.
type instruction func(ops ...operand.Op) (*ir.Instruction, error)

// float is an element type with the instructions that work on it.
type float struct {
	name, goType string
	bytes        int

	move, broadcast, moveScalar, maskedMoveAVX2     instruction
	add, sub, mul, addScalar, horizontal            instruction
	maximum, minimum, compare, andNot, blend, signs instruction
	multiplyAdd, negMultiplyAdd, multiplyAddTo      instruction
	broadcastMultiplyAdd, scalef                    instruction
	loadZeroed                                      func(m, k, v operand.Op) (*ir.Instruction, error)
	mulZeroed                                       func(x, y, k, z operand.Op) (*ir.Instruction, error)
}

func three(f func(x, y, z operand.Op) (*ir.Instruction, error)) instruction {
	return func(ops ...operand.Op) (*ir.Instruction, error) { return f(ops[0], ops[1], ops[2]) }
}

func two(f func(x, y operand.Op) (*ir.Instruction, error)) instruction {
	return func(ops ...operand.Op) (*ir.Instruction, error) { return f(ops[0], ops[1]) }
}

func four(f func(x, y, z, w operand.Op) (*ir.Instruction, error)) instruction {
	return func(ops ...operand.Op) (*ir.Instruction, error) { return f(ops[0], ops[1], ops[2], ops[3]) }
}

// floats are the element types of the package, with the multiply-add forms
//
//	multiplyAdd(x, y, z): z += x*y    negMultiplyAdd(x, y, z): z -= x*y    multiplyAddTo(c, x, y): y = x*y + c
var floats = []float{
	{
		name: "F32", goType: "float32", bytes: 4,
		move: x86.VMOVUPS, broadcast: x86.VBROADCASTSS, moveScalar: x86.VMOVSS, maskedMoveAVX2: three(x86.VMASKMOVPS),
		add: x86.VADDPS, sub: x86.VSUBPS, mul: x86.VMULPS, addScalar: x86.VADDSS, horizontal: three(x86.VHADDPS),
		maximum: x86.VMAXPS, minimum: x86.VMINPS, compare: x86.VCMPPS, andNot: x86.VANDNPS,
		blend: four(x86.VBLENDVPS), signs: two(x86.VMOVMSKPS),
		multiplyAdd: x86.VFMADD231PS, negMultiplyAdd: x86.VFNMADD231PS, multiplyAddTo: x86.VFMADD213PS,
		broadcastMultiplyAdd: x86.VFMADD231PS_BCST, scalef: x86.VSCALEFPS,
		loadZeroed: x86.VMOVUPS_Z, mulZeroed: x86.VMULPS_Z,
	},
	{
		name: "F64", goType: "float64", bytes: 8,
		move: x86.VMOVUPD, broadcast: x86.VBROADCASTSD, moveScalar: x86.VMOVSD, maskedMoveAVX2: three(x86.VMASKMOVPD),
		add: x86.VADDPD, sub: x86.VSUBPD, mul: x86.VMULPD, addScalar: x86.VADDSD, horizontal: three(x86.VHADDPD),
		maximum: x86.VMAXPD, minimum: x86.VMINPD, compare: x86.VCMPPD, andNot: x86.VANDNPD,
		blend: four(x86.VBLENDVPD), signs: two(x86.VMOVMSKPD),
		multiplyAdd: x86.VFMADD231PD, negMultiplyAdd: x86.VFNMADD231PD, multiplyAddTo: x86.VFMADD213PD,
		broadcastMultiplyAdd: x86.VFMADD231PD_BCST, scalef: x86.VSCALEFPD,
		loadZeroed: x86.VMOVUPD_Z, mulZeroed: x86.VMULPD_Z,
	},
}

// lanes is the number of elements in a vector register.
func (f float) lanes(set isa) int { return set.bytes() / f.bytes }
