package engine

import "gorgonia.org/tensor"

// What gorgonia asks of an engine comes from [tensor.StdEng], which CPU embeds: its operations on elements, reductions,
// copies. Products are Grove's own, on as many goroutines as the engine has and of the same bits for any number.

// MatMul implements [tensor.MatMuler]: C = A B, any of them transposed or a part of another matrix.
func (e *CPU) MatMul(a, b, c tensor.Tensor) error {
	if !whole(a, b, c) {
		return e.StdEng.MatMul(a, b, c)
	}
	return MatMul(e, a, b, c)
}

// MatVecMul implements [tensor.MatVecMuler]: y = A x, as MatMul.
func (e *CPU) MatVecMul(a, x, y tensor.Tensor) error {
	if !whole(a, x, y) {
		return e.StdEng.MatVecMul(a, x, y)
	}
	return MatVecMul(e, a, x, y)
}

// Outer implements [tensor.OuterProder]: A = x y^T, as MatMul.
func (e *CPU) Outer(x, y, a tensor.Tensor) error {
	if !whole(x, y, a) {
		return e.StdEng.Outer(x, y, a)
	}
	return Outer(e, x, y, a)
}

// whole reports whether factors and the result after them are matrices and vectors of one of the dtypes that [CPU.Gemm]
// takes, each in memory of its own.
func whole(all ...tensor.Tensor) bool {
	for _, t := range all {
		d, ok := t.(*tensor.Dense)
		if !ok || d.Shape().TotalSize() == 0 || !Contiguous(d) || d.Dtype() != all[0].Dtype() ||
			d.Dtype() != tensor.Float32 && d.Dtype() != tensor.Float64 {
			return false
		}
	}
	return !all[len(all)-1].(*tensor.Dense).IsMaterializable()
}

var (
	_ tensor.MatMuler    = (*CPU)(nil)
	_ tensor.MatVecMuler = (*CPU)(nil)
	_ tensor.OuterProder = (*CPU)(nil)
	_ tensor.Adder       = (*CPU)(nil)
	_ tensor.SoftMaxer   = (*CPU)(nil)
)
