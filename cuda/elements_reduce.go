//go:build gpu

package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The reductions, as element_combine of kernels/elements.cuh numbers them.
const (
	sumAlong = iota
	productAlong
	largestAlong
	smallestAlong
)

// Sum implements [tensor.Sumer]. The sum of all elements, which is a number, comes to host memory.
func (e *Engine) Sum(a tensor.Tensor, along ...int) (tensor.Tensor, error) {
	return e.reduce("Sum", sumAlong, a, along)
}

// Prod implements [tensor.Proder], as Sum does.
func (e *Engine) Prod(a tensor.Tensor, along ...int) (tensor.Tensor, error) {
	return e.reduce("Prod", productAlong, a, along)
}

// Max implements [tensor.Maxer], as Sum does.
func (e *Engine) Max(a tensor.Tensor, along ...int) (tensor.Tensor, error) {
	return e.reduce("Max", largestAlong, a, along)
}

// Min implements [tensor.Miner], as Sum does.
func (e *Engine) Min(a tensor.Tensor, along ...int) (tensor.Tensor, error) {
	return e.reduce("Min", smallestAlong, a, along)
}

// reduce reduces one axis after the other, from the last.
func (e *Engine) reduce(name string, f int, a tensor.Tensor, along []int) (tensor.Tensor, error) {
	o := &elementwise{e: e, name: name, f: f}
	defer o.end()
	x, err := o.operand(a)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(a.Shape())
	axes := slices.Compact(slices.Sorted(slices.Values(along)))
	switch {
	case len(axes) > 0 && (axes[0] < 0 || axes[len(axes)-1] >= len(shape)):
		return nil, fmt.Errorf("%s: axes %v of %v", name, along, a.Shape())
	case len(axes) == 0 || len(axes) == len(shape):
		if x, err = o.along(x, 1, shape.TotalSize(), 1); err != nil {
			return nil, err
		}
		values, err := engine.Float64s(x)
		if err != nil {
			return nil, err
		}
		if a.Dtype() == tensor.Float32 {
			return tensor.New(tensor.FromScalar(float32(values[0]))), nil
		}
		return tensor.New(tensor.FromScalar(values[0])), nil
	}
	for _, axis := range slices.Backward(axes) {
		inner := tensor.Shape(shape[axis+1:]).TotalSize()
		if x, err = o.along(x, tensor.Shape(shape[:axis]).TotalSize(), shape[axis], inner); err != nil {
			return nil, err
		}
		shape = slices.Delete(shape, axis, axis+1)
	}
	o.own = slices.DeleteFunc(o.own, func(t *tensor.Dense) bool { return t == x })
	return x, x.Reshape(shape...)
}

// reducedTerms is how many elements a thread reduces at most.
const reducedTerms = 128

// partsOf returns how many threads reduce an axis of so many elements: one where it is short, about as many as each has
// elements where two launches do, so that few columns too are the work of many threads.
func partsOf(size int) int {
	if size <= reducedTerms {
		return 1
	}
	return blocksOf(size, min(int(math.Ceil(math.Sqrt(float64(size)))), reducedTerms))
}

// along reduces a tensor of outer x size x inner elements to a new one of outer x inner.
func (o *elementwise) along(x *tensor.Dense, outer, size, inner int) (*tensor.Dense, error) {
	if size == 0 {
		if o.f > productAlong {
			return nil, fmt.Errorf("%s: no elements along an axis of %v", o.name, x.Shape())
		}
		out := o.e.New(x.Dtype(), outer*inner)
		o.own = append(o.own, out)
		if o.f == productAlong && outer*inner > 0 {
			return out, o.e.Memset(out, one(x.Dtype()))
		}
		return out, nil
	}
	for {
		parts := partsOf(size)
		out := o.e.Scratch(x.Dtype(), outer*parts*inner)
		o.own = append(o.own, out)
		on := reduceOn[float64]
		if x.Dtype() == tensor.Float32 {
			on = reduceOn[float32]
		}
		if err := on(o, out, x, outer, size, inner, parts); err != nil || parts == 1 {
			return out, err
		}
		x, size = out, parts
	}
}

func one(dtype tensor.Dtype) any {
	if dtype == tensor.Float32 {
		return float32(1)
	}
	return 1.0
}

func reduceOn[T real](o *elementwise, out, x *tensor.Dense, outer, size, inner, parts int) error {
	n := outer * parts * inner
	if n == 0 {
		return nil
	}
	k := o.e.begin(o.name)
	to, from := of[T](k, out), of[T](k, x)
	return k.run(func(s *stream) error {
		return elementsReduce(s, linear(n, 256), to, from, int64(outer), int64(size), int64(inner), int64(parts), int32(o.f))
	})
}

// SoftMax implements [tensor.SoftMaxer].
func (e *Engine) SoftMax(x tensor.Tensor, axis int, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.softmax("SoftMax", x, nil, axis, false, opts)
}

// LogSoftMax implements [tensor.SoftMaxer].
func (e *Engine) LogSoftMax(x tensor.Tensor, axis int, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.softmax("LogSoftMax", x, nil, axis, true, opts)
}

// SoftMaxB implements [tensor.SoftMaxer].
func (e *Engine) SoftMaxB(output, grad tensor.Tensor, axis int, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.softmax("SoftMaxB", output, grad, axis, false, opts)
}

// LogSoftMaxB implements [tensor.SoftMaxer].
func (e *Engine) LogSoftMaxB(output, grad tensor.Tensor, axis int, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.softmax("LogSoftMaxB", output, grad, axis, true, opts)
}

// softmax is a softmax of x, or, with a gradient, the gradient of the one whose result x is.
func (e *Engine) softmax(name string, x, grad tensor.Tensor, axis int, logs bool, opts []tensor.FuncOpt) (tensor.Tensor,
	error) {
	if axis < 0 {
		axis += x.Dims()
	}
	if axis < 0 || axis >= x.Dims() || grad != nil && (!grad.Shape().Eq(x.Shape()) || grad.Dtype() != x.Dtype()) {
		return nil, fmt.Errorf("%s: axis %d of %v %v, and a gradient of %v", name, axis, x.Dtype(), x.Shape(), grad)
	}
	o, from, err := e.begun(name, negativeOf, x, opts)
	if err != nil {
		return nil, err
	}
	var slopes *tensor.Dense
	if grad != nil {
		if slopes, err = o.operand(grad); err != nil {
			return o.finish(err)
		}
	}
	if o.add {
		return o.finish(fmt.Errorf("%s: a softmax adds to nothing: leave out WithIncr", name))
	}
	outer, inner := tensor.Shape(x.Shape()[:axis]).TotalSize(), tensor.Shape(x.Shape()[axis+1:]).TotalSize()
	if x.Dtype() == tensor.Float32 {
		return o.finish(softmaxOn[float32](o, from, slopes, outer, x.Shape()[axis], inner, logs))
	}
	return o.finish(softmaxOn[float64](o, from, slopes, outer, x.Shape()[axis], inner, logs))
}

func softmaxOn[T real](o *elementwise, x, slopes *tensor.Dense, outer, size, inner int, logs bool) error {
	if outer*size*inner == 0 {
		return nil
	}
	group := 1
	if inner == 1 {
		group = lanes(size)
	}
	k := o.e.begin(o.name)
	to, from, grad := of[T](k, o.to), of[T](k, x), of[T](k, slopes)
	g := linear(outer*inner*group, 256)
	return k.run(func(s *stream) error {
		exponentials[T](s, func() int {
			switch {
			case slopes == nil && logs || slopes != nil && logs:
				return outer * size * inner
			case slopes == nil:
				return 2 * outer * size * inner
			}
			return 0
		})
		if slopes != nil {
			return elementsSoftmaxGrad(s, g, to, from, grad, int64(outer), int64(size), int64(inner), number(logs), int32(group))
		}
		return elementsSoftmax(s, g, to, from, int64(outer), int64(size), int64(inner), number(logs), int32(group))
	})
}

// Argmax implements [tensor.Argmaxer] in host memory, where the numbers of elements that it returns are.
func (e *Engine) Argmax(t tensor.Tensor, axis int) (tensor.Tensor, error) {
	return e.arg("Argmax", t, axis)
}

// Argmin implements [tensor.Argminer], as Argmax does.
func (e *Engine) Argmin(t tensor.Tensor, axis int) (tensor.Tensor, error) {
	return e.arg("Argmin", t, axis)
}

func (e *Engine) arg(name string, t tensor.Tensor, axis int) (tensor.Tensor, error) {
	o := &elementwise{e: e, name: name}
	defer o.end()
	x, err := o.operand(t)
	if err != nil {
		return nil, err
	}
	host, err := engine.ToHost(x)
	if err != nil {
		return nil, err
	}
	if name == "Argmin" {
		return e.host.Argmin(host, axis)
	}
	return e.host.Argmax(host, axis)
}

// MatMul implements [tensor.MatMuler].
func (e *Engine) MatMul(a, b, c tensor.Tensor) error {
	e.adopt(c)
	return engine.MatMul(e, a, b, c)
}

// MatVecMul implements [tensor.MatVecMuler].
func (e *Engine) MatVecMul(a, x, y tensor.Tensor) error {
	e.adopt(y)
	return engine.MatVecMul(e, a, x, y)
}

// Outer implements [tensor.OuterProder].
func (e *Engine) Outer(x, y, a tensor.Tensor) error {
	e.adopt(a)
	return engine.Outer(e, x, y, a)
}

// Inner implements [tensor.InnerProder]. It waits.
func (e *Engine) Inner(a, b tensor.Tensor) (any, error) {
	out := e.Scratch(a.Dtype(), 1)
	defer e.Release(out)
	if a.Shape().TotalSize() != b.Shape().TotalSize() {
		return nil, fmt.Errorf("Inner: %v and %v", a.Shape(), b.Shape())
	}
	x, ok := a.(*tensor.Dense)
	if !ok || !rowByRow(x) {
		return nil, fmt.Errorf("Inner: %T: want a dense vector", a)
	}
	if err := engine.MatVecMul(e, e.View(x, 0, 1, x.Shape().TotalSize()), b, out); err != nil {
		return nil, err
	}
	value, err := numberOf("Inner", out, a.Dtype())
	if a.Dtype() == tensor.Float32 {
		return float32(value), err
	}
	return value, err
}

var (
	_ tensor.Sumer       = (*Engine)(nil)
	_ tensor.Proder      = (*Engine)(nil)
	_ tensor.Maxer       = (*Engine)(nil)
	_ tensor.Miner       = (*Engine)(nil)
	_ tensor.SoftMaxer   = (*Engine)(nil)
	_ tensor.Argmaxer    = (*Engine)(nil)
	_ tensor.Argminer    = (*Engine)(nil)
	_ tensor.MatMuler    = (*Engine)(nil)
	_ tensor.MatVecMuler = (*Engine)(nil)
	_ tensor.OuterProder = (*Engine)(nil)
	_ tensor.InnerProder = (*Engine)(nil)
)
