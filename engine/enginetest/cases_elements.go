package enginetest

import (
	"fmt"

	"gorgonia.org/tensor"
)

// What gorgonia asks of an engine is held to what gorgonia's own engine gives, which the reference embeds.

// results are the places that the result of an operation on elements can go to.
var results = []string{"new", "reused", "in place", "added"}

// options returns the options for one of results, where in place means a copy of a in x.
func (c *call) options(result string, shape ...int) (opts []tensor.FuncOpt, err error) {
	switch result {
	case "reused":
		return []tensor.FuncOpt{tensor.WithReuse(c.output(shape...))}, nil
	case "in place":
		return []tensor.FuncOpt{tensor.UseUnsafe()}, nil
	case "added":
		sum := c.output(shape...)
		return []tensor.FuncOpt{tensor.WithIncr(sum)}, c.e.Convert(sum, c.random(9, shape...))
	}
	return nil, nil
}

// keep copies a result into an output of its own, of the shape that it has.
func (c *call) keep(t tensor.Tensor, err error) error {
	if err != nil {
		return err
	}
	d := t.(*tensor.Dense)
	if d.IsScalar() { // a number comes to the host
		d = tensor.New(tensor.WithShape(1), tensor.Of(c.dtype))
		d.Set(0, t.ScalarValue())
	}
	return c.e.Convert(c.output(d.Shape()...), d)
}

// number returns a number of the dtype of the call.
func (c *call) number(x float64) any {
	if c.dtype == tensor.Float32 {
		return float32(x)
	}
	return x
}

func elementCases() []Case {
	return append(append(binaryCases(), comparisonCases()...), unaryCases()...)
}

func binaryCases() []Case {
	type function = func(a, b any, opts ...tensor.FuncOpt) (tensor.Tensor, error)
	var all []Case
	for _, f := range []struct {
		name string
		do   function
	}{{"Add", tensor.Add}, {"Sub", tensor.Sub}, {"Mul", tensor.Mul}, {"Div", tensor.Div}, {"Pow", tensor.Pow},
		{"MinBetween", tensor.MinBetween}, {"MaxBetween", tensor.MaxBetween}} {
		for _, result := range results {
			if len(f.name) > 3 && result != "new" { // of MinBetween and MaxBetween gorgonia has no others
				continue
			}
			for _, n := range []int{1, 33, 1025} {
				add := func(how string, operands func(c *call) (a, b any)) {
					all = append(all, Case{"Elements", fmt.Sprintf("%s %s %d %s", f.name, how, n, result), 4, func(c *call) error {
						opts, err := c.options(result, n, 2)
						if err != nil {
							return err
						}
						a, b := operands(c)
						return c.keep(f.do(a, b, opts...))
					}})
				}
				left := func(c *call) *tensor.Dense { return c.positive(1, n, 2) }
				add("tensors", func(c *call) (a, b any) { return left(c), c.positive(2, n, 2) })
				add("number on the right", func(c *call) (a, b any) { return left(c), c.number(1.75) })
				add("number on the left", func(c *call) (a, b any) { return c.number(0.75), left(c) })
			}
		}
	}
	return all
}

// positive is random without signs: of negative numbers a power may be none.
func (c *call) positive(seed uint64, shape ...int) *tensor.Dense {
	values := normal(seed, tensor.Shape(shape).TotalSize())
	for i, v := range values {
		values[i] = 0.1 + v*v
	}
	return c.upload(c.dtype, values, shape...)
}

func comparisonCases() []Case {
	var all []Case
	for _, f := range []struct {
		name string
		do   func(a, b any, opts ...tensor.FuncOpt) (tensor.Tensor, error)
	}{{"Lt", tensor.Lt}, {"Lte", tensor.Lte}, {"Gt", tensor.Gt}, {"Gte", tensor.Gte}, {"ElEq", tensor.ElEq},
		{"ElNe", tensor.ElNe}} {
		for _, n := range []int{1, 1025} {
			steps := func(c *call, seed int) *tensor.Dense { // with many equal ones
				values := make([]float64, 2*n)
				for i := range values {
					values[i] = float64((i*7 + seed*i) % 5)
				}
				return c.upload(c.dtype, values, n, 2)
			}
			for _, same := range []bool{true, false} {
				add := func(how string, operands func(c *call) (a, b any)) {
					name := fmt.Sprintf("%s %s %d same=%v", f.name, how, n, same)
					all = append(all, Case{"Elements", name, 0, func(c *call) error {
						a, b := operands(c)
						if same {
							return c.keep(f.do(a, b, tensor.AsSameType()))
						}
						t, err := f.do(a, b)
						if err != nil {
							return err
						}
						told := make([]float64, 2*n)
						for i, v := range t.Data().([]bool) {
							told[i] = truth(v)
						}
						return c.tell(told)
					}})
				}
				add("tensors", func(c *call) (a, b any) { return steps(c, 1), steps(c, 2) })
				add("number on the right", func(c *call) (a, b any) { return steps(c, 1), c.number(2) })
				add("number on the left", func(c *call) (a, b any) { return c.number(3), steps(c, 1) })
			}
		}
	}
	return all
}

func unaryCases() []Case {
	type function = func(a tensor.Tensor, opts ...tensor.FuncOpt) (tensor.Tensor, error)
	var all []Case
	for _, f := range []struct {
		name string
		do   function
	}{{"Neg", tensor.Neg}, {"Abs", tensor.Abs}, {"Sign", tensor.Sign}, {"Inv", tensor.Inv}, {"Square", tensor.Square},
		{"Cube", tensor.Cube}, {"Sqrt", tensor.Sqrt}, {"Cbrt", tensor.Cbrt}, {"Exp", tensor.Exp}, {"Log", tensor.Log},
		{"Log2", tensor.Log2}, {"Log10", tensor.Log10}, {"Tanh", tensor.Tanh}} {
		for _, result := range results {
			for _, n := range []int{1, 33, 1025} {
				all = append(all, Case{"Elements", fmt.Sprintf("%s %d %s", f.name, n, result), 4, func(c *call) error {
					opts, err := c.options(result, n)
					if err != nil {
						return err
					}
					x := c.positive(1, n)
					if f.name == "Neg" || f.name == "Abs" || f.name == "Sign" || f.name == "Tanh" {
						x = c.random(1, n)
					}
					return c.keep(f.do(x, opts...))
				}})
			}
		}
	}
	all = append(all, Case{"Elements", "Clamp", 0, func(c *call) error {
		return c.keep(tensor.Clamp(c.random(1, 40, 3), c.number(-0.5), c.number(0.75)))
	}})
	return append(all, Case{"Elements", "a function of the host", 1, func(c *call) error {
		if c.dtype == tensor.Float32 {
			return c.keep(c.random(1, 40, 3).Apply(func(x float32) float32 { return 3*x + 1 }))
		}
		return c.keep(c.random(1, 40, 3).Apply(func(x float64) float64 { return 3*x + 1 }))
	}})
}
