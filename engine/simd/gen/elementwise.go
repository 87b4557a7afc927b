package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// elementwise is a kernel that does the same for every index of some vectors.
type elementwise struct {
	name    string
	params  []string // in the order of the Go function
	scalars []string // those of the parameters that are numbers
	doc     string
	// prepare puts into registers what does not change, and returns the body of the loop.
	prepare func(k *loop) func(e element)
}

var elementwiseKernels = slices.Concat(vectorKernels, normalisationKernels)

var vectorKernels = []elementwise{
	{
		name: "add", params: []string{"dst", "x", "y"}, doc: "dst[i] = x[i] + y[i]",
		prepare: binary(func(f float) instruction { return f.add }),
	},
	{
		name: "mul", params: []string{"dst", "x", "y"}, doc: "dst[i] = x[i]*y[i]",
		prepare: binary(func(f float) instruction { return f.mul }),
	},
	{
		name: "mulAdd", params: []string{"dst", "x", "y"}, doc: "dst[i] += x[i]*y[i]",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				sum, x := e.load("dst"), e.load("x")
				k.op(k.f.multiplyAdd(e.at("y"), x, sum))
				e.store(sum, "dst")
			}
		},
	},
	{
		name: "axpy", params: []string{"a", "x", "y"}, scalars: []string{"a"}, doc: "y[i] += a*x[i]",
		prepare: func(k *loop) func(e element) {
			factor := k.scalar("a")
			return func(e element) {
				sum := e.load("y")
				k.op(k.f.multiplyAdd(e.at("x"), factor, sum))
				e.store(sum, "y")
			}
		},
	},
	{
		name: "scale", params: []string{"a", "x"}, scalars: []string{"a"}, doc: "x[i] *= a",
		prepare: func(k *loop) func(e element) {
			factor := k.scalar("a")
			return func(e element) {
				v := k.vec()
				k.op(k.f.mul(e.at("x"), factor, v))
				e.store(v, "x")
			}
		},
	},
	{
		name: "maximum", params: []string{"dst", "x"}, doc: "dst[i] = max(dst[i], x[i]), where NaN in x is passed over",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				v := e.load("x")
				k.op(k.f.maximum(e.at("dst"), v, v)) // the first operand, if one is NaN
				e.store(v, "dst")
			}
		},
	},
	{
		name: "exp", params: []string{"dst", "src", "scale", "shift"}, scalars: []string{"scale", "shift"},
		doc: "dst[i] = exp(scale*src[i] + shift)",
		prepare: func(k *loop) func(e element) {
			exp := newExponential(k)
			return func(e element) { e.store(exp.of(e.load("src")), "dst") }
		},
	},
	{
		name: "pathStepSum", params: []string{"acc", "next", "prefix", "s", "scale", "shift"},
		scalars: []string{"scale", "shift"},
		doc:     "next[i] = prefix[i] + s[i] and acc[i] += exp(scale*next[i] + shift)",
		prepare: pathStep(func(f float) instruction { return f.add }),
	},
	{
		name: "pathStepMax", params: []string{"acc", "next", "prefix", "s", "scale", "shift"},
		scalars: []string{"scale", "shift"},
		doc:     "next[i] = prefix[i] + s[i] and acc[i] = max(acc[i], exp(scale*next[i] + shift))",
		prepare: pathStep(func(f float) instruction { return f.maximum }),
	},
	{
		name:    "pathGradStep",
		params:  []string{"acc", "next", "sum", "prefix", "s", "weight", "scale", "shift"},
		scalars: []string{"scale", "shift"},
		doc:     "next[i] = prefix[i] + s[i], acc[i] += e and sum[i] = weight[i]*e with e = exp(scale*next[i] + shift)",
		prepare: func(k *loop) func(e element) {
			exp := newExponential(k)
			return func(e element) {
				next := e.load("prefix")
				k.op(k.f.add(e.at("s"), next, next))
				e.store(next, "next")
				v, pooled := exp.of(next), k.vec()
				k.op(k.f.add(e.at("acc"), v, pooled))
				e.store(pooled, "acc")
				k.op(k.f.mul(e.at("weight"), v, v))
				e.store(v, "sum")
			}
		},
	},
	{
		name:    "pathGradLeaf",
		params:  []string{"acc", "dst", "parent", "prefix", "s", "weight", "scale", "shift"},
		scalars: []string{"scale", "shift"},
		doc: "acc[i] += e, dst[i] += weight[i]*e and parent[i] += weight[i]*e " +
			"with e = exp(scale*(prefix[i] + s[i]) + shift)",
		prepare: func(k *loop) func(e element) {
			exp := newExponential(k)
			return func(e element) {
				next := e.load("prefix")
				k.op(k.f.add(e.at("s"), next, next))
				v, pooled := exp.of(next), k.vec()
				k.op(k.f.add(e.at("acc"), v, pooled))
				e.store(pooled, "acc")
				k.op(k.f.mul(e.at("weight"), v, v))
				e.addTo("dst", v)
				e.addTo("parent", v)
			}
		},
	},
	{
		name: "addToBoth", params: []string{"dst", "parent", "x"}, doc: "dst[i] += x[i] and parent[i] += x[i]",
		prepare: func(k *loop) func(e element) {
			return func(e element) {
				x := e.load("x")
				e.addTo("dst", x)
				e.addTo("parent", x)
			}
		},
	},
}

func binary(combine func(f float) instruction) func(k *loop) func(e element) {
	return func(k *loop) func(e element) {
		return func(e element) {
			v := e.load("x")
			k.op(combine(k.f)(e.at("y"), v, v))
			e.store(v, "dst")
		}
	}
}

func pathStep(pool func(f float) instruction) func(k *loop) func(e element) {
	return func(k *loop) func(e element) {
		exp := newExponential(k)
		return func(e element) {
			next := e.load("prefix")
			k.op(k.f.add(e.at("s"), next, next))
			e.store(next, "next")
			v := exp.of(next)
			k.op(pool(k.f)(e.at("acc"), v, v))
			e.store(v, "acc")
		}
	}
}

// writeElementwise writes the kernels of a file.
func writeElementwise(a *assembler) {
	for _, f := range floats {
		for _, kernel := range elementwiseKernels {
			kernel.write(a, f)
		}
	}
}

func (e elementwise) write(a *assembler, f float) {
	name := e.name + f.name + a.suffix()
	params := []string{"n int"}
	for _, p := range e.params {
		if slices.Contains(e.scalars, p) {
			params = append(params, p+" "+f.goType)
		} else {
			params = append(params, p+" *"+f.goType)
		}
	}
	a.function(name, "func("+strings.Join(params, ", ")+")",
		fmt.Sprintf("%s computes %s for n elements.", name, e.doc))
	k := &loop{assembler: a, f: f, pointers: map[string]reg.GPVirtual{}, index: a.GP64()}
	n := a.load("n")
	for _, p := range e.params {
		if !slices.Contains(e.scalars, p) {
			k.pointers[p] = a.load(p)
		}
	}
	body := e.prepare(k)
	a.op(x86.XORQ(k.index, k.index))
	a.chunks(n, f.lanes(a.isa), func() {
		body(element{loop: k})
		a.advance(a.bytes(), k.index)
	})
	a.tail(f, n, func(t tailMask) { body(element{loop: k, mask: &t}) })
	a.ret()
}

// loop is an element-wise kernel that is being written.
type loop struct {
	*assembler
	f        float
	pointers map[string]reg.GPVirtual
	index    reg.GPVirtual // in bytes
}

// scalar returns a vector of which every lane is a parameter.
func (k *loop) scalar(name string) reg.VecVirtual {
	v := k.vec()
	k.op(k.f.broadcast(k.param(name), v))
	return v
}

// element accesses the lanes of one step of a loop.
type element struct {
	*loop
	mask *tailMask // of the last step
}

func (e element) mem(name string) operand.Mem {
	return operand.Mem{Base: e.pointers[name], Index: e.index, Scale: 1}
}

// at returns an operand with the elements of a vector.
func (e element) at(name string) operand.Op {
	if e.mask != nil {
		return e.load(name)
	}
	return e.mem(name)
}

// load returns a register with the elements of a vector.
func (e element) load(name string) reg.VecVirtual {
	v := e.vec()
	if e.mask != nil {
		e.mask.load(e.mem(name), v)
	} else {
		e.op(e.f.move(e.mem(name), v))
	}
	return v
}

// addTo adds a register to the elements of a vector.
func (e element) addTo(name string, v reg.VecVirtual) {
	sum := e.vec()
	e.op(e.f.add(e.at(name), v, sum))
	e.store(sum, name)
}

func (e element) store(v reg.VecVirtual, name string) {
	if e.mask != nil {
		e.mask.store(v, e.mem(name))
	} else {
		e.op(e.f.move(v, e.mem(name)))
	}
}
