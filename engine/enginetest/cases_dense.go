package enginetest

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func denseCases() []Case {
	var all []Case
	all = append(all, precisionCases()...)
	all = append(all, productShapeCases()...)
	all = append(all, manyAnchorCases()...)
	all = append(all, weightCases()...)
	all = append(all, longSegmentCases()...)
	all = append(all, assignShapeCases()...)
	all = append(all, crossEntropyCases()...)
	all = append(all, adamCases()...)
	all = append(all, placeCases()...)
	all = append(all, viewCases()...)
	return append(all, denseErrorCases()...)
}

// productShapeCases are products that engines treat in their own ways: thin ones, long inner products
// of small matrices, and more than one tile in each direction.
func productShapeCases() []Case {
	var all []Case
	for _, s := range [][3]int{{300, 1, 40}, {1, 300, 40}, {300, 8, 33}, {5, 300, 33}, {300, 32, 129}, {32, 300, 129}, {3, 2, 5000}, {40, 24, 4100}, {129, 131, 64}, {260, 257, 12}, {4, 4, 4}} {
		for _, opt := range []engine.MatMul{{Alpha: 1}, {TransA: true, Alpha: -0.5, Beta: 2}, {TransB: true, Alpha: 1, Beta: 1}, {TransA: true, TransB: true, Alpha: 2}} {
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
		for _, s := range [][3]int{{0, 3, 4}, {1, 1, 1}, {16, 8, 8}, {33, 17, 31}, {128, 128, 32}, {130, 129, 65}, {64, 200, 0}} {
			for _, opt := range []engine.MatMul{{Alpha: 1}, {TransA: true, Alpha: 1, Beta: 1}, {TransB: true, Alpha: 2}, {TransA: true, TransB: true, Alpha: 1}} {
				opt.Precision = precision
				all = append(all, matMulCase("precision", s[0], s[1], s[2], opt, tolerance))
			}
		}
	}
	return all
}

// manyAnchorCases have more anchors than small kernel matrices do.
func manyAnchorCases() []Case {
	var all []Case
	for _, d := range []int{1, 20} {
		all = append(all, Case{"Gram", fmt.Sprintf("many anchors d=%d", d), 4, func(c *call) error {
			const p, q = 2, 520
			z := c.random(7, p*q, d)
			if err := c.e.NormalizeRows(z, nil, z, 1e-4); err != nil {
				return err
			}
			return c.e.Gram(c.outputOf(tensor.Float64, p, q, q), engine.View(z, 0, p, q, d), engine.Kernel{Alpha: 1.5}, true)
		}})
	}
	return all
}

// weightCases have weights of zero among others, and segments whose weights are all zero.
func weightCases() []Case {
	var all []Case
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean} {
		for _, q := range []int{0, 1, 5, 32, 130} {
			for _, n := range sizes {
				all = append(all, Case{"SegmentReduce", fmt.Sprintf("weighted %v q=%d n=%d", pool, q, n), 4, func(c *call) error {
					s := engine.Segments{Offsets: []int32{0}, Index: make([]int32, n), Weights: make([]float64, n)}
					for i := range n {
						s.Index[i], s.Weights[i] = int32(i*5%n), float64(i%5)/4
						if i%100 < 30 {
							s.Weights[i] = 0
						}
						if i%3 == 2 || i == n-1 {
							s.Offsets = append(s.Offsets, int32(i+1))
						}
					}
					return c.e.SegmentReduce(c.output(len(s.Offsets)-1, q), c.random(12, n, q), s, pool)
				}})
			}
		}
	}
	return all
}

// longSegmentCases have one segment that outweighs the others by far.
func longSegmentCases() []Case {
	var all []Case
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, q := range []int{1, 4, 33} {
			for _, weighted := range []bool{false, true} {
				if weighted && pool == engine.Max {
					continue
				}
				all = append(all, Case{"SegmentReduce", fmt.Sprintf("long %v q=%d weighted=%v", pool, q, weighted), 8, func(c *call) error {
					const n = 20011
					s := engine.Segments{Offsets: []int32{0, 3, 3, n - 2, n}}
					if weighted {
						s.Weights = make([]float64, n)
						for i := range s.Weights {
							s.Weights[i] = float64(i % 3)
						}
					}
					return c.e.SegmentReduce(c.output(4, q), c.random(12, n, q), s, pool)
				}})
			}
		}
	}
	return all
}

// assignShapeCases have enough points, anchors and dimensions for several tiles of each.
func assignShapeCases() []Case {
	var all []Case
	for _, s := range []struct{ n, q, p, d int }{{300, 300, 1, 32}, {140, 129, 2, 20}, {129, 5, 4, 1}, {64, 128, 3, 8}, {7, 3, 2, 0}} {
		all = append(all, Case{"Assign", fmt.Sprintf("shape %+v", s), 4, func(c *call) error {
			const rows = 50
			points := engine.Points{Table: c.random(8, rows, s.d), Size: s.p, Rows: make([]int32, s.n*s.p)}
			for i := range points.Rows {
				points.Rows[i] = int32(i * i % rows)
			}
			return c.e.Assign(c.indices(s.n), c.output(s.n), points, c.random(10, s.p, s.q, s.d))
		}})
	}
	// Anchors f and f+q/2 are the same, so that every maximum is attained twice.
	all = append(all, Case{"Assign", "the first of two equal anchors", 4, func(c *call) error {
		const n, q, d = 150, 260, 6
		z := normal(10, q*d)
		copy(z[q/2*d:], z[:q/2*d])
		return c.e.Assign(c.indices(n), c.output(n), engine.Points{Table: c.random(8, n, d), Size: 1}, c.upload(c.dtype, z, 1, q, d))
	}})
	return all
}

func crossEntropyCases() []Case {
	var all []Case
	add := func(name string, n, classes int, logits func(i, j int, normal float64) float64, gradient bool) {
		all = append(all, Case{"SoftmaxCrossEntropy", fmt.Sprintf("%s %dx%d gradient=%v", name, n, classes, gradient), 4, func(c *call) error {
			x := normal(30, n*classes)
			target := make([]int32, n)
			for i := range n {
				target[i] = int32(i * 7 % classes)
				for j := range classes {
					x[i*classes+j] = logits(i, j, x[i*classes+j])
				}
			}
			var grad *tensor.Dense
			if gradient {
				grad = c.output(n, classes)
			}
			return c.e.SoftmaxCrossEntropy(c.output(n), grad, c.upload(c.dtype, x, n, classes), target)
		}})
	}
	plain := func(_, _ int, v float64) float64 { return v }
	for _, n := range sizes {
		add("random", n, 1, plain, true)
		add("random", n, 2, plain, true)
		add("random", n, 10, plain, n%2 == 0)
	}
	for _, classes := range []int{31, 32, 33, 1023, 1024, 1025, 3000} {
		add("random", 5, classes, plain, true)
		add("random", 5, classes, plain, false)
	}
	for _, classes := range []int{1, 7, 40, 1100} {
		add("equal logits", 9, classes, func(i, _ int, _ float64) float64 { return float64(i) - 4 }, true)
		add("huge logits", 9, classes, func(_, _ int, v float64) float64 { return math.Round(v * 1e4) }, true)
		add("one certain class", 9, classes, func(_, j int, v float64) float64 {
			if j == 0 {
				return 1e4
			}
			return v
		}, true)
	}
	all = append(all, Case{"SoftmaxCrossEntropy", "gradient in place of the logits", 4, func(c *call) error {
		x := c.output(50, 12)
		if err := c.e.Convert(x, c.random(31, 50, 12)); err != nil {
			return err
		}
		return c.e.SoftmaxCrossEntropy(c.output(50), x, x, make([]int32, 50))
	}})
	return all
}

func adamCases() []Case {
	var all []Case
	for _, n := range append([]int{40000}, sizes...) {
		for _, decay := range []float64{0, 0.01} {
			all = append(all, Case{"Adam", fmt.Sprintf("n=%d decay=%g", n, decay), 8, func(c *call) error {
				parameter, moment1, moment2 := c.output(n), c.output(n), c.output(n)
				for _, t := range []*tensor.Dense{moment1, moment2} {
					if err := c.e.Convert(t, c.upload(c.dtype, make([]float64, n), n)); err != nil {
						return err
					}
				}
				if err := c.e.Convert(parameter, c.random(32, n)); err != nil {
					return err
				}
				steps := 5
				if n > 2000 {
					steps = 1
				}
				for step := 1; step <= steps; step++ {
					opt := engine.Adam{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Decay: decay, Step: step}
					if err := c.e.Adam(parameter, moment1, moment2, c.random(uint64(40+step), n), opt); err != nil {
						return err
					}
				}
				return nil
			}})
		}
	}
	return all
}

func placeCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, q := range []int{0, 1, 4, 33} {
			for _, at := range []engine.Placement{{Stride: 1}, {Row: 2, Column: 3, Stride: 1}, {Row: 1, Column: 1, Stride: 3}, {Column: 4, Stride: 4}} {
				for _, indexed := range []bool{false, true} {
					all = append(all, Case{"Place", fmt.Sprintf("%dx%d %+v indexed=%v", n, q, at, indexed), 1, func(c *call) error {
						rows, columns := n+at.Row+1, at.Column+q*at.Stride+4
						var index []int32
						source := n
						if indexed {
							source = n/2 + 1
							index = make([]int32, n)
							for i := range index {
								index[i] = int32(i * 3 % source)
							}
						}
						dst := c.output(rows, columns)
						if err := c.e.Convert(dst, c.random(33, rows, columns)); err != nil {
							return err
						}
						return c.e.Place(dst, c.random(34, source, q), index, at)
					}})
				}
			}
		}
	}
	return all
}

// viewCases read and write matrices that begin in the middle of others, where memory is aligned to
// single elements only.
func viewCases() []Case {
	view := func(c *call, seed uint64, shape ...int) *tensor.Dense {
		n := tensor.Shape(shape).TotalSize()
		return engine.View(c.random(seed, n+7), 3, shape...)
	}
	return []Case{
		{"MatMul", "views", 4, func(c *call) error {
			return c.e.MatMul(c.output(36, 40), view(c, 1, 36, 20), view(c, 2, 20, 40), engine.MatMul{Alpha: 1})
		}},
		{"MatMul", "views in TF32", 500, func(c *call) error {
			return c.e.MatMul(c.output(36, 40), view(c, 1, 36, 20), view(c, 2, 40, 20), engine.MatMul{TransB: true, Alpha: 1, Precision: engine.TF32})
		}},
		{"NormalizeRows", "views", 2, func(c *call) error {
			return c.e.NormalizeRows(c.output(9, 16), c.output(9), view(c, 3, 9, 16), 1e-6)
		}},
		{"Gram", "views", 4, func(c *call) error {
			z := view(c, 4, 2*12, 8)
			if err := c.e.NormalizeRows(z, nil, z, 1e-4); err != nil {
				return err
			}
			return c.e.Gram(c.outputOf(tensor.Float64, 1, 12, 12), engine.View(z, 0, 2, 12, 8), engine.Kernel{Alpha: 2}, false)
		}},
		{"Assign", "views", 4, func(c *call) error {
			return c.e.Assign(c.indices(20), c.output(20), engine.Points{Table: view(c, 5, 20, 8), Size: 1}, view(c, 6, 1, 12, 8))
		}},
		{"SegmentReduce", "views", 4, func(c *call) error {
			return c.e.SegmentReduce(c.output(2, 8), view(c, 7, 30, 8), engine.Segments{Offsets: []int32{0, 11, 30}}, engine.Mean)
		}},
		{"SoftmaxCrossEntropy", "views", 4, func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.output(6), c.output(6, 8), view(c, 8, 6, 8), make([]int32, 6))
		}},
		{"Adam", "views", 4, func(c *call) error {
			parameter := c.output(40)
			if err := c.e.Convert(parameter, c.random(9, 40)); err != nil {
				return err
			}
			return c.e.Adam(parameter, engine.New(c.e, c.dtype, 40), engine.New(c.e, c.dtype, 40), view(c, 10, 40), engine.Adam{Rate: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Step: 1})
		}},
		{"Place", "views", 1, func(c *call) error {
			return c.e.Place(c.output(6, 8), view(c, 11, 6, 8), nil, engine.Placement{Stride: 1})
		}},
		{"Convert", "views", 1, func(c *call) error {
			if err := c.e.Convert(c.outputOf(tensor.Float32, 40), view(c, 12, 40)); err != nil {
				return err
			}
			return c.e.Convert(c.outputOf(tensor.Float64, 40), view(c, 13, 40))
		}},
	}
}

// denseErrorCases are calls that must be refused.
func denseErrorCases() []Case {
	refuse := func(operation, name string, run func(c *call) error) Case {
		return Case{operation, "refused: " + name, 1, run}
	}
	segments := func(s engine.Segments, pool engine.Pooling) func(c *call) error {
		return func(c *call) error {
			return c.e.SegmentReduce(c.zeros(len(s.Offsets)-1, 3), c.zeros(4, 3), s, pool)
		}
	}
	place := func(index []int32, at engine.Placement) func(c *call) error {
		return func(c *call) error { return c.e.Place(c.zeros(5, 6), c.zeros(3, 2), index, at) }
	}
	return []Case{
		refuse("MatMul", "unknown precision", func(c *call) error {
			return c.e.MatMul(c.zeros(2, 2), c.zeros(2, 2), c.zeros(2, 2), engine.MatMul{Alpha: 1, Precision: 3})
		}),
		refuse("SegmentReduce", "falling offsets", segments(engine.Segments{Offsets: []int32{0, 3, 2}}, engine.Sum)),
		refuse("SegmentReduce", "too many items", segments(engine.Segments{Offsets: []int32{0, 5}}, engine.Sum)),
		refuse("SegmentReduce", "no such row", segments(engine.Segments{Offsets: []int32{0, 1}, Index: []int32{4}}, engine.Sum)),
		refuse("SegmentReduce", "too few weights", segments(engine.Segments{Offsets: []int32{0, 2}, Weights: []float64{1}}, engine.Sum)),
		refuse("SegmentReduce", "weights of a maximum", segments(engine.Segments{Offsets: []int32{0, 1}, Weights: []float64{1}}, engine.Max)),
		refuse("Assign", "no such row", func(c *call) error {
			return c.e.Assign(make([]int32, 1), nil, engine.Points{Table: c.zeros(2, 3), Rows: []int32{0, 2}, Size: 2}, c.zeros(2, 2, 3))
		}),
		refuse("Assign", "half a point", func(c *call) error {
			return c.e.Assign(make([]int32, 1), nil, engine.Points{Table: c.zeros(2, 3), Rows: []int32{0, 1, 1}, Size: 2}, c.zeros(2, 2, 3))
		}),
		refuse("SoftmaxCrossEntropy", "target too large", func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.zeros(2), nil, c.zeros(2, 3), []int32{0, 3})
		}),
		refuse("SoftmaxCrossEntropy", "negative target", func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.zeros(2), nil, c.zeros(2, 3), []int32{-1, 0})
		}),
		refuse("Adam", "step zero", func(c *call) error {
			return c.e.Adam(c.zeros(2), c.zeros(2), c.zeros(2), c.zeros(2), engine.Adam{Beta1: 0.9, Beta2: 0.99})
		}),
		refuse("Adam", "moments of another size", func(c *call) error {
			return c.e.Adam(c.zeros(2), c.zeros(3), c.zeros(2), c.zeros(2), engine.Adam{Step: 1})
		}),
		refuse("Place", "rows beyond the matrix", place(nil, engine.Placement{Row: 3, Stride: 1})),
		refuse("Place", "columns beyond the matrix", place(nil, engine.Placement{Column: 4, Stride: 2})),
		refuse("Place", "negative row", place(nil, engine.Placement{Row: -1, Stride: 1})),
		refuse("Place", "stride zero", place(nil, engine.Placement{})),
		refuse("Place", "no such row", place([]int32{0, 3}, engine.Placement{Stride: 1})),
	}
}

// zeros returns a tensor of zeros on the engine of the call.
func (c *call) zeros(shape ...int) *tensor.Dense { return engine.New(c.e, c.dtype, shape...) }
