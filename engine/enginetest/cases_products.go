package enginetest

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// productShapeCases are products that engines treat in their own ways: thin ones, long inner products
// of small matrices, and more than one tile in each direction.
func productShapeCases() []Case {
	var all []Case
	for _, s := range [][3]int{{300, 1, 40}, {1, 300, 40}, {300, 8, 33}, {5, 300, 33}, {300, 32, 129}, {32, 300, 129},
		{3, 2, 5000}, {40, 24, 1100}, {129, 131, 64}, {260, 257, 12}, {4, 4, 4}} {
		for _, opt := range []engine.Gemm{{Alpha: 1}, {TransA: true, Alpha: -0.5, Beta: 2},
			{TransB: true, Alpha: 1, Beta: 1}, {TransA: true, TransB: true, Alpha: 2}} {
			all = append(all, gemmCase("shape", s[0], s[1], s[2], opt, 4))
		}
	}
	return all
}

func gemmCase(name string, m, n, k int, opt engine.Gemm, tolerance float64) Case {
	return Case{"Gemm", fmt.Sprintf("%s %dx%dx%d %+v", name, m, n, k, opt), tolerance, func(c *call) error {
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
		return c.e.Gemm(out, c.random(1, a...), c.random(2, b...), opt)
	}}
}

// precisionCases allow for factors rounded to 10 and 7 bits of mantissa: a product of two is off by up
// to 2^-10 and 2^-7, and a few of them in a row by that share of the largest element or less.
func precisionCases() []Case {
	var all []Case
	for precision, tolerance := range map[engine.Precision]float64{engine.TF32: 500, engine.BFloat16: 4000} {
		for _, s := range [][3]int{{0, 3, 4}, {1, 1, 1}, {16, 8, 8}, {33, 17, 31}, {128, 128, 32}, {130, 129, 65},
			{64, 200, 0}} {
			for _, opt := range []engine.Gemm{{Alpha: 1}, {TransA: true, Alpha: 1, Beta: 1}, {TransB: true, Alpha: 2},
				{TransA: true, TransB: true, Alpha: 1}} {
				opt.Precision = precision
				all = append(all, gemmCase("precision", s[0], s[1], s[2], opt, tolerance))
			}
		}
	}
	return all
}

// projectCases have channels without rows, fewer and more channels than matrices and than a launch of a device takes,
// and rows enough for several splits.
func projectCases() []Case {
	var all []Case
	for _, s := range []struct {
		name        string
		q, matrices int
		rows        []int
	}{
		{"no channels", 3, 2, nil}, {"one channel", 1, 1, []int{1}}, {"one channel", 32, 2, []int{40}},
		{"channels", 32, 4, []int{8, 46, 0, 401}}, {"channels", 33, 2, []int{7, 7, 7, 7}},
		{"channels", 31, 3, []int{5, 5, 5}},
		{"many channels", 5, 3, []int{1, 0, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"many channels", 4, 4, []int{3, 3, 3, 3, 3, 3, 3, 3, 3}},
		{"many rows", 7, 1, []int{600, 1300}}, {"wide", 130, 15, []int{70, 1, 3, 2, 1, 1, 1, 1, 1, 30}},
		{"wide", 64, 132, []int{8400}}, {"no columns", 0, 1, []int{3, 3}}, {"no rows", 4, 1, []int{0, 0}},
	} {
		p, equal := engine.Projection{Offsets: []int32{0}}, len(s.rows) > 0
		for _, n := range s.rows {
			p.Offsets, equal = append(p.Offsets, p.Offsets[len(p.Offsets)-1]+int32(n)), equal && n == s.rows[0]
		}
		n := int(p.Offsets[len(s.rows)])
		for _, p.Interleaved = range []bool{false, true} {
			if p.Interleaved && !equal {
				continue
			}
			of, shape := p, []int{n, s.q}
			if p.Interleaved {
				shape = []int{n / len(s.rows), s.q * len(s.rows)}
			}
			name := fmt.Sprintf("%s q=%d matrices=%d rows=%v interleaved=%v", s.name, s.q, s.matrices, s.rows, p.Interleaved)
			matrices := []int{s.matrices, s.q, s.q}
			all = append(all, Case{"Project", name, 4, func(c *call) error {
				return c.e.Project(c.output(shape...), c.random(1, n, s.q), c.randomOf(tensor.Float64, 2, matrices...), of)
			}})
			for _, to := range []string{"rows", "matrices", "both"} {
				all = append(all, Case{"ProjectGrad", name + " to " + to, 4, func(c *call) error {
					var xGrad, aGrad *tensor.Dense
					if to != "matrices" {
						xGrad = c.output(n, s.q)
					}
					if to != "rows" {
						aGrad = c.outputOf(tensor.Float64, matrices...)
					}
					return c.e.ProjectGrad(xGrad, aGrad, c.random(3, shape...), c.random(1, n, s.q),
						c.randomOf(tensor.Float64, 2, matrices...), of)
				}})
			}
		}
	}
	return append(all, Case{"Project", "interleaved channels of unlike rows", 1, func(c *call) error {
		return c.e.Project(c.random(1, 3, 4), c.random(2, 6, 2), c.randomOf(tensor.Float64, 3, 1, 2, 2),
			engine.Projection{Offsets: []int32{0, 2, 6}, Interleaved: true})
	}}, Case{"ProjectGrad", "offsets of other rows", 1, func(c *call) error {
		return c.e.ProjectGrad(nil, nil, c.random(1, 3, 4), c.random(2, 3, 4), c.randomOf(tensor.Float64, 3, 1, 4, 4),
			engine.Projection{Offsets: []int32{0, 2}})
	}})
}

// gramGradCases have gradients that are not symmetric, as are those of no inverse root.
func gramGradCases() []Case {
	var all []Case
	for _, s := range []struct{ p, q, d int }{
		{1, 1, 1}, {3, 2, 5}, {4, 32, 37}, {2, 33, 31}, {1, 70, 3}, {2, 5, 0}, {1, 0, 4},
	} {
		for form := range 8 {
			lengths, sum, more := form&1 > 0, form&2 > 0, form&4 > 0
			kernel, count := engine.Kernel{Alpha: 2.5, SumExponent: sum}, 1
			if lengths {
				count = s.p
			}
			name := fmt.Sprintf("q=%d p=%d d=%d lengths=%v sum=%v plus=%v", s.q, s.p, s.d, lengths, sum, more)
			all = append(all, Case{"GramGrad", name, 4, func(c *call) error {
				var plus *tensor.Dense
				if more {
					plus = c.random(10, s.p, s.q, s.d)
				}
				k, grad := c.randomOf(tensor.Float64, 8, count, s.q, s.q), c.randomOf(tensor.Float64, 9, count, s.q, s.q)
				return c.e.GramGrad(c.output(s.p, s.q, s.d), plus, c.random(7, s.p, s.q, s.d), grad, k, kernel, lengths)
			}})
		}
	}
	return append(all, Case{"GramGrad", "shapes that do not fit", 1, func(c *call) error {
		k := c.randomOf(tensor.Float64, 1, 1, 3, 3)
		return c.e.GramGrad(c.e.New(c.dtype, 2, 3, 5), nil, c.random(2, 2, 3, 4), k, k, engine.Kernel{Alpha: 1}, false)
	}})
}
