package enginetest

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// normalisationCases are the layers of networks on graphs and their gradients.
func normalisationCases() []Case {
	var all []Case
	for _, s := range [][2]int{{1, 1}, {1, 7}, {2, 3}, {33, 1}, {31, 5}, {257, 33}, {1025, 2}, {65, 130}, {4000, 64}} {
		all = append(all, batchNormCases(fmt.Sprintf("%dx%d", s[0], s[1]), s[0], s[1])...)
		all = append(all, rectifyCases(fmt.Sprintf("%dx%d", s[0], s[1]), s[0], s[1])...)
	}
	for _, s := range [][2]int{{0, 3}, {3, 0}, {0, 0}} {
		all = append(all, rectifyCases(fmt.Sprintf("%dx%d", s[0], s[1]), s[0], s[1])...)
	}
	all = append(all, batchNormCases("huge", 20011, 3)...) // more rows than a device adds up in one piece
	all = append(all, rectifyCases("huge", 20011, 3)...)
	all = append(all, emptyBatchNormCases()...)
	all = append(all, batchNormMomentCases()...)
	all = append(all, dropoutCases()...)
	all = append(all, linearGradCases()...)
	all = append(all, sparseAddCases()...)
	all = append(all, layerViewCases()...)
	return append(all, refusedLayerCases()...)
}

// start returns an output with given elements, which an operation reads as well.
func (c *call) start(x []float64, shape ...int) (*tensor.Dense, error) {
	t := c.output(shape...)
	return t, c.e.Convert(t, c.upload(c.dtype, x, shape...))
}

// magnitudes returns n numbers from 0.5 on.
func magnitudes(seed uint64, n int) []float64 {
	x := normal(seed, n)
	for i, v := range x {
		x[i] = float64(float32(0.5 + math.Abs(v)))
	}
	return x
}

// batchNorm returns a normalisation of d columns, with what it keeps among the outputs.
func (c *call) batchNorm(d int, training, rectify bool) (*engine.BatchNorm, error) {
	b := &engine.BatchNorm{Scale: c.random(51, 1, d), Shift: c.random(52, 1, d), Momentum: 0.1, Epsilon: 1e-5,
		Training: training, Rectify: rectify}
	var err error
	if b.Mean, err = c.start(normal(53, d), 1, d); err != nil {
		return nil, err
	}
	if b.Variance, err = c.start(magnitudes(54, d), 1, d); err != nil {
		return nil, err
	}
	if training {
		b.BatchMean, b.BatchDeviation = c.output(1, d), c.output(1, d)
	}
	return b, nil
}

// trained returns what BatchNorm might have left for its gradient.
func (c *call) trained(d int, rectify bool) *engine.BatchNorm {
	return &engine.BatchNorm{Scale: c.random(51, 1, d), BatchMean: c.random(55, 1, d),
		BatchDeviation: c.upload(c.dtype, magnitudes(56, d), 1, d), Training: true, Rectify: rectify}
}

func batchNormCases(shape string, n, d int) []Case {
	var all []Case
	for _, rectify := range []bool{false, true} {
		for _, training := range []bool{false, true} {
			name := fmt.Sprintf("%s training=%v rectify=%v", shape, training, rectify)
			all = append(all, Case{"BatchNorm", name, 8, func(c *call) error {
				b, err := c.batchNorm(d, training, rectify)
				if err != nil {
					return err
				}
				return c.e.BatchNorm(c.output(n, d), c.random(57, n, d), b)
			}})
		}
		for _, inPlace := range []bool{false, true} {
			name := fmt.Sprintf("%s rectify=%v in place=%v", shape, rectify, inPlace)
			all = append(all, Case{"BatchNormGrad", name, 4, func(c *call) error {
				from, y := c.random(58, n, d), c.random(59, n, d)
				to := c.output(n, d)
				if inPlace {
					if err := c.e.Convert(to, from); err != nil {
						return err
					}
					from = to
				}
				if !rectify {
					y = nil
				}
				x, b := c.random(57, n, d), c.trained(d, rectify)
				return c.e.BatchNormGrad(to, c.output(1, d), c.output(1, d), from, x, y, b)
			}})
		}
	}
	return all
}

// emptyBatchNormCases have no rows or no columns.
func emptyBatchNormCases() []Case {
	add := func(name string, n, d int, training bool) Case {
		return Case{"BatchNorm", name, 1, func(c *call) error {
			b, err := c.batchNorm(d, training, false)
			if err != nil {
				return err
			}
			return c.e.BatchNorm(c.output(n, d), c.random(57, n, d), b)
		}}
	}
	return []Case{add("no rows", 0, 5, false), add("no columns", 5, 0, false), add("no columns in training", 5, 0, true),
		{"BatchNormGrad", "no columns", 1, func(c *call) error {
			return c.e.BatchNormGrad(c.output(5, 0), c.output(1, 0), c.output(1, 0), c.random(58, 5, 0), c.random(57, 5, 0), nil,
				c.trained(0, false))
		}}}
}

// batchNormMomentCases have columns far from zero, equal rows, and one row that outweighs all others: sums have to be
// of differences.
func batchNormMomentCases() []Case {
	const n, d = 1500, 9
	add := func(name string, tolerance float64, element func(i, j int, v float64) float64) Case {
		return Case{"BatchNorm", name, tolerance, func(c *call) error {
			b, err := c.batchNorm(d, true, false)
			if err != nil {
				return err
			}
			x := normal(57, n*d)
			for i := range x {
				x[i] = float64(float32(element(i/d, i%d, x[i])))
			}
			return c.e.BatchNorm(c.output(n, d), c.upload(c.dtype, x, n, d), b)
		}}
	}
	return []Case{
		add("far from zero", 64, func(_, j int, v float64) float64 { return v + float64(j*16) }),
		add("equal rows", 8, func(_, j int, _ float64) float64 { return 0.1 * float64(j) }),
		add("equal rows but one", 64, func(i, j int, _ float64) float64 {
			if i == 700 {
				return 100
			}
			return 0.1 * float64(j)
		}),
	}
}

func rectifyCases(shape string, n, d int) []Case {
	var all []Case
	for _, inPlace := range []bool{false, true} {
		for _, biased := range []bool{false, true} {
			name := fmt.Sprintf("%s biased=%v in place=%v", shape, biased, inPlace)
			bias := func(t *tensor.Dense) *tensor.Dense {
				if !biased {
					return nil
				}
				return t
			}
			all = append(all, Case{"Rectify", name, 1, func(c *call) error {
				y, err := c.start(normal(60, n*d), n, d)
				if err != nil {
					return err
				}
				x := y
				if !inPlace {
					x = c.random(60, n, d)
				}
				return c.e.Rectify(y, x, bias(c.random(61, 1, d)))
			}}, Case{"RectifyGrad", name, 2, func(c *call) error {
				to, err := c.start(normal(62, n*d), n, d)
				if err != nil {
					return err
				}
				from := to
				if !inPlace {
					from = c.random(62, n, d)
				}
				var biasGrad *tensor.Dense
				if biased {
					biasGrad = c.output(1, d)
				}
				return c.e.RectifyGrad(to, biasGrad, from, c.random(63, n, d))
			}})
		}
	}
	return all
}

// dropoutCases end within the four elements that share a counter.
func dropoutCases() []Case {
	var all []Case
	for _, n := range append([]int{2, 3, 5, 70001}, sizes...) {
		for _, d := range []engine.Dropout{{Rate: 0.5, Seed: 1}, {Rate: 0, Seed: 2, Step: 7}, {Rate: 0.9, Seed: 1 << 40,
			Step: 1 << 33, Stream: 3}} {
			all = append(all, Case{"Dropout", fmt.Sprintf("n=%d %+v", n, d), 1, func(c *call) error {
				return c.e.Dropout(c.output(n), c.random(64, n), d)
			}})
		}
	}
	return append(all, Case{"Dropout", "in place, of a matrix", 1, func(c *call) error {
		x, err := c.start(normal(64, 33*7), 33, 7)
		if err != nil {
			return err
		}
		return c.e.Dropout(x, x, engine.Dropout{Rate: 0.3, Seed: 5, Step: 1, Stream: 2})
	}})
}

// linearGradCases want all gradients or one of them, of layers with few columns and many, and of many rows.
func linearGradCases() []Case {
	var all []Case
	add := func(n, outputs, d int, wanted string) {
		all = append(all, Case{"LinearGrad", fmt.Sprintf("%dx%d of %d, %s", n, outputs, d, wanted), 4, func(c *call) error {
			var xGrad, weightGrad, biasGrad *tensor.Dense
			if wanted == "all" || wanted == "x" {
				xGrad = c.output(n, d)
			}
			if wanted == "all" || wanted == "weight" {
				weightGrad = c.output(outputs, d)
			}
			if wanted == "all" || wanted == "bias" {
				biasGrad = c.output(1, outputs)
			}
			return c.e.LinearGrad(xGrad, weightGrad, biasGrad, c.random(65, n, outputs), c.random(66, n, d),
				c.random(67, outputs, d))
		}})
	}
	for _, n := range sizes {
		for _, outputs := range []int{0, 1, 2, 33} {
			for _, d := range []int{0, 3, 130} {
				add(n, outputs, d, "all")
			}
		}
	}
	for _, wanted := range []string{"none", "x", "weight", "bias", "all"} {
		add(70, 20, 37, wanted)
		add(4000, 64, 64, wanted)
	}
	add(200, 1, 1, "all")
	add(5, 300, 200, "all")
	add(20011, 2, 3, "all")
	return all
}

func sparseAddCases() []Case {
	var all []Case
	add := func(name string, q int, matrix func() *engine.Sparse) {
		all = append(all, Case{"SparseMatMulAdd", fmt.Sprintf("%s q=%d", name, q), 8, func(c *call) error {
			a := matrix()
			y, err := c.start(normal(68, a.Rows()*q), a.Rows(), q)
			if err != nil {
				return err
			}
			return c.e.SparseMatMulAdd(y, a, c.random(69, a.Cols, q))
		}})
	}
	for name, b := range batches() {
		for _, q := range []int{0, 1, 31, 64} {
			add(name, q, func() *engine.Sparse { return engine.Adjacency(b) })
			add(name+", weighted", q, func() *engine.Sparse { return engine.Adjacency(weighted(b)) })
		}
		add(name+", masked", 33, func() *engine.Sparse {
			a, n := engine.Adjacency(b), b.NumVertices()
			a.KeepRows, a.KeepCols = every(n, 3), every(n, 2)
			return a
		})
	}
	for _, q := range []int{1, 4, 33, 64} {
		for _, w := range []bool{false, true} {
			add(fmt.Sprintf("long rows, weighted=%v", w), q, func() *engine.Sparse { return skewed(50, 2900, w) })
		}
		add("long rows, masked", q, func() *engine.Sparse {
			a := skewed(50, 2900, true)
			a.KeepRows, a.KeepCols = every(50, 4), every(2900, 5)
			return a
		})
	}
	return append(all, Case{"SparseMatMulAdd", "a mask that does not fit", 1, func(c *call) error {
		a := &engine.Sparse{Cols: 2, RowPtr: []int32{0, 1}, Col: []int32{1}, KeepCols: []bool{true}}
		return c.e.SparseMatMulAdd(c.zeros(1, 3), a, c.zeros(2, 3))
	}})
}

// layerViewCases read matrices that begin in the middle of others.
func layerViewCases() []Case {
	view := func(c *call, seed uint64, shape ...int) *tensor.Dense {
		return engine.View(c.random(seed, tensor.Shape(shape).TotalSize()+7), 3, shape...)
	}
	return []Case{
		{"BatchNorm", "views", 8, func(c *call) error {
			b, err := c.batchNorm(16, true, true)
			if err != nil {
				return err
			}
			b.Scale, b.Shift = view(c, 70, 1, 16), view(c, 71, 1, 16)
			return c.e.BatchNorm(c.output(40, 16), view(c, 72, 40, 16), b)
		}},
		{"BatchNormGrad", "views", 4, func(c *call) error {
			return c.e.BatchNormGrad(c.output(40, 16), c.output(1, 16), c.output(1, 16), view(c, 70, 40, 16),
				view(c, 71, 40, 16), view(c, 72, 40, 16), c.trained(16, true))
		}},
		{"Rectify", "views", 1, func(c *call) error {
			return c.e.Rectify(c.output(40, 16), view(c, 73, 40, 16), view(c, 74, 1, 16))
		}},
		{"RectifyGrad", "views", 4, func(c *call) error {
			return c.e.RectifyGrad(c.output(40, 16), c.output(1, 16), view(c, 73, 40, 16), view(c, 74, 40, 16))
		}},
		{"Dropout", "views", 1, func(c *call) error {
			return c.e.Dropout(c.output(41), view(c, 75, 41), engine.Dropout{Rate: 0.5})
		}},
		{"LinearGrad", "views", 4, func(c *call) error {
			return c.e.LinearGrad(c.output(40, 16), c.output(8, 16), c.output(1, 8), view(c, 76, 40, 8), view(c, 77, 40, 16),
				view(c, 78, 8, 16))
		}},
		{"Linear", "no bias", 4, func(c *call) error {
			return c.e.Linear(c.output(33, 20), view(c, 76, 33, 10), view(c, 77, 20, 10), nil)
		}},
	}
}

// refusedLayerCases are calls that must be refused.
func refusedLayerCases() []Case {
	norm := func(name string, n int, change func(c *call, b *engine.BatchNorm)) Case {
		return Case{"BatchNorm", "refused: " + name, 1, func(c *call) error {
			b := &engine.BatchNorm{Scale: c.zeros(1, 3), Shift: c.zeros(1, 3), Mean: c.zeros(1, 3), Variance: c.zeros(1, 3),
				BatchMean: c.zeros(1, 3), BatchDeviation: c.zeros(1, 3), Epsilon: 1, Training: true}
			change(c, b)
			return c.e.BatchNorm(c.zeros(n, 3), c.zeros(n, 3), b)
		}}
	}
	grad := func(name string, change func(c *call, b *engine.BatchNorm)) Case {
		return Case{"BatchNormGrad", "refused: " + name, 1, func(c *call) error {
			b := c.trained(3, true)
			change(c, b)
			return c.e.BatchNormGrad(c.zeros(2, 3), c.zeros(1, 3), c.zeros(1, 3), c.zeros(2, 3), c.zeros(2, 3), nil, b)
		}}
	}
	return []Case{
		norm("a batch of no rows", 0, func(*call, *engine.BatchNorm) {}),
		norm("epsilon zero", 2, func(_ *call, b *engine.BatchNorm) { b.Epsilon = 0 }),
		norm("momentum above one", 2, func(_ *call, b *engine.BatchNorm) { b.Momentum = 1.5 }),
		norm("no place for the mean of the batch", 2, func(_ *call, b *engine.BatchNorm) { b.BatchMean = nil }),
		norm("a scale of other columns", 2, func(c *call, b *engine.BatchNorm) { b.Scale = c.zeros(1, 4) }),
		grad("the result is missing", func(*call, *engine.BatchNorm) {}),
		grad("no training", func(_ *call, b *engine.BatchNorm) { b.Training, b.Rectify = false, false }),
		{"Rectify", "refused: a bias of other columns", 1, func(c *call) error {
			return c.e.Rectify(c.zeros(2, 3), c.zeros(2, 3), c.zeros(1, 2))
		}},
		{"RectifyGrad", "refused: a gradient of other rows", 1, func(c *call) error {
			return c.e.RectifyGrad(c.zeros(2, 3), nil, c.zeros(3, 3), c.zeros(2, 3))
		}},
		{"Dropout", "refused: a rate of one", 1, func(c *call) error {
			return c.e.Dropout(c.zeros(2), c.zeros(2), engine.Dropout{Rate: 1})
		}},
		{"LinearGrad", "refused: a weight of other columns", 1, func(c *call) error {
			return c.e.LinearGrad(nil, nil, nil, c.zeros(2, 4), c.zeros(2, 3), c.zeros(4, 2))
		}},
	}
}
