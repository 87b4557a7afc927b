package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// seeding returns n points of p unit vectors, of a table of so many rows, or one row each for 0.
func (c *call) seeding(n, p, d, rows, draws int, weighted bool) *engine.Seeding {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	s := &engine.Seeding{Points: engine.Points{Size: p}}
	if rows > 0 {
		for range n * p {
			s.Rows = append(s.Rows, rng.Int32N(int32(rows)))
		}
	} else {
		rows = n
	}
	s.Table = c.upload(c.dtype, unit(rows, d), rows, d)
	for range draws {
		s.Draws = append(s.Draws, rng.Float64())
	}
	for range n {
		if weighted {
			s.Weights = append(s.Weights, 0.1+rng.ExpFloat64())
		}
	}
	return s
}

// unit returns rows of norm 1, up to rounding.
func unit(rows, d int) []float64 {
	x := normal(uint64(d), rows*d)
	for r := range rows {
		square := 0.0
		for _, v := range x[r*d : (r+1)*d] {
			square += v * v
		}
		for e := r * d; e < (r+1)*d; e++ {
			x[e] /= math.Sqrt(square)
		}
	}
	return x
}

// anchorCases draw the start of k-means and add up clusters: no difference is admissible.
func anchorCases() []Case {
	var all []Case
	for _, s := range []struct {
		n, p, d, rows, k, candidates int
		weighted                     bool
	}{
		{n: 1, p: 1, d: 1, k: 1},
		{n: 1, p: 2, d: 3, rows: 4, k: 5, candidates: 2},
		{n: 7, p: 1, d: 2, k: 7, candidates: 1},
		{n: 33, p: 1, d: 5, k: 4, candidates: 3, weighted: true},
		{n: 130, p: 3, d: 4, rows: 9, k: 20, candidates: 4},
		{n: 300, p: 4, d: 33, rows: 70, k: 6, candidates: 5, weighted: true},
		{n: 1025, p: 1, d: 17, k: 3, candidates: 9},
		{n: 4100, p: 2, d: 8, rows: 2000, k: 4, candidates: 3, weighted: true},
		{n: 2100, p: 1, d: 40, k: 3, candidates: 3},
	} {
		all = append(all, Case{"PlusPlus", fmt.Sprintf("%+v", s), 0, func(c *call) error {
			start := c.indices(s.k)
			start[0] = int32(s.n / 2)
			return c.e.PlusPlus(start, c.seeding(s.n, s.p, s.d, s.rows, (s.k-1)*s.candidates, s.weighted))
		}})
	}
	all = append(all, Case{"PlusPlus", "equal points", 0, func(c *call) error {
		start := c.indices(4)
		start[0] = 3
		return c.e.PlusPlus(start, &engine.Seeding{Points: engine.Points{
			Table: c.upload(c.dtype, []float64{1, 0, 1, 0, 1, 0, 1, 0}, 4, 2), Size: 1}, Draws: []float64{0, 0.5, 0.9}})
	}})
	for _, s := range []struct {
		rows, q         int
		lengths         []int
		index, weighted bool
	}{
		{rows: 5, q: 3, lengths: []int{2, 0, 3}},
		{rows: 40, q: 33, lengths: []int{1, 70, 0, 5}, index: true, weighted: true},
		{rows: 1000, q: 130, lengths: []int{17, 900}, index: true},
		{rows: 9, q: 1, lengths: []int{1025, 16, 15}, index: true, weighted: true},
		{rows: 3, q: 4, lengths: nil},
	} {
		all = append(all, Case{"AddRows", fmt.Sprintf("%+v", s), 0, func(c *call) error {
			rng := rand.New(rand.NewPCG(uint64(s.rows), uint64(s.q)))
			segments := engine.Segments{Offsets: []int32{0}}
			for _, n := range s.lengths {
				segments.Offsets = append(segments.Offsets, segments.Offsets[len(segments.Offsets)-1]+int32(n))
			}
			for range segments.Offsets[len(s.lengths)] {
				if s.index {
					segments.Index = append(segments.Index, rng.Int32N(int32(s.rows)))
				}
				if s.weighted {
					segments.Weights = append(segments.Weights, rng.NormFloat64())
				}
			}
			sums := c.outputOf(tensor.Float64, len(s.lengths), s.q)
			if err := c.e.Convert(sums, c.randomOf(tensor.Float64, 3, len(s.lengths), s.q)); err != nil {
				return err
			}
			return c.e.AddRows(sums, c.random(4, s.rows, s.q), segments)
		}})
	}
	return all
}
