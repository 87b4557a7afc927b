package enginetest

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// refusedCases are calls that must be refused.
func refusedCases() []Case {
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
	seeding := func(start []int32, weights, draws []float64) func(c *call) error {
		return func(c *call) error {
			points := engine.Points{Table: c.zeros(3, 2), Size: 1}
			return c.e.PlusPlus(start, &engine.Seeding{Points: points, Weights: weights, Draws: draws})
		}
	}
	return []Case{
		refuse("Gemm", "unknown precision", func(c *call) error {
			return c.e.Gemm(c.zeros(2, 2), c.zeros(2, 2), c.zeros(2, 2), engine.Gemm{Alpha: 1, Precision: 3})
		}),
		refuse("SegmentReduce", "falling offsets", segments(engine.Segments{Offsets: []int32{0, 3, 2}}, engine.Sum)),
		refuse("SegmentReduce", "too many items", segments(engine.Segments{Offsets: []int32{0, 5}}, engine.Sum)),
		refuse("SegmentReduce", "no such row",
			segments(engine.Segments{Offsets: []int32{0, 1}, Index: []int32{4}}, engine.Sum)),
		refuse("SegmentReduce", "too few weights",
			segments(engine.Segments{Offsets: []int32{0, 2}, Weights: []float64{1}}, engine.Sum)),
		refuse("SegmentReduce", "weights of a maximum",
			segments(engine.Segments{Offsets: []int32{0, 1}, Weights: []float64{1}}, engine.Max)),
		refuse("Assign", "no such row", func(c *call) error {
			return c.e.Assign(make([]int32, 1), nil, engine.Points{Table: c.zeros(2, 3), Rows: []int32{0, 2}, Size: 2},
				c.zeros(2, 2, 3))
		}),
		refuse("Assign", "half a point", func(c *call) error {
			return c.e.Assign(make([]int32, 1), nil, engine.Points{Table: c.zeros(2, 3), Rows: []int32{0, 1, 1}, Size: 2},
				c.zeros(2, 2, 3))
		}),
		refuse("PlusPlus", "no such point", seeding([]int32{3, 0}, nil, []float64{0.5})),
		refuse("PlusPlus", "too few numbers drawn", seeding([]int32{0, 0, 0}, nil, []float64{0.5})),
		refuse("PlusPlus", "a number drawn is 1", seeding([]int32{0, 0}, nil, []float64{1})),
		refuse("PlusPlus", "a weight is zero", seeding([]int32{0, 0}, []float64{1, 0, 1}, []float64{0.5})),
		refuse("AddRows", "no such row", func(c *call) error {
			return c.e.AddRows(c.e.New(tensor.Float64, 1, 3), c.zeros(2, 3),
				engine.Segments{Offsets: []int32{0, 1}, Index: []int32{2}})
		}),
		refuse("AddRows", "too few sums", func(c *call) error {
			return c.e.AddRows(c.e.New(tensor.Float64, 1, 3), c.zeros(2, 3), engine.Segments{Offsets: []int32{0, 1, 2}})
		}),
		refuse("SoftmaxCrossEntropy", "target too large", func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.zeros(2), nil, c.zeros(2, 3), []int32{0, 3}, nil)
		}),
		refuse("SoftmaxCrossEntropy", "negative target", func(c *call) error {
			return c.e.SoftmaxCrossEntropy(c.zeros(2), nil, c.zeros(2, 3), []int32{-1, 0}, nil)
		}),
		refuse("Adam", "step zero", func(c *call) error {
			of := engine.AdamState{Parameter: c.zeros(2), Moment1: c.zeros(2), Moment2: c.zeros(2), Gradient: c.zeros(2)}
			return c.e.Adam([]engine.AdamState{of}, engine.Adam{Beta1: 0.9, Beta2: 0.99})
		}),
		refuse("Adam", "moments of another size", func(c *call) error {
			of := engine.AdamState{Parameter: c.zeros(2), Moment1: c.zeros(3), Moment2: c.zeros(2), Gradient: c.zeros(2)}
			return c.e.Adam([]engine.AdamState{of}, engine.Adam{Step: 1})
		}),
		refuse("Place", "rows beyond the matrix", place(nil, engine.Placement{Row: 3, Stride: 1})),
		refuse("Place", "columns beyond the matrix", place(nil, engine.Placement{Column: 4, Stride: 2})),
		refuse("Place", "negative row", place(nil, engine.Placement{Row: -1, Stride: 1})),
		refuse("Place", "stride zero", place(nil, engine.Placement{})),
		refuse("Place", "no such row", place([]int32{0, 3}, engine.Placement{Stride: 1})),
	}
}

// zeros returns a tensor of zeros on the engine of the call.
func (c *call) zeros(shape ...int) *tensor.Dense { return c.e.New(c.dtype, shape...) }
