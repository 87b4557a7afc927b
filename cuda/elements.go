//go:build gpu

package cuda

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The functions of two elements, as element_binary of kernels/elements.cuh numbers them.
const (
	sumOf = iota
	differenceOf
	productOf
	quotientOf
	powerOf
	smallerOf
	largerOf
	isLess
	isLessOrEqual
	isGreater
	isGreaterOrEqual
	isEqual
	isUnequal
)

// The functions of one element, as element_unary numbers them.
const (
	negativeOf = iota
	absoluteOf
	signOf
	inverseOf
	squareOf
	cubeOf
	squareRootOf
	inverseRootOf
	cubeRootOf
	exponentialOf
	exponentialM1Of
	logarithmOf
	logarithm1pOf
	logarithm2Of
	logarithm10Of
	tanhOf
	sigmoidOf
	softplusOf
	ceilingOf
	floorOf
	sineOf
	cosineOf
	clampOf
)

// elementwise is an operation of gorgonia on elements: its operands, lying row by row, and where its result goes.
type elementwise struct {
	e    *Engine
	name string
	f    int           // of two elements or of one
	to   *tensor.Dense // lies row by row
	add  bool          // to what to holds
	back *tensor.Dense // a part of another tensor that to is to be copied to, nil for none
	own  []*tensor.Dense
	held []*block // of operands: no memory that the operation takes is theirs, should they have been released
	bool bool     // the result is one of Bool
}

// begun looks at the options of an operation whose result has the shape of a.
func (e *Engine) begun(name string, f int, a tensor.Tensor, opts []tensor.FuncOpt) (*elementwise, *tensor.Dense,
	error) {
	o := &elementwise{e: e, name: name, f: f}
	x, err := o.operand(a)
	if err != nil {
		o.end()
		return nil, nil, err
	}
	fo := tensor.ParseFuncOpts(opts...)
	incr, reuse := fo.Incr(), fo.Reuse()
	switch {
	case incr != nil:
		o.add = true
		err = o.into(incr, a)
	case !fo.Safe() && reuse == nil:
		err = o.into(a, a)
	case reuse != nil:
		err = o.into(reuse, a)
	default:
		o.to = e.Scratch(a.Dtype(), a.Shape()...)
	}
	if err != nil {
		o.end()
		return nil, nil, err
	}
	return o, x, nil
}

// compares makes the result of a comparison one of Bool, unless it goes to a tensor that is there already or is asked
// for in the dtype of the operands.
func (o *elementwise) compares(opts []tensor.FuncOpt) {
	fo := tensor.ParseFuncOpts(opts...)
	o.bool = o.f >= isLess && fo.Safe() && !fo.Same() && fo.Reuse() == nil && fo.Incr() == nil
}

// operand returns the elements of a tensor of the engine, row by row.
func (o *elementwise) operand(t tensor.Tensor) (*tensor.Dense, error) {
	d, ok := t.(*tensor.Dense)
	if !ok || d.Dtype() != tensor.Float32 && d.Dtype() != tensor.Float64 {
		return nil, fmt.Errorf("%s: %T of %v: want a dense tensor of Float32 or Float64", o.name, t, t.Dtype())
	}
	if d.Engine() != tensor.Engine(o.e) {
		return nil, fmt.Errorf("%s: a tensor of %s where one of %s is wanted: copy it with engine.FromHost", o.name,
			owner(d), o.e)
	}
	if rowByRow(d) {
		b, _, err := o.e.locate(d)
		if b != nil {
			o.held = append(o.held, b)
		}
		return d, prefixed(o.name, err)
	}
	whole := o.e.Scratch(d.Dtype(), d.Shape()...)
	o.own = append(o.own, whole)
	return whole, o.e.CopyStrided(whole, engine.RowMajor(d.Shape()), d, engine.Layout{Strides: d.Strides()}, d.Shape())
}

// into makes the result go to t, which has as many elements as a; what is no result of a view takes a's shape.
func (o *elementwise) into(t, a tensor.Tensor) error {
	d, ok := t.(*tensor.Dense)
	if !ok || d.Dtype() != a.Dtype() || d.Shape().TotalSize() != a.Shape().TotalSize() {
		return fmt.Errorf("%s: a result %T of %v %v for operands of %v %v", o.name, t, t.Dtype(), t.Shape(), a.Dtype(),
			a.Shape())
	}
	if d.Engine() != tensor.Engine(o.e) {
		return fmt.Errorf("%s: a result of %s where one of %s is wanted", o.name, owner(d), o.e)
	}
	if !rowByRow(d) {
		o.back = d
		whole, err := o.operand(d)
		o.to = whole
		return err
	}
	o.to = d
	if !d.Shape().Eq(a.Shape()) {
		return d.Reshape(a.Shape().Clone()...)
	}
	return nil
}

// rowByRow reports whether the elements of t fill its memory in the order of its rows.
func rowByRow(t *tensor.Dense) bool {
	if !engine.Contiguous(t) || len(t.Strides()) != t.Dims() {
		return engine.Contiguous(t) && t.Shape().TotalSize() == 1
	}
	for i, stride := range engine.RowMajor(t.Shape()).Strides {
		if t.Shape()[i] > 1 && t.Strides()[i] != stride {
			return false
		}
	}
	return true
}

// end gives back what the operation took.
func (o *elementwise) end() {
	o.e.Release(o.own...)
	for _, b := range o.held {
		b.release()
	}
	o.own, o.held = nil, nil
}

// finish returns the result.
func (o *elementwise) finish(err error) (tensor.Tensor, error) {
	defer func() { o.end() }()
	switch {
	case err != nil:
		return nil, err
	case o.back != nil:
		shape := o.back.Shape()
		return o.back, o.e.CopyStrided(o.back, engine.Layout{Strides: o.back.Strides()}, o.to, engine.RowMajor(shape), shape)
	case o.bool:
		o.own = append(o.own, o.to)
		return truths(o.to)
	}
	return o.to, nil
}

// truths returns a tensor of Bool in host memory.
func truths(t *tensor.Dense) (tensor.Tensor, error) {
	values, err := engine.Float64s(t)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(values))
	for i, v := range values {
		out[i] = v != 0
	}
	return tensor.New(tensor.WithShape(t.Shape()...), tensor.WithBacking(out)), nil
}

// binary is an operation on two tensors of one shape and dtype.
func (e *Engine) binary(name string, f int, a, b tensor.Tensor, opts []tensor.FuncOpt) (tensor.Tensor, error) {
	if !a.Shape().Eq(b.Shape()) || a.Dtype() != b.Dtype() {
		return nil, fmt.Errorf("%s: %v %v and %v %v", name, a.Dtype(), a.Shape(), b.Dtype(), b.Shape())
	}
	o, x, err := e.begun(name, f, a, opts)
	if err != nil {
		return nil, err
	}
	o.compares(opts)
	y, err := o.operand(b)
	if err == nil {
		err = o.evaluate(x, y, 0, 0)
	}
	return o.finish(err)
}

// withNumber is an operation on a tensor and a number, which stands on the right where tensorLeft is set.
func (e *Engine) withNumber(name string, f int, a tensor.Tensor, b any, tensorLeft bool,
	opts []tensor.FuncOpt) (tensor.Tensor, error) {
	number, err := numberOf(name, b, a.Dtype())
	if err != nil {
		return nil, err
	}
	o, x, err := e.begun(name, f, a, opts)
	if err != nil {
		return nil, err
	}
	o.compares(opts)
	if tensorLeft {
		return o.finish(o.evaluate(x, nil, 0, number))
	}
	return o.finish(o.evaluate(nil, x, number, 0))
}

// numberOf returns the value of a number, or of a tensor of one element, of a dtype.
func numberOf(name string, v any, dtype tensor.Dtype) (float64, error) {
	switch v := v.(type) {
	case float32:
		if dtype == tensor.Float32 {
			return float64(v), nil
		}
	case float64:
		if dtype == tensor.Float64 {
			return v, nil
		}
	case *tensor.Dense:
		if v.Dtype() == dtype && v.Shape().TotalSize() == 1 {
			if v.Engine() != nil && v.IsNativelyAccessible() {
				return numberOf(name, v.Get(0), dtype)
			}
			values, err := engine.Float64s(v)
			if err != nil {
				return 0, err
			}
			return values[0], nil
		}
	}
	return 0, fmt.Errorf("%s: %T where a number of %v is wanted", name, v, dtype)
}

// evaluate launches the kernel of two operands, of which one may be a number.
func (o *elementwise) evaluate(a, b *tensor.Dense, left, right float64) error {
	if o.to.Dtype() == tensor.Float32 {
		return binaryOn[float32](o, a, b, float32(left), float32(right))
	}
	return binaryOn(o, a, b, left, right)
}

func binaryOn[T real](o *elementwise, a, b *tensor.Dense, left, right T) error {
	n := o.to.Shape().TotalSize()
	if n == 0 {
		return nil
	}
	k := o.e.begin(o.name)
	to, x, y := of[T](k, o.to), of[T](k, a), of[T](k, b)
	return k.run(func(s *stream) error {
		return elementsBinary(s, linear(n, 256), to, x, y, left, right, int64(n), int32(o.f), number(o.add))
	})
}

// unary is an operation on one tensor; low and high are the bounds of a clamp.
func (e *Engine) unary(name string, f int, a tensor.Tensor, low, high float64, opts []tensor.FuncOpt) (tensor.Tensor,
	error) {
	o, x, err := e.begun(name, f, a, opts)
	if err != nil {
		return nil, err
	}
	if x.Dtype() == tensor.Float32 {
		return o.finish(unaryOn(o, x, float32(low), float32(high)))
	}
	return o.finish(unaryOn(o, x, low, high))
}

func unaryOn[T real](o *elementwise, x *tensor.Dense, low, high T) error {
	n := o.to.Shape().TotalSize()
	if n == 0 {
		return nil
	}
	k := o.e.begin(o.name)
	to, from := of[T](k, o.to), of[T](k, x)
	return k.run(func(s *stream) error {
		if o.f == exponentialOf || o.f == sigmoidOf || o.f == softplusOf {
			exponentials[T](s, func() int { return n })
		}
		return elementsUnary(s, linear(n, 256), to, from, low, high, int64(n), int32(o.f), number(o.add))
	})
}
