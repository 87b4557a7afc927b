package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// sparseExtraCases are masked and skewed sparse products, and the other operations on sparse matrices.
func sparseExtraCases() []Case {
	return slices.Concat(maskCases(), skewCases(), histogramCases(), posteriorCases())
}

// every returns a mask of n entries that keeps all but each step-th.
func every(n, step int) []bool {
	keep := make([]bool, n)
	for i := range keep {
		keep[i] = i%step != 0
	}
	return keep
}

func maskCases() []Case {
	var all []Case
	for name, b := range batches() {
		for variant, q := range []int{1, 4, 33, 64} {
			for _, masks := range []string{"rows", "columns", "rows and columns", "everything"} {
				all = append(all, Case{"SparseMatMul", fmt.Sprintf("%s q=%d without %s", name, q, masks), 2, func(c *call) error {
					a, n := engine.Adjacency(b), b.NumVertices()
					if variant%2 == 1 {
						a.Values = normal(30, len(a.Col))
					}
					if masks != "columns" {
						a.KeepRows = every(n, 3)
					}
					if masks != "rows" {
						a.KeepCols = every(n, 2)
					}
					if masks == "everything" {
						a.KeepRows, a.KeepCols = make([]bool, n), make([]bool, n)
					}
					return c.e.SparseMatMul(c.output(n, q), a, c.random(31, n, q))
				}})
			}
		}
	}
	all = append(all, Case{"SparseMatMul", "a mask that does not fit", 1, func(c *call) error {
		a := &engine.Sparse{Cols: 2, RowPtr: []int32{0, 1}, Col: []int32{1}, KeepCols: []bool{true}}
		return c.e.SparseMatMul(c.e.New(c.dtype, 1, 3), a, c.e.New(c.dtype, 2, 3))
	}})
	return all
}

// skewed returns a matrix whose first rows are very long and whose others have few entries or none.
func skewed(rows, cols int, weighted bool) *engine.Sparse {
	rng := rand.New(rand.NewPCG(32, 32))
	a := &engine.Sparse{Cols: cols, RowPtr: make([]int32, 1, rows+1)}
	for r := range rows {
		degree := r % 4
		switch r % 40 {
		case 3:
			degree = min(cols, 500+r%13)
		case 7:
			degree = cols
		}
		for c := range cols {
			if rng.IntN(cols-c) < degree {
				a.Col = append(a.Col, int32(c))
				degree--
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	if weighted {
		a.Values = normal(33, len(a.Col))
	}
	return a
}

func skewCases() []Case {
	var all []Case
	for _, shape := range [][2]int{{50, 2900}, {130, 513}, {9, 1025}} {
		for _, q := range []int{1, 2, 3, 4, 8, 12, 33, 64, 132} {
			for _, weighted := range []bool{false, true} {
				for _, masked := range []bool{false, true} {
					if masked && q != 4 && q != 33 {
						continue
					}
					name := fmt.Sprintf("long rows %dx%d q=%d weighted=%v masked=%v", shape[0], shape[1], q, weighted, masked)
					all = append(all, Case{"SparseMatMul", name, 8, func(c *call) error {
						a := skewed(shape[0], shape[1], weighted)
						if masked {
							a.KeepRows, a.KeepCols = every(shape[0], 4), every(shape[1], 5)
						}
						return c.e.SparseMatMul(c.output(shape[0], q), a, c.random(34, shape[1], q))
					}})
				}
			}
		}
	}
	// Rows so long that an engine may spread each over everything it has.
	for _, q := range []int{3, 4} {
		all = append(all, Case{"SparseMatMul", fmt.Sprintf("huge rows q=%d", q), 40, func(c *call) error {
			const cols = 250000
			a := &engine.Sparse{Cols: cols, RowPtr: []int32{0}}
			for _, step := range []int32{1, cols, 2, 1, 3, 100} {
				for col := int32(0); col < cols; col += step {
					a.Col = append(a.Col, col)
				}
				a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
			}
			if q == 4 {
				a.Values, a.KeepCols = normal(37, len(a.Col)), every(cols, 7)
				a.KeepRows = []bool{true, true, true, false, true, true}
			}
			return c.e.SparseMatMul(c.output(6, q), a, c.random(38, cols, q))
		}})
	}
	return all
}

// weighted returns a copy of a batch with arc weights that differ in the two directions of an edge.
func weighted(b *graph.Batch) *graph.Batch {
	w := *b
	w.ArcWeights = make([]float64, b.NumArcs())
	for u := range int32(b.NumVertices()) {
		for e := b.RowPtr[u]; e < b.RowPtr[u+1]; e++ {
			v := b.Col[e]
			w.ArcWeights[e] = float64((u+v)%5) - 1.5 + float64(u%3)/4
		}
	}
	return &w
}

// histograms returns rows of non-negative entries, some of them empty.
func histograms(seed uint64, rows, cols int, density float64, ones bool) *engine.Sparse {
	rng := rand.New(rand.NewPCG(seed, 36))
	a := &engine.Sparse{Cols: cols, RowPtr: make([]int32, 1, rows+1), Col: []int32{}, Values: []float64{}}
	for r := range rows {
		for c := range cols {
			if r%7 != 5 && rng.Float64() < density {
				a.Col = append(a.Col, int32(c))
				a.Values = append(a.Values, float64(rng.IntN(40))/8)
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	if ones {
		a.Values = nil
	}
	return a
}

func histogramCases() []Case {
	var all []Case
	for _, shape := range [][3]int{{0, 0, 0}, {0, 3, 4}, {3, 0, 4}, {1, 1, 0}, {1, 1, 1}, {5, 3, 9}, {33, 40, 100},
		{40, 33, 7}, {2, 4500, 6}, {1, 300, 2000}} {
		for _, ones := range []string{"none", "the first", "both"} {
			rows, others, cols := shape[0], shape[1], shape[2]
			name := fmt.Sprintf("%dx%d of %d columns, ones: %s", rows, others, cols, ones)
			all = append(all, Case{"HistogramIntersection", name, 4, func(c *call) error {
				a, b := histograms(1, rows, cols, 0.3, ones != "none"), histograms(2, others, cols, 0.3, ones == "both")
				return c.e.HistogramIntersection(c.output(rows, others), a, b)
			}})
		}
	}
	for _, n := range []int{0, 1, 31, 33, 70, 150} {
		for _, masked := range []bool{false, true} {
			all = append(all, Case{"HistogramIntersection", fmt.Sprintf("%d rows with themselves masked=%v", n, masked), 4,
				func(c *call) error {
					a := histograms(3, n, 60, 0.2, false)
					if masked {
						a.KeepRows, a.KeepCols = every(n, 5), every(60, 4)
					}
					return c.e.HistogramIntersection(c.output(n, n), a, a)
				}})
		}
	}
	all = append(all, Case{"HistogramIntersection", "one matrix masked", 4, func(c *call) error {
		a, b := histograms(4, 20, 30, 0.5, false), histograms(5, 12, 30, 0.5, false)
		b.KeepCols = every(30, 2)
		return c.e.HistogramIntersection(c.output(20, 12), a, b)
	}}, Case{"HistogramIntersection", "numbers of columns that differ", 1, func(c *call) error {
		return c.e.HistogramIntersection(c.e.New(c.dtype, 2, 2), histograms(6, 2, 3, 1, true),
			histograms(7, 2, 4, 1, true))
	}})
	return all
}

func posteriorCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, states := range []int{0, 1, 2, 7, 32, 33, 130} {
			for _, inPlace := range []bool{false, true} {
				if n > 100 && states > 40 {
					continue
				}
				const labels = 11
				name := fmt.Sprintf("%dx%d in place=%v", n, states, inPlace)
				all = append(all, Case{"Posterior", name, 4, func(c *call) error {
					index := make([]int32, n)
					prior, likelihood := make([]float64, n*states), make([]float64, labels*states)
					for u := range index {
						index[u] = int32(u * 7 % labels)
						for i := range states {
							if u%9 != 4 { // some rows have no prior
								prior[u*states+i] = float64((u*31+i*17)%64) / 64
							}
						}
					}
					for i := range likelihood {
						if i/max(states, 1) != 3 { // and one label never occurs
							likelihood[i] = float64((i*29)%128) / 128
						}
					}
					posterior, evidence := c.output(n, states), c.output(n)
					from := c.upload(c.dtype, prior, n, states)
					if inPlace {
						if err := c.e.Convert(posterior, from); err != nil {
							return err
						}
						from = posterior
					}
					return c.e.Posterior(posterior, evidence, from, c.upload(c.dtype, likelihood, labels, states), index)
				}})
			}
		}
	}
	all = append(all, Case{"Posterior", "an index out of range", 1, func(c *call) error {
		t := func(shape ...int) *tensor.Dense { return c.e.New(c.dtype, shape...) }
		return c.e.Posterior(t(2, 3), t(2), t(2, 3), t(4, 3), []int32{0, 4})
	}})
	return all
}
