//go:build gpu

package cuda

import "gorgonia.org/tensor"

// What gorgonia's operations on elements ask of an engine: they work on the device and take the options of
// [tensor.FuncOpt]. Operands and results are tensors of this engine, of Float32 or Float64, which may be transposed or
// parts of others; numbers are of the dtype of the tensor. A comparison without [tensor.AsSameType] waits, and returns
// its tensor of Bool in host memory.

// Add implements [tensor.Adder].
func (e *Engine) Add(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Add", sumOf, a, b, opts)
}

// AddScalar implements [tensor.Adder].
func (e *Engine) AddScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("AddScalar", sumOf, a, b, tensorLeft, opts)
}

// Sub implements [tensor.Suber].
func (e *Engine) Sub(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Sub", differenceOf, a, b, opts)
}

// SubScalar implements [tensor.Suber].
func (e *Engine) SubScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("SubScalar", differenceOf, a, b, tensorLeft, opts)
}

// Mul implements [tensor.Muler].
func (e *Engine) Mul(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Mul", productOf, a, b, opts)
}

// MulScalar implements [tensor.Muler].
func (e *Engine) MulScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("MulScalar", productOf, a, b, tensorLeft, opts)
}

// Div implements [tensor.Diver].
func (e *Engine) Div(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Div", quotientOf, a, b, opts)
}

// DivScalar implements [tensor.Diver].
func (e *Engine) DivScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("DivScalar", quotientOf, a, b, tensorLeft, opts)
}

// Pow implements [tensor.Power].
func (e *Engine) Pow(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Pow", powerOf, a, b, opts)
}

// PowScalar implements [tensor.Power].
func (e *Engine) PowScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("PowScalar", powerOf, a, b, tensorLeft, opts)
}

// MinBetween implements [tensor.MinBetweener].
func (e *Engine) MinBetween(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("MinBetween", smallerOf, a, b, opts)
}

// MinBetweenScalar implements [tensor.MinBetweener].
func (e *Engine) MinBetweenScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor,
	error) {
	return e.withNumber("MinBetweenScalar", smallerOf, a, b, tensorLeft, opts)
}

// MaxBetween implements [tensor.MaxBetweener].
func (e *Engine) MaxBetween(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("MaxBetween", largerOf, a, b, opts)
}

// MaxBetweenScalar implements [tensor.MaxBetweener].
func (e *Engine) MaxBetweenScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor,
	error) {
	return e.withNumber("MaxBetweenScalar", largerOf, a, b, tensorLeft, opts)
}

// Lt implements [tensor.Lter].
func (e *Engine) Lt(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Lt", isLess, a, b, opts)
}

// LtScalar implements [tensor.Lter].
func (e *Engine) LtScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("LtScalar", isLess, a, b, tensorLeft, opts)
}

// Lte implements [tensor.Lteer].
func (e *Engine) Lte(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Lte", isLessOrEqual, a, b, opts)
}

// LteScalar implements [tensor.Lteer].
func (e *Engine) LteScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("LteScalar", isLessOrEqual, a, b, tensorLeft, opts)
}

// Gt implements [tensor.Gter].
func (e *Engine) Gt(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Gt", isGreater, a, b, opts)
}

// GtScalar implements [tensor.Gter].
func (e *Engine) GtScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("GtScalar", isGreater, a, b, tensorLeft, opts)
}

// Gte implements [tensor.Gteer].
func (e *Engine) Gte(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("Gte", isGreaterOrEqual, a, b, opts)
}

// GteScalar implements [tensor.Gteer].
func (e *Engine) GteScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("GteScalar", isGreaterOrEqual, a, b, tensorLeft, opts)
}

// ElEq implements [tensor.ElEqer].
func (e *Engine) ElEq(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("ElEq", isEqual, a, b, opts)
}

// EqScalar implements [tensor.ElEqer].
func (e *Engine) EqScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("EqScalar", isEqual, a, b, tensorLeft, opts)
}

// ElNe implements [tensor.ElEqer].
func (e *Engine) ElNe(a, b tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.binary("ElNe", isUnequal, a, b, opts)
}

// NeScalar implements [tensor.ElEqer].
func (e *Engine) NeScalar(a tensor.Tensor, b any, tensorLeft bool, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.withNumber("NeScalar", isUnequal, a, b, tensorLeft, opts)
}
