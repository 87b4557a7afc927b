package enginetest

import (
	"fmt"

	"gorgonia.org/tensor"
)

func reductionCases() []Case {
	var all []Case
	for _, f := range []struct {
		name string
		do   func(t *tensor.Dense, along ...int) (*tensor.Dense, error)
	}{{"Sum", (*tensor.Dense).Sum}, {"Max", (*tensor.Dense).Max}, {"Min", (*tensor.Dense).Min}} {
		for _, s := range []struct{ shape, along []int }{
			{[]int{1}, []int{0}}, {[]int{33}, []int{0}}, {[]int{20000}, nil}, {[]int{300, 7}, nil}, {[]int{300, 7}, []int{0}},
			{[]int{300, 7}, []int{1}}, {[]int{3, 5, 129}, []int{2}}, {[]int{3, 150, 5}, []int{1}}, {[]int{3, 4, 5}, []int{0}},
			{[]int{3, 4, 5}, []int{0, 2}}, {[]int{3, 4, 5}, []int{0, 1, 2}}, {[]int{1, 6}, []int{0}}, {[]int{6, 1}, []int{1}},
		} {
			all = append(all, Case{"Reductions", fmt.Sprintf("%s %v along %v", f.name, s.shape, s.along), 16,
				func(c *call) error { return c.keep(f.do(c.random(1, s.shape...), s.along...)) }})
		}
	}
	return all
}

func softmaxCases() []Case {
	var all []Case
	for _, shape := range [][]int{{5}, {1, 3}, {300, 3}, {4, 1030}, {3, 40, 5}} {
		for axis := range shape {
			for _, logs := range []bool{false, true} {
				forward, backward, name := tensor.SoftMax, tensor.SoftMaxB, fmt.Sprintf("%v along %d logs=%v", shape, axis, logs)
				if logs {
					forward, backward = tensor.LogSoftMax, tensor.LogSoftMaxB
				}
				all = append(all, Case{"SoftMax", name, 8, func(c *call) error {
					return c.keep(forward(c.random(1, shape...), axis))
				}}, Case{"SoftMax", "gradient " + name, 8, func(c *call) error {
					y, err := forward(c.random(1, shape...), axis, tensor.WithReuse(c.output(shape...)), tensor.UseUnsafe())
					if err != nil {
						return err
					}
					return c.keep(backward(y, c.random(2, shape...), axis))
				}})
			}
		}
	}
	return all
}

func shapeCases() []Case {
	var all []Case
	add := func(operation, name string, run func(c *call) error) {
		all = append(all, Case{operation, name, 4, run})
	}
	for _, p := range [][]int{{1, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 3, 0, 2}} {
		shape := []int{5, 4, 3, 2}[:len(p)]
		add("Shapes", fmt.Sprintf("Transpose %v", p), func(c *call) error {
			return c.keep(tensor.Transpose(c.random(1, shape...), p...))
		})
	}
	for _, s := range []struct {
		shape   []int
		axis    int
		repeats []int
	}{{[]int{1, 3}, 0, []int{4}}, {[]int{4, 1}, 1, []int{3}}, {[]int{4, 3}, 0, []int{2}}, {[]int{4, 3}, 1, []int{2}},
		{[]int{3, 2}, 0, []int{2, 0, 3}}, {[]int{2, 3, 4}, 1, []int{1, 2, 3}}, {[]int{5}, 0, []int{3}},
		{[]int{5}, 1, []int{3}}, {[]int{2, 3}, tensor.AllAxes, []int{2}}} {
		add("Shapes", fmt.Sprintf("Repeat %+v", s), func(c *call) error {
			return c.keep(tensor.Repeat(c.random(1, s.shape...), s.axis, s.repeats...))
		})
	}
	for axis := range 3 {
		add("Shapes", fmt.Sprintf("Concat along %d", axis), func(c *call) error {
			second := []int{3, 4, 5}
			second[axis] = 2
			return c.keep(tensor.Concat(axis, c.random(1, 3, 4, 5), c.random(2, second...), c.random(3, 3, 4, 5)))
		})
	}
	return append(all, tensorProductCases()...)
}

func tensorProductCases() []Case {
	var all []Case
	add := func(name string, run func(c *call) error) { all = append(all, Case{"Products", name, 4, run}) }
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			for _, s := range [][3]int{{1, 1, 1}, {33, 5, 17}, {1, 7, 4}, {6, 1, 4}, {6, 7, 1}} {
				add(fmt.Sprintf("MatMul %v transposed=%v,%v", s, ta, tb), func(c *call) error {
					a, err := c.turned(ta, 1, s[0], s[1])
					if err != nil {
						return err
					}
					b, err := c.turned(tb, 2, s[1], s[2])
					if err != nil {
						return err
					}
					return c.keep(tensor.MatMul(a, b))
				})
			}
		}
		add(fmt.Sprintf("MatVecMul transposed=%v", ta), func(c *call) error {
			a, err := c.turned(ta, 1, 33, 5)
			if err != nil {
				return err
			}
			return c.keep(tensor.MatVecMul(a, c.random(2, 5)))
		})
	}
	add("Outer", func(c *call) error { // tensor.Outer writes to the memory of its result, wherever that is
		out := c.e.New(c.dtype, 33, 5)
		return c.keep(out, c.e.(tensor.OuterProder).Outer(c.random(1, 33), c.random(2, 5), out))
	})
	add("Inner", func(c *call) error {
		v, err := tensor.Inner(c.random(1, 33), c.random(2, 33))
		if err != nil {
			return err
		}
		return c.keep(tensor.New(tensor.FromScalar(v)), nil)
	})
	return all
}

// turned returns a random matrix of m x n, made of one of n x m by a transposition that moves nothing if asked for.
func (c *call) turned(transposed bool, seed uint64, m, n int) (*tensor.Dense, error) {
	if !transposed {
		return c.random(seed, m, n), nil
	}
	t := c.random(seed, n, m)
	return t, t.T()
}
