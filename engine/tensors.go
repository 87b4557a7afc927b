package engine

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"
)

// MatMul computes C = A B on e as [tensor.MatMuler] has it: A (m x k) and B (k x n) may be transposed by
// [tensor.Dense.T], which moves nothing; C (m x n) is dense and row-major. It is an error where a matrix is a part of
// another one or lies column by column.
func MatMul(e Engine, a, b, c tensor.Tensor) error {
	left, transA, err := plainMatrix(e, a)
	if err != nil {
		return fmt.Errorf("MatMul: %w", err)
	}
	right, transB, err := plainMatrix(e, b)
	if err != nil {
		return fmt.Errorf("MatMul: %w", err)
	}
	out, turned, err := plainMatrix(e, c)
	if err == nil && turned {
		err = fmt.Errorf("a result that is transposed")
	}
	if err != nil {
		return fmt.Errorf("MatMul: %w", err)
	}
	return e.Gemm(out, left, right, Gemm{TransA: transA, TransB: transB, Alpha: 1})
}

// MatVecMul computes y = A x on e as [tensor.MatVecMuler] has it. A is as for MatMul, x and y are dense.
func MatVecMul(e Engine, a, x, y tensor.Tensor) error {
	m, trans, err := plainMatrix(e, a)
	if err != nil {
		return fmt.Errorf("MatVecMul: %w", err)
	}
	from, err := column(e, x)
	if err != nil {
		return fmt.Errorf("MatVecMul: %w", err)
	}
	to, err := column(e, y)
	if err != nil {
		return fmt.Errorf("MatVecMul: %w", err)
	}
	return e.Gemm(to, m, from, Gemm{TransA: trans, Alpha: 1})
}

// Outer computes A = x y^T on e as [tensor.OuterProder] has it.
func Outer(e Engine, x, y, a tensor.Tensor) error {
	left, err := column(e, x)
	if err != nil {
		return fmt.Errorf("Outer: %w", err)
	}
	right, err := column(e, y)
	if err != nil {
		return fmt.Errorf("Outer: %w", err)
	}
	out, _, err := plainMatrix(e, a)
	if err != nil {
		return fmt.Errorf("Outer: %w", err)
	}
	return e.Gemm(out, left, right, Gemm{TransB: true, Alpha: 1})
}

// plainMatrix returns the matrix that lies row by row where t does: t, or its transpose.
func plainMatrix(e Engine, t tensor.Tensor) (m *tensor.Dense, transposed bool, err error) {
	d, ok := t.(*tensor.Dense)
	if !ok || d.Dims() != 2 || !Contiguous(d) {
		return nil, false, fmt.Errorf("%T of shape %v: want a whole matrix, row by row", t, t.Shape())
	}
	rows, columns := d.Shape()[0], d.Shape()[1]
	if !d.IsMaterializable() {
		return d, false, nil
	}
	if rows != 1 && columns != 1 && d.Strides()[0] == 1 {
		return e.View(d, 0, columns, rows), true, nil
	}
	return e.View(d, 0, rows, columns), false, nil
}

// column returns the elements of a vector as a matrix of one column.
func column(e Engine, t tensor.Tensor) (*tensor.Dense, error) {
	d, ok := t.(*tensor.Dense)
	if !ok || !Contiguous(d) {
		return nil, fmt.Errorf("%T of shape %v: want a dense vector", t, t.Shape())
	}
	return e.View(d, 0, d.Shape().TotalSize(), 1), nil
}

// Contiguous reports whether the elements of t fill its memory, in the order of its rows or, where it was transposed by
// [tensor.Dense.T], of those before.
func Contiguous(t *tensor.Dense) bool {
	return t.DataOrder().IsRowMajor() && t.DataOrder().IsContiguous() && len(t.Mask()) == 0 &&
		int(t.MemSize()) == t.Shape().TotalSize()*int(t.Dtype().Size())
}

// Strider is an engine that copies between tensors of different layouts, as transposing, slicing and repeating do. An
// engine on host memory leaves these to [tensor.StdEng].
type Strider interface {
	// CopyStrided copies the elements of src at from to those of dst at to, for all indices below shape. Both have one
	// dtype. Elements that two indices share are an error only in dst, and are not looked for.
	CopyStrided(dst *tensor.Dense, to Layout, src *tensor.Dense, from Layout, shape []int) error
}

// Layout says where the elements of a part of a tensor lie: that of index (i_0, i_1, ...) is number
// First + sum_k i_k Strides[k] in its memory.
type Layout struct {
	First   int
	Strides []int
}

// RowMajor returns the layout of a whole tensor, row by row.
func RowMajor(shape []int) Layout {
	l := Layout{Strides: make([]int, len(shape))}
	next := 1
	for i := len(shape) - 1; i >= 0; i-- {
		l.Strides[i], next = next, next*shape[i]
	}
	return l
}

// last returns the number of the last element that a layout reaches, -1 where shape has none; where a stride goes back,
// a number that no tensor has.
func (l Layout) last(shape []int) int {
	at := l.First
	for i, n := range shape {
		if n == 0 {
			return -1
		}
		if l.Strides[i] < 0 {
			return math.MaxInt
		}
		at += (n - 1) * l.Strides[i]
	}
	return at
}

// CheckCopyStrided checks the operands of [Strider].CopyStrided.
func CheckCopyStrided(dst *tensor.Dense, to Layout, src *tensor.Dense, from Layout, shape []int) error {
	if dst.Dtype() != src.Dtype() || dst.Dtype() != tensor.Float32 && dst.Dtype() != tensor.Float64 {
		return fmt.Errorf("CopyStrided: dtypes %v and %v: want one of Float32 and Float64", dst.Dtype(), src.Dtype())
	}
	for _, of := range []struct {
		t *tensor.Dense
		l Layout
	}{{dst, to}, {src, from}} {
		elements := int(of.t.MemSize()) / int(of.t.Dtype().Size())
		if len(of.l.Strides) != len(shape) || of.l.First < 0 || of.l.last(shape) >= elements {
			return fmt.Errorf("CopyStrided: a part %+v of shape %v of %d elements", of.l, shape, elements)
		}
	}
	return nil
}
