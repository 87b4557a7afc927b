package enginetest

import (
	"fmt"

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
	return append(all, refusedCases()...)
}

// manyAnchorCases have more anchors than small kernel matrices do.
func manyAnchorCases() []Case {
	var all []Case
	for _, d := range []int{17} {
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
				all = append(all, Case{"SegmentReduce", fmt.Sprintf("long %v q=%d weighted=%v", pool, q, weighted), 8,
					func(c *call) error {
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
	for _, s := range []struct{ n, q, p, d int }{{300, 300, 1, 32}, {140, 129, 2, 20}, {129, 5, 4, 1}, {64, 128, 3, 8},
		{7, 3, 2, 0}} {
		all = append(all, Case{"Assign", fmt.Sprintf("shape %+v", s), 4, func(c *call) error {
			const rows = 50
			points := engine.Points{Table: c.random(8, rows, s.d), Size: s.p, Rows: make([]int32, s.n*s.p)}
			for i := range points.Rows {
				points.Rows[i] = int32(i * i % rows)
			}
			return c.e.Assign(c.indices(s.n), c.output(s.n), points, c.random(10, s.p, s.q, s.d))
		}})
		all = append(all, Case{"Assign", fmt.Sprintf("the two largest, shape %+v", s), 4, func(c *call) error {
			return c.e.Assign(c.indices(s.n), c.output(s.n, 2), engine.Points{Table: c.random(8, s.n, s.d), Size: 1},
				c.random(10, 1, s.q, s.d))
		}})
	}
	// Anchors f and f+q/2 are the same, so that every maximum is attained twice.
	all = append(all, Case{"Assign", "the first of two equal anchors", 4, func(c *call) error {
		const n, q, d = 150, 260, 6
		z := normal(10, q*d)
		copy(z[q/2*d:], z[:q/2*d])
		return c.e.Assign(c.indices(n), c.output(n), engine.Points{Table: c.random(8, n, d), Size: 1},
			c.upload(c.dtype, z, 1, q, d))
	}})
	return all
}

func placeCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, q := range []int{0, 1, 4, 33} {
			for _, at := range []engine.Placement{{Stride: 1}, {Row: 2, Column: 3, Stride: 1}, {Row: 1, Column: 1, Stride: 3},
				{Column: 4, Stride: 4}} {
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
