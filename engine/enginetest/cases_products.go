package enginetest

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
)

// productShapeCases are products that engines treat in their own ways: thin ones, long inner products
// of small matrices, and more than one tile in each direction.
func productShapeCases() []Case {
	var all []Case
	for _, s := range [][3]int{{300, 1, 40}, {1, 300, 40}, {300, 8, 33}, {5, 300, 33}, {300, 32, 129}, {32, 300, 129},
		{3, 2, 5000}, {40, 24, 1100}, {129, 131, 64}, {260, 257, 12}, {4, 4, 4}} {
		for _, opt := range []engine.MatMul{{Alpha: 1}, {TransA: true, Alpha: -0.5, Beta: 2},
			{TransB: true, Alpha: 1, Beta: 1}, {TransA: true, TransB: true, Alpha: 2}} {
			all = append(all, matMulCase("shape", s[0], s[1], s[2], opt, 4))
		}
	}
	return all
}

func matMulCase(name string, m, n, k int, opt engine.MatMul, tolerance float64) Case {
	return Case{"MatMul", fmt.Sprintf("%s %dx%dx%d %+v", name, m, n, k, opt), tolerance, func(c *call) error {
		a, b := []int{m, k}, []int{k, n}
		if opt.TransA {
			a = []int{k, m}
		}
		if opt.TransB {
			b = []int{n, k}
		}
		out := c.output(m, n)
		if opt.Beta != 0 {
			if err := c.e.Convert(out, c.random(3, m, n)); err != nil {
				return err
			}
		}
		return c.e.MatMul(out, c.random(1, a...), c.random(2, b...), opt)
	}}
}

// precisionCases allow for factors rounded to 10 and 7 bits of mantissa: a product of two is off by up
// to 2^-10 and 2^-7, and a few of them in a row by that share of the largest element or less.
func precisionCases() []Case {
	var all []Case
	for precision, tolerance := range map[engine.Precision]float64{engine.TF32: 500, engine.BFloat16: 4000} {
		for _, s := range [][3]int{{0, 3, 4}, {1, 1, 1}, {16, 8, 8}, {33, 17, 31}, {128, 128, 32}, {130, 129, 65},
			{64, 200, 0}} {
			for _, opt := range []engine.MatMul{{Alpha: 1}, {TransA: true, Alpha: 1, Beta: 1}, {TransB: true, Alpha: 2},
				{TransA: true, TransB: true, Alpha: 1}} {
				opt.Precision = precision
				all = append(all, matMulCase("precision", s[0], s[1], s[2], opt, tolerance))
			}
		}
	}
	return all
}
