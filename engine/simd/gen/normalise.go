package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// normalisationKernels work on a row of a matrix and on what belongs to its columns.
var normalisationKernels = []elementwise{
	{
		name: "addMoments", params: []string{"sum", "squares", "x", "pivot"},
		doc: "sum[i] += d and squares[i] += d*d with d = x[i] - pivot[i]",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				d, squares := e.difference("x", "pivot"), e.load("squares")
				e.addTo("sum", d)
				k.op(k.f.multiplyAdd(d, d, squares))
				e.store(squares, "squares")
			}
		},
	},
	{
		name: "addSlopes", params: []string{"sum", "products", "grad", "x", "mean"},
		doc: "sum[i] += grad[i] and products[i] += grad[i]*(x[i] - mean[i])",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				d, g, products := e.difference("x", "mean"), e.load("grad"), e.load("products")
				e.addTo("sum", g)
				k.op(k.f.multiplyAdd(d, g, products))
				e.store(products, "products")
			}
		},
	},
	{
		name: "normalize", params: []string{"dst", "x", "mean", "factor", "shift", "least"}, scalars: []string{"least"},
		doc: "dst[i] = max(least, (x[i] - mean[i])*factor[i] + shift[i]), where NaN stays",
		prepare: func(k *loop) func(e element) {
			least := k.scalar("least")
			return func(e element) {
				d, v := e.difference("x", "mean"), e.load("shift")
				k.op(k.f.multiplyAdd(e.at("factor"), d, v))
				k.op(k.f.maximum(v, least, v)) // the first operand, if one is NaN
				e.store(v, "dst")
			}
		},
	},
	{
		name: "normalizeGrad", params: []string{"dst", "grad", "x", "mean", "average", "factor", "slope"},
		doc: "dst[i] = (grad[i] - average[i])*factor[i] + (x[i] - mean[i])*slope[i]",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				v, d := e.difference("grad", "average"), e.difference("x", "mean")
				k.op(k.f.mul(e.at("factor"), v, v))
				k.op(k.f.multiplyAdd(e.at("slope"), d, v))
				e.store(v, "dst")
			}
		},
	},
	{
		name: "rectify", params: []string{"dst", "x", "shift"}, doc: "dst[i] = max(0, x[i] + shift[i]), where NaN stays",
		prepare: func(k *loop) func(e element) {
			zero := k.zero()
			return func(e element) {
				v := e.load("x")
				k.op(k.f.add(e.at("shift"), v, v))
				k.op(k.f.maximum(v, zero, v))
				e.store(v, "dst")
			}
		},
	},
	{
		name: "rectifyGrad", params: []string{"dst", "grad", "y"}, doc: "dst[i] = grad[i] where y[i] > 0, else 0",
		prepare: func(k *loop) func(e element) {
			zero := k.zero()
			return func(e element) { e.store(e.wherePositive(e.load("grad"), e.load("y"), zero), "dst") }
		},
	},
}

func (k *loop) zero() reg.VecVirtual {
	v := k.vec()
	k.op(x86.VXORPS(v, v, v))
	return v
}

// difference returns a register with x - y.
func (e element) difference(x, y string) reg.VecVirtual {
	v := e.load(x)
	e.op(e.f.sub(e.at(y), v, v))
	return v
}

// wherePositive returns g where y > 0, and 0 elsewhere.
func (e element) wherePositive(g, y, zero reg.VecVirtual) reg.VecVirtual {
	const notGreater, greater = operand.U8(0x1a), operand.U8(0x1e)
	if e.isa == avx512 {
		positive := e.K()
		e.op(e.f.compare(greater, zero, y, positive))
		e.op(e.f.loadZeroed(g, positive, g))
		return g
	}
	mask := e.vec()
	e.op(e.f.compare(notGreater, zero, y, mask))
	e.op(e.f.andNot(g, mask, g))
	return g
}
