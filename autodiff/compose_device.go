package autodiff

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/grove-graph/grove/engine"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// onDevice are gorgonia's operations, by their types, that work on tensors of a device.
var onDevice = map[string]func(c *composed, in []G.Value) (G.Value, error){
	"concatOp":      (*composed).fresh,
	"elemBinOp":     (*composed).fresh,
	"elemUnaryOp":   (*composed).fresh,
	"Iop":           (*composed).same,
	"linAlgBinOp":   (*composed).product,
	"maxOp":         (*composed).fresh,
	"repeatOp":      (*composed).fresh,
	"reshapeOp":     (*composed).reshape,
	"sizeOp":        (*composed).same,
	"sliceIncrOp":   (*composed).unslice,
	"sliceOp":       (*composed).slice,
	"softmaxDiffOp": (*composed).softmax,
	"softmaxOp":     (*composed).softmax,
	"sumOp":         (*composed).fresh,
	"transposeOp":   (*composed).transpose,
}

// same runs an operation whose result is one of its children, or no tensor.
func (c *composed) same(in []G.Value) (G.Value, error) { return c.op.Do(in...) }

// fresh runs an operation whose result is a new tensor of the engine, if it is none of the children.
func (c *composed) fresh(in []G.Value) (G.Value, error) {
	v, err := c.op.Do(in...)
	if err != nil {
		return nil, err
	}
	t, ok := v.(*tensor.Dense)
	if !ok || t.Engine() != tensor.Engine(c.engine) {
		return v, nil
	}
	for _, child := range in {
		if child == v {
			return v, nil
		}
	}
	c.last = t
	return v, nil
}

// product multiplies matrices and vectors.
func (c *composed) product(in []G.Value) (G.Value, error) {
	a, b := in[0].(*tensor.Dense), in[1].(*tensor.Dense)
	if a.Dims() > 2 {
		return c.products(a, b)
	}
	if outer, ok := c.engine.(tensor.OuterProder); ok && strings.Contains(c.op.String(), "⊗") {
		c.last = c.engine.Scratch(a.Dtype(), a.Shape().TotalSize(), b.Shape().TotalSize())
		return c.last, outer.Outer(a, b, c.last) // gorgonia writes zeros to it before
	}
	if a == b { // gorgonia transposes each on its own
		in[1] = c.engine.View(b, 0, b.Shape()...)
	}
	return c.fresh(in)
}

// products multiplies the matrices of two tensors one by one.
func (c *composed) products(a, b *tensor.Dense) (G.Value, error) {
	shape, err := c.op.InferShape(a.Shape(), b.Shape())
	if err != nil {
		return nil, err
	}
	opt := engine.Gemm{TransA: c.field("transA").Bool(), TransB: c.field("transB").Bool(), Alpha: 1}
	c.last = c.engine.Scratch(a.Dtype(), shape...)
	count := tensor.Shape(shape[:len(shape)-2]).TotalSize()
	matrix := func(t *tensor.Dense, i int) *tensor.Dense {
		rows, columns := t.Shape()[t.Dims()-2], t.Shape()[t.Dims()-1]
		return c.engine.View(t, i*rows*columns, rows, columns)
	}
	for i := range count {
		if err := c.engine.Gemm(matrix(c.last, i), matrix(a, i), matrix(b, i), opt); err != nil {
			return nil, err
		}
	}
	return c.last, nil
}

// softmax gives the operation memory of the engine, which would take some of the host.
func (c *composed) softmax(in []G.Value) (G.Value, error) {
	x := in[0].(*tensor.Dense)
	c.last = c.engine.Scratch(x.Dtype(), x.Shape()...)
	return c.op.(G.UsePreallocDoer).UsePreallocDo(c.last, in...)
}

// reshape returns a view.
func (c *composed) reshape(in []G.Value) (G.Value, error) {
	t, ok := in[0].(*tensor.Dense)
	if !ok {
		return c.op.Do(in...)
	}
	shape, err := c.op.InferShape(t.Shape())
	if err == nil && shape.TotalSize() != t.Shape().TotalSize() {
		err = fmt.Errorf("%v does not fit into %v", t.Shape(), shape)
	}
	if err != nil {
		return nil, err
	}
	return c.engine.View(t, 0, shape...), nil
}

// transpose moves the elements of its child.
func (c *composed) transpose(in []G.Value) (G.Value, error) {
	t := in[0].(*tensor.Dense)
	pattern := c.field("pattern")
	from, shape := engine.RowMajor(t.Shape()), make([]int, t.Dims())
	turned := engine.Layout{Strides: make([]int, t.Dims())}
	if pattern.Len() != t.Dims() {
		return nil, fmt.Errorf("%d axes for %v", pattern.Len(), t.Shape())
	}
	for i := range shape {
		axis := int(pattern.Index(i).Int())
		shape[i], turned.Strides[i] = t.Shape()[axis], from.Strides[axis]
	}
	c.last = c.engine.Scratch(t.Dtype(), shape...)
	return c.last, c.copies(c.last, engine.RowMajor(shape), t, turned, shape)
}

// slice copies a part of its child.
func (c *composed) slice(in []G.Value) (G.Value, error) {
	t := in[0].(*tensor.Dense)
	shape, err := c.op.InferShape(t.Shape())
	if err != nil {
		return nil, err
	}
	part, sizes := c.part(t.Shape())
	out := c.engine.Scratch(t.Dtype(), shape...)
	c.last = out
	if err := c.copies(out, engine.RowMajor(sizes), t, part, sizes); err != nil || !shape.IsScalar() {
		return out, err
	}
	value := []G.Value{out}
	return value[0], (&composed{scalar: []bool{true}}).numbers(value)
}

// unslice puts its second child where the slice is, into zeros of the shape of the first.
func (c *composed) unslice(in []G.Value) (G.Value, error) {
	t := in[0].(*tensor.Dense)
	part, sizes := c.part(t.Shape())
	c.last = c.engine.New(t.Dtype(), t.Shape()...)
	grad, ok := in[1].(*tensor.Dense)
	if !ok {
		lifted, err := c.number(in[1], t.Dtype())
		if err != nil {
			return nil, err
		}
		defer c.engine.Release(lifted)
		grad = lifted
	}
	return c.last, c.copies(c.last, part, grad, engine.RowMajor(sizes), sizes)
}

// number returns a number of gorgonia as a tensor.
func (c *composed) number(v G.Value, dtype tensor.Dtype) (*tensor.Dense, error) {
	out := c.engine.Scratch(dtype, 1)
	return out, c.engine.Convert(out, tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{number(v)})))
}

// part returns where the elements of a slice of a tensor are, and how many along each of its axes.
func (c *composed) part(shape tensor.Shape) (engine.Layout, []int) {
	layout, sizes := engine.RowMajor(shape), append([]int{}, shape...)
	axis, s := int(c.field("along").Int()), c.op.(interface{ IsSlice() tensor.Slice }).IsSlice()
	if s == nil || s.End() <= s.Start() {
		return layout, sizes
	}
	step, end := max(s.Step(), 1), min(s.End(), shape[axis])
	layout.First = s.Start() * layout.Strides[axis]
	layout.Strides[axis] *= step
	sizes[axis] = (end - s.Start() + step - 1) / step
	return layout, sizes
}

// field returns a field of the operation, whose type gorgonia keeps for itself.
func (c *composed) field(name string) reflect.Value {
	v := reflect.ValueOf(c.op)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.FieldByName(name)
}

func (c *composed) copies(dst *tensor.Dense, to engine.Layout, src *tensor.Dense, from engine.Layout,
	shape []int) error {
	s, ok := c.engine.(engine.Strider)
	if !ok {
		return fmt.Errorf("engine %s does not copy parts of tensors", c.engine)
	}
	return s.CopyStrided(dst, to, src, from, shape)
}
