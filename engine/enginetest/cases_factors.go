package enginetest

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// factorCases hold each kernel value, however small, to that of the exponential of a sum, which engines may
// compute as a product of factors; and have scores of rows that are not unit, whose products could leave the range.
func factorCases() []Case {
	var all []Case
	add := func(p pooling, name string, tolerance float64, scores func(c *call) *tensor.Dense) {
		for _, pool := range []engine.Pooling{engine.Sum, engine.Mean} {
			p := p
			p.Pool = pool
			all = append(all, Case{"PathPool", fmt.Sprintf("%s %v size=%d all=%v", name, pool, p.Size, p.AllLengths), tolerance,
				func(c *call) error {
					c.each = true
					out := p.matrices(func(_, rows, q int) *tensor.Dense { return c.output(rows, q) })
					return c.e.PathPool(out, scores(c), nil, &p.PathPooling)
				}})
		}
	}
	for _, k := range []struct {
		batch string
		size  int
	}{{"many vertices", 4}, {"many vertices", 2}, {"isolated", 4}, {"star", 3}, {"ragged", 5}, {"ring", 6}, {"ring", 7},
		{"ring", 8}, {"ragged", 9}} {
		for variant := range 3 {
			b := batches()[k.batch]
			p := pooling{engine.PathPooling{Graph: b, Size: k.size, AllLengths: variant > 0,
				Kernel: engine.Kernel{Alpha: 6.25}}, "", 7, b.NumVertices()}
			if variant > 1 { // steeper ones lose digits where engines subtract the factors of visited neighbours
				p.Kernel = engine.Kernel{Alpha: 1.5, SumExponent: true}
			}
			name := fmt.Sprintf("each value, %s, sum=%v", k.batch, p.Kernel.SumExponent)
			add(p, name, 4, p.scores)
			if variant < 2 {
				shared := p
				shared.rows = 3
				shareRows(&shared.PathPooling, shared.rows)
				add(shared, name+", shared rows", 4, shared.scores)
			}
		}
	}
	for name, size := range map[string]float64{
		"rows that are not unit": 5, "rows that are not unit, products out of range": 600,
	} {
		for _, k := range []struct {
			b       *graph.Batch
			size    int
			lengths bool
		}{{batches()["ring"], 4, false}, {batches()["ring"], 4, true}, {batches()["ragged"], 9, false},
			{hubGraph(), 4, false}} {
			if size > 100 && (k.lengths || k.b.NumGraphs() == 2) {
				continue
			}
			p := pooling{engine.PathPooling{Graph: k.b, Size: k.size, AllLengths: k.lengths,
				Kernel: engine.Kernel{Alpha: 1}}, "", 7, k.b.NumVertices()}
			// Scores alternate in sign along a path, so that their sums stay small.
			caseName := fmt.Sprintf("%s, %d vertices", name, p.rows)
			add(p, caseName, 4*size, func(c *call) *tensor.Dense {
				x := normal(16, p.rows*p.Size*p.q)
				for i := range x {
					position := i / p.q % k.size
					x[i] = x[i]/8 + size*float64(1-position%2*2)
					if position == 8 {
						x[i] = 0
					}
				}
				return c.upload(c.dtype, x, p.rows, p.Size*p.q)
			})
		}
	}
	return all
}
