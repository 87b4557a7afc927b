//go:build gpu

package cuda

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// CopyStrided implements [engine.Strider].
func (e *Engine) CopyStrided(dst *tensor.Dense, to engine.Layout, src *tensor.Dense, from engine.Layout,
	shape []int) error {
	if err := engine.CheckCopyStrided(dst, to, src, from, shape); err != nil {
		return err
	}
	if dst.Dtype() == tensor.Float32 {
		return copyStridedOn[float32](e, dst, to, src, from, shape)
	}
	return copyStridedOn[float64](e, dst, to, src, from, shape)
}

func copyStridedOn[T real](e *Engine, dst *tensor.Dense, to engine.Layout, src *tensor.Dense, from engine.Layout,
	shape []int) error {
	n := tensor.Shape(shape).TotalSize()
	if n == 0 {
		return nil
	}
	k := e.begin("CopyStrided")
	target, source := lying[T](k, dst).at(to.First), lying[T](k, src).at(from.First)
	var layout []int64
	for i, size := range shape {
		if size > 1 {
			layout = append(layout, int64(size), int64(to.Strides[i]), int64(from.Strides[i]))
		}
	}
	sizes := upload(k, layout)
	return k.run(func(s *stream) error {
		return elementsCopy(s, linear(n, 256), target, source, sizes, int32(len(layout)/3), int64(n))
	})
}

// lying is of for a tensor that may be transposed or a part of another one.
func lying[T real](k *op, t *tensor.Dense) pointer[T] {
	if engine.Contiguous(t) {
		return of[T](k, t)
	}
	if t.Engine() != tensor.Engine(k.e) {
		k.fail(fmt.Errorf("%s: a tensor of %s where one of %s is wanted", k.name, owner(t), k.e))
	}
	k.tensors = append(k.tensors, t)
	return pointer[T]{memory(k, t).address}
}

// Transpose implements [tensor.Transposer]: it moves the elements of a tensor whose shape and strides were changed by
// [tensor.Dense.T] to the order of its rows.
func (e *Engine) Transpose(t tensor.Tensor, _ []int) error {
	d, ok := t.(*tensor.Dense)
	if !ok || !engine.Contiguous(d) || len(d.Strides()) != d.Dims() {
		return fmt.Errorf("Transpose: %T of %v: want a whole dense tensor", t, t.Shape())
	}
	e.adopt(d)
	moved := e.Scratch(d.Dtype(), d.Shape()...)
	defer e.Release(moved)
	if err := e.CopyStrided(moved, engine.RowMajor(d.Shape()), d, engine.Layout{Strides: d.Strides()},
		d.Shape()); err != nil {
		return err
	}
	return e.within(d, moved)
}

// Concat implements [tensor.Concater].
func (e *Engine) Concat(t tensor.Tensor, axis int, others ...tensor.Tensor) (tensor.Tensor, error) {
	var shapes []tensor.Shape
	for _, o := range others {
		shapes = append(shapes, o.Shape())
	}
	if axis < 0 || axis >= t.Dims() {
		return nil, fmt.Errorf("Concat: axis %d of %v", axis, t.Shape())
	}
	shape, err := t.Shape().Concat(axis, shapes...)
	if err != nil {
		return nil, fmt.Errorf("Concat: %w", err)
	}
	out := e.Scratch(t.Dtype(), shape...)
	to := engine.RowMajor(shape)
	for _, next := range append([]tensor.Tensor{t}, others...) {
		d, ok := next.(*tensor.Dense)
		if !ok {
			return nil, fmt.Errorf("Concat: %T: want a dense tensor", next)
		}
		if err := e.CopyStrided(out, to, d, engine.Layout{Strides: d.Strides()}, d.Shape()); err != nil {
			e.Release(out)
			return nil, err
		}
		to.First += d.Shape()[axis] * to.Strides[axis]
	}
	return out, nil
}

// Repeat implements [tensor.Repeater].
func (e *Engine) Repeat(t tensor.Tensor, axis int, repeats ...int) (tensor.Tensor, error) {
	shape, _, _, err := t.Shape().Repeat(axis, repeats...)
	if err != nil {
		return nil, fmt.Errorf("Repeat: %w", err)
	}
	out := e.Scratch(t.Dtype(), shape...)
	if err := e.repeat(out, t, axis, repeats); err != nil {
		e.Release(out)
		return nil, err
	}
	return out, nil
}

// RepeatReuse implements [tensor.Repeater].
func (e *Engine) RepeatReuse(t, reuse tensor.Tensor, axis int, repeats ...int) (tensor.Tensor, error) {
	shape, _, _, err := t.Shape().Repeat(axis, repeats...)
	out, ok := reuse.(*tensor.Dense)
	if err == nil && (!ok || !shape.Eq(out.Shape()) || !rowByRow(out)) {
		err = fmt.Errorf("a result %T of shape %v, want %v", reuse, reuse.Shape(), shape)
	}
	if err != nil {
		return nil, fmt.Errorf("Repeat: %w", err)
	}
	return out, e.repeat(out, t, axis, repeats)
}

// repeat copies every element along an axis as often as asked for.
func (e *Engine) repeat(out *tensor.Dense, t tensor.Tensor, axis int, repeats []int) error {
	o := &elementwise{e: e, name: "Repeat"}
	defer o.end()
	x, err := o.operand(t)
	if err != nil {
		return err
	}
	_, counts, size, err := t.Shape().Repeat(axis, repeats...)
	if err != nil {
		return err
	}
	inner := 1
	for _, n := range x.Shape()[min(max(axis, 0)+1, x.Dims()):] {
		inner *= n
	}
	if axis == tensor.AllAxes {
		inner = 1
	}
	outer, total := x.Shape().TotalSize()/max(size*inner, 1), 0
	for _, n := range counts {
		total += n
	}
	if len(counts) > 0 && slices.Max(counts) == slices.Min(counts) { // all at once
		n := counts[0]
		return e.CopyStrided(out, engine.RowMajor([]int{outer, size, n, inner}), x,
			engine.Layout{Strides: []int{size * inner, inner, 0, 1}}, []int{outer, size, n, inner})
	}
	to := 0
	for j, n := range counts {
		if err := e.CopyStrided(out, engine.Layout{First: to * inner, Strides: []int{total * inner, inner, 1}}, x,
			engine.Layout{First: j * inner, Strides: []int{size * inner, 0, 1}}, []int{outer, n, inner}); err != nil {
			return err
		}
		to += n
	}
	return nil
}

var (
	_ engine.Strider    = (*Engine)(nil)
	_ tensor.Transposer = (*Engine)(nil)
	_ tensor.Concater   = (*Engine)(nil)
	_ tensor.Repeater   = (*Engine)(nil)
)
