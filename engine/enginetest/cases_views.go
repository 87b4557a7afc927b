package enginetest

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// viewCases read and write matrices that begin in the middle of others, where memory is aligned to
// single elements only.
func viewCases() []Case {
	view := func(c *call, seed uint64, shape ...int) *tensor.Dense {
		n := tensor.Shape(shape).TotalSize()
		return engine.View(c.random(seed, n+7), 3, shape...)
	}
	return []Case{
		{"Gemm", "views", 4, func(c *call) error {
			return c.e.Gemm(c.output(36, 40), view(c, 1, 36, 20), view(c, 2, 20, 40), engine.Gemm{Alpha: 1})
		}},
		{"Gemm", "views in TF32", 500, func(c *call) error {
			return c.e.Gemm(c.output(36, 40), view(c, 1, 36, 20), view(c, 2, 40, 20),
				engine.Gemm{TransB: true, Alpha: 1, Precision: engine.TF32})
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
			return c.e.Assign(c.indices(20), c.output(20), engine.Points{Table: view(c, 5, 20, 8), Size: 1},
				view(c, 6, 1, 12, 8))
		}},
		{"SegmentReduce", "views", 4, func(c *call) error {
			return c.e.SegmentReduce(c.output(2, 8), view(c, 7, 30, 8), engine.Segments{Offsets: []int32{0, 11, 30}},
				engine.Mean)
		}},
		{"SoftmaxCrossEntropy", "views", 4, func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.output(6), c.output(6, 8), view(c, 8, 6, 8), make([]int32, 6), nil)
		}},
		{"Adam", "views", 4, func(c *call) error {
			parameter := c.output(40)
			if err := c.e.Convert(parameter, c.random(9, 40)); err != nil {
				return err
			}
			of := engine.AdamState{Parameter: parameter, Moment1: c.e.New(c.dtype, 40), Moment2: c.e.New(c.dtype, 40),
				Gradient: view(c, 10, 40)}
			return c.e.Adam([]engine.AdamState{of}, engine.Adam{Rate: 0.1, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Step: 1})
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
