//go:build gpu

package cuda

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Neg implements [tensor.Neger].
func (e *Engine) Neg(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Neg", negativeOf, a, 0, 0, opts)
}

// Abs implements [tensor.Abser].
func (e *Engine) Abs(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Abs", absoluteOf, a, 0, 0, opts)
}

// Sign implements [tensor.Signer].
func (e *Engine) Sign(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Sign", signOf, a, 0, 0, opts)
}

// Inv implements [tensor.Inver].
func (e *Engine) Inv(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Inv", inverseOf, a, 0, 0, opts)
}

// Square implements [tensor.Squarer].
func (e *Engine) Square(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Square", squareOf, a, 0, 0, opts)
}

// Cube implements [tensor.Cuber].
func (e *Engine) Cube(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Cube", cubeOf, a, 0, 0, opts)
}

// Sqrt implements [tensor.Sqrter].
func (e *Engine) Sqrt(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Sqrt", squareRootOf, a, 0, 0, opts)
}

// Cbrt implements [tensor.Cbrter].
func (e *Engine) Cbrt(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Cbrt", cubeRootOf, a, 0, 0, opts)
}

// Exp implements [tensor.Exper].
func (e *Engine) Exp(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Exp", exponentialOf, a, 0, 0, opts)
}

// Log implements [tensor.Loger].
func (e *Engine) Log(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Log", logarithmOf, a, 0, 0, opts)
}

// Log2 implements [tensor.Log2er].
func (e *Engine) Log2(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Log2", logarithm2Of, a, 0, 0, opts)
}

// Log10 implements [tensor.Log10er].
func (e *Engine) Log10(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Log10", logarithm10Of, a, 0, 0, opts)
}

// Tanh implements [tensor.Tanher].
func (e *Engine) Tanh(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	return e.unary("Tanh", tanhOf, a, 0, 0, opts)
}

// Clamp implements [tensor.Clamper].
func (e *Engine) Clamp(a tensor.Tensor, low, high any, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	from, err := numberOf("Clamp", low, a.Dtype())
	if err != nil {
		return nil, err
	}
	to, err := numberOf("Clamp", high, a.Dtype())
	if err != nil {
		return nil, err
	}
	return e.unary("Clamp", clampOf, a, from, to, opts)
}

// mapped are the functions that gorgonia maps onto elements, by their names, and what they are on the device.
var mapped = map[string]int{
	"math.Ceil": ceilingOf, "math.Cos": cosineOf, "math.Expm1": exponentialM1Of, "math.Floor": floorOf,
	"math.Log1p": logarithm1pOf, "math.Sin": sineOf,
	"github.com/chewxy/math32.Ceil": ceilingOf, "github.com/chewxy/math32.Cos": cosineOf,
	"github.com/chewxy/math32.Expm1": exponentialM1Of, "github.com/chewxy/math32.Floor": floorOf,
	"github.com/chewxy/math32.Log1p": logarithm1pOf, "github.com/chewxy/math32.Sin": sineOf,
	"gorgonia.org/gorgonia._inverseSqrtf32": inverseRootOf, "gorgonia.org/gorgonia._inverseSqrtf64": inverseRootOf,
	"gorgonia.org/gorgonia._sigmoidf32": sigmoidOf, "gorgonia.org/gorgonia._sigmoidf64": sigmoidOf,
	"gorgonia.org/gorgonia._softplusf32": softplusOf, "gorgonia.org/gorgonia._softplusf64": softplusOf,
}

// Map implements [tensor.Mapper]. Functions of gorgonia's operations are computed on the device; any other one is a
// function of the host, to which the elements go and from where they come back.
func (e *Engine) Map(fn any, a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error) {
	if v := reflect.ValueOf(fn); v.Kind() == reflect.Func && !v.IsNil() {
		if f, known := mapped[runtime.FuncForPC(v.Pointer()).Name()]; known {
			return e.unary("Map", f, a, 0, 0, opts)
		}
	}
	o, x, err := e.begun("Map", negativeOf, a, opts)
	if err != nil {
		return nil, err
	}
	return o.finish(o.onHost(fn, x))
}

// onHost maps a function of the host.
func (o *elementwise) onHost(fn any, x *tensor.Dense) error {
	if o.add {
		return fmt.Errorf("%s: a function of the host adds to nothing: leave out WithIncr", o.name)
	}
	host, err := engine.ToHost(x)
	if err != nil {
		return err
	}
	values, err := o.e.host.Map(fn, host, tensor.UseUnsafe())
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return o.e.Convert(o.to, values.(*tensor.Dense))
}

// What the operations on elements implement.
var (
	_ tensor.Adder        = (*Engine)(nil)
	_ tensor.Suber        = (*Engine)(nil)
	_ tensor.Muler        = (*Engine)(nil)
	_ tensor.Diver        = (*Engine)(nil)
	_ tensor.Power        = (*Engine)(nil)
	_ tensor.MinBetweener = (*Engine)(nil)
	_ tensor.MaxBetweener = (*Engine)(nil)
	_ tensor.Lter         = (*Engine)(nil)
	_ tensor.Lteer        = (*Engine)(nil)
	_ tensor.Gter         = (*Engine)(nil)
	_ tensor.Gteer        = (*Engine)(nil)
	_ tensor.ElEqer       = (*Engine)(nil)
	_ tensor.Clamper      = (*Engine)(nil)
	_ tensor.Mapper       = (*Engine)(nil)
)
