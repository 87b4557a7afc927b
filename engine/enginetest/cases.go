package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// sizes are the lengths at which vector code breaks.
var sizes = []int{0, 1, 31, 32, 33, 1025}

// Cases returns the table of the suite.
func Cases() []Case {
	var all []Case
	all = append(all, gemmCases()...)
	all = append(all, sparseCases()...)
	all = append(all, sparseExtraCases()...)
	all = append(all, spectralCases()...)
	all = append(all, rowCases()...)
	all = append(all, gramCases()...)
	all = append(all, gramGradCases()...)
	all = append(all, projectCases()...)
	all = append(all, assignCases()...)
	all = append(all, anchorCases()...)
	all = append(all, segmentCases()...)
	all = append(all, denseCases()...)
	all = append(all, pathCases()...)
	all = append(all, pathGradCases()...)
	all = append(all, normalizeGradCases()...)
	all = append(all, segmentGradCases()...)
	all = append(all, lossCases()...)
	all = append(all, weightedLossCases()...)
	all = append(all, linearCases()...)
	all = append(all, normalisationCases()...)
	all = append(all, splitCases()...)
	all = append(all, elementCases()...)
	all = append(all, reductionCases()...)
	all = append(all, softmaxCases()...)
	all = append(all, shapeCases()...)
	return all
}

func gemmCases() []Case {
	var all []Case
	add := func(m, n, k int, opt engine.Gemm) {
		all = append(all, Case{"Gemm", fmt.Sprintf("%dx%dx%d %+v", m, n, k, opt), 4, func(c *call) error {
			a, b := c.random(1, m, k), c.random(2, k, n)
			if opt.TransA {
				a = c.random(1, k, m)
			}
			if opt.TransB {
				b = c.random(2, n, k)
			}
			out := c.output(m, n)
			if opt.Beta != 0 {
				if err := c.e.Convert(out, c.random(3, m, n)); err != nil {
					return err
				}
			}
			return c.e.Gemm(out, a, b, opt)
		}})
	}
	plain := engine.Gemm{Alpha: 1}
	for _, s := range sizes {
		add(s, 5, 7, plain)
		add(5, s, 7, plain)
		add(5, 7, s, plain)
		add(min(s, 200), min(s, 200), min(s, 200), plain)
	}
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			for _, beta := range []float64{0, 1, -0.5} {
				add(33, 65, 17, engine.Gemm{TransA: ta, TransB: tb, Alpha: 1.5, Beta: beta})
				add(130, 70, 300, engine.Gemm{TransA: ta, TransB: tb, Alpha: 1, Beta: beta})
				add(3, 129, 2, engine.Gemm{TransA: ta, TransB: tb, Alpha: 1, Beta: beta})
			}
		}
	}
	all = append(all, Case{"Gemm", "shapes that do not fit", 1, func(c *call) error {
		return c.e.Gemm(c.e.New(c.dtype, 2, 2), c.e.New(c.dtype, 2, 3), c.e.New(c.dtype, 2, 2),
			plain)
	}})
	return all
}

func sparseCases() []Case {
	var all []Case
	for name, b := range batches() {
		for _, q := range []int{0, 1, 31, 33, 128} {
			for _, weighted := range []bool{false, true} {
				all = append(all, Case{"SparseMatMul", fmt.Sprintf("%s q=%d weighted=%v", name, q, weighted), 2,
					func(c *call) error {
						a := engine.Adjacency(b)
						if weighted {
							a.Values = make([]float64, len(a.Col))
							for i := range a.Values {
								a.Values[i] = float64(i%7) - 2.5
							}
						}
						n := b.NumVertices()
						return c.e.SparseMatMul(c.output(n, q), a, c.random(4, n, q))
					}})
			}
		}
	}
	return all
}

func rowCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, d := range []int{0, 1, 3, 32, 130} {
			all = append(all, Case{"NormalizeRows", fmt.Sprintf("%dx%d", n, d), 2, func(c *call) error {
				x := normal(5, n*d)
				if n > 1 { // a zero row and a tiny one
					for i := range d {
						x[i], x[d+i] = 0, 1e-6
					}
				}
				return c.e.NormalizeRows(c.output(n, d), c.output(n), c.upload(c.dtype, x, n, d), 1e-4)
			}})
		}
		all = append(all, Case{"Convert", fmt.Sprint(n), 1, func(c *call) error {
			if err := c.e.Convert(c.outputOf(tensor.Float64, n), c.random(6, n)); err != nil {
				return err
			}
			return c.e.Convert(c.outputOf(tensor.Float32, n), c.random(6, n))
		}})
	}
	return all
}

func gramCases() []Case {
	var all []Case
	for _, q := range []int{1, 2, 31, 33, 64} {
		for _, p := range []int{1, 3} {
			for _, lengths := range []bool{false, true} {
				for _, sum := range []bool{false, true} {
					kernel := engine.Kernel{Alpha: 2.5, SumExponent: sum}
					gram := func(c *call, out *tensor.Dense) error {
						z := c.random(7, p*q, 5)
						if err := c.e.NormalizeRows(z, nil, z, 1e-4); err != nil {
							return err
						}
						if err := z.Reshape(p, q, 5); err != nil {
							return err
						}
						return c.e.Gram(out, z, kernel, lengths)
					}
					count := 1
					if lengths {
						count = p
					}
					name := fmt.Sprintf("q=%d p=%d lengths=%v sum=%v", q, p, lengths, sum)
					all = append(all, Case{"Gram", name, 4, func(c *call) error {
						return gram(c, c.outputOf(tensor.Float64, count, q, q))
					}})
					for _, rule := range []engine.InvSqrtRule{engine.AfterRoot, engine.InsideRoot} {
						if q > 33 || sum {
							continue // matrices of other sizes are in spectralCases
						}
						// The small eigenvalues of a Gram matrix amplify the rounding of its entries by up
						// to 1/(2 eps sqrt(e)), so float64 agrees to about 1e-8 and float32 anchors to 1e-2.
						all = append(all, Case{"InvSqrt", fmt.Sprintf("%s rule=%d", name, rule), 5e3, func(c *call) error {
							k := c.e.New(tensor.Float64, count, q, q)
							if err := gram(c, k); err != nil {
								return err
							}
							return c.e.InvSqrt(c.outputOf(tensor.Float64, count, q, q), nil, k, 0.01, rule)
						}})
					}
				}
			}
		}
	}
	return all
}

func assignCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, q := range []int{1, 7, 33, 130} {
			for _, p := range []int{1, 3} {
				for _, rows := range []int{5, 2000} {
					if p == 1 && rows == 5 {
						continue
					}
					all = append(all, Case{"Assign", fmt.Sprintf("n=%d q=%d p=%d rows=%d", n, q, p, rows), 4, func(c *call) error {
						points := engine.Points{Size: p}
						if p == 1 {
							points.Table = c.random(8, n, 9)
						} else {
							points.Table = c.random(8, rows, 9)
							rng := rand.New(rand.NewPCG(9, 9))
							points.Rows = make([]int32, n*p)
							for i := range points.Rows {
								points.Rows[i] = rng.Int32N(int32(rows))
							}
						}
						return c.e.Assign(c.indices(n), c.output(n), points, c.random(10, p, q, 9))
					}})
				}
			}
		}
	}
	all = append(all, Case{"Assign", "a single anchor has no second", 4, func(c *call) error {
		return c.e.Assign(c.indices(40), c.output(40, 2), engine.Points{Table: c.random(8, 40, 3), Size: 1},
			c.random(11, 1, 1, 3))
	}})
	all = append(all, Case{"Assign", "ties go to the first anchor", 1, func(c *call) error {
		return c.e.Assign(c.indices(40), nil, engine.Points{Table: c.e.New(c.dtype, 40, 3), Size: 1},
			c.random(11, 1, 37, 3))
	}})
	return all
}

func segmentCases() []Case {
	var all []Case
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, q := range []int{0, 1, 32, 33, 130} {
			for _, n := range sizes {
				for _, indexed := range []bool{false, true} {
					all = append(all, Case{"SegmentReduce", fmt.Sprintf("%v q=%d n=%d indexed=%v", pool, q, n, indexed), 4,
						func(c *call) error {
							s := engine.Segments{Offsets: []int32{0, 0}} // the first segment is empty
							for at := 0; at < n; {
								at = min(at+1+at%57, n)
								s.Offsets = append(s.Offsets, int32(at))
							}
							if indexed {
								s.Index = make([]int32, n)
								for i := range s.Index {
									s.Index[i] = int32(i * 7 % max(n, 1))
								}
							}
							return c.e.SegmentReduce(c.output(len(s.Offsets)-1, q), c.random(12, n, q), s, pool)
						}})
				}
			}
			for _, form := range []string{"plain", "shared", "weighted"} {
				if form == "weighted" && pool == engine.Max {
					continue
				}
				// Sums in float64 lose nothing: the suite's unit for float64 holds for rows of float32.
				all = append(all, Case{"SegmentReduce", fmt.Sprintf("%v q=%d %s, result in float64", pool, q, form), 4,
					func(c *call) error {
						const n = 1025
						s := engine.Segments{Offsets: []int32{0, 0, 1, 600, 700, 700, n}}
						for i := range n {
							if form != "plain" {
								s.Index = append(s.Index, int32(i*7%300))
							}
							if form == "weighted" {
								s.Weights = append(s.Weights, float64(i%3)-0.7)
							}
						}
						return c.e.SegmentReduce(c.outputOf(tensor.Float64, len(s.Offsets)-1, q), c.randomOf(tensor.Float32, 12, n, q), s,
							pool)
					}})
			}
		}
	}
	return all
}

// batches returns the graphs that the sparse and path operations are tried on.
func batches() map[string]*graph.Batch {
	rng := rand.New(rand.NewPCG(20, 20))
	random := func(n int, degree float64, loops bool) graph.Graph {
		g := graph.Graph{NumVertices: n}
		for u := range n {
			for v := range u {
				if rng.Float64()*float64(n) < degree {
					g.AddArc(int32(u), int32(v))
				}
			}
			if loops && u%3 == 0 {
				g.AddArc(int32(u), int32(u))
			}
		}
		return g
	}
	ring := graph.Graph{NumVertices: 6}
	for u := range int32(6) {
		ring.AddArc(u, (u+1)%6)
	}
	star := graph.Graph{NumVertices: 40}
	for u := int32(1); u < 40; u++ {
		star.AddArc(0, u)
	}
	build := func(graphs ...graph.Graph) *graph.Batch {
		b, err := graph.NewBatch(graphs)
		if err != nil {
			panic(err)
		}
		return b
	}
	// typed gives every other arc a parallel one of another type.
	typed := func(g graph.Graph) *graph.Batch {
		for i := range g.Arcs.From {
			g.Arcs.Types = append(g.Arcs.Types, 0)
			if i%2 == 0 {
				g.AddArc(g.Arcs.From[i], g.Arcs.To[i])
			}
		}
		for len(g.Arcs.Types) < len(g.Arcs.From) {
			g.Arcs.Types = append(g.Arcs.Types, 1)
		}
		return build(g)
	}
	directed := random(12, 4, true)
	directed.Directed = true
	return map[string]*graph.Batch{
		"no graphs":   build(),
		"empty graph": build(graph.Graph{}),
		"one vertex":  build(graph.Graph{NumVertices: 1}),
		"isolated":    build(graph.Graph{NumVertices: 5}, graph.Graph{}, graph.Graph{NumVertices: 2}),
		"ring":        build(ring),
		"star":        build(star),
		"ragged": build(random(9, 2, false), graph.Graph{NumVertices: 1}, random(30, 3, false), graph.Graph{},
			random(3, 3, false)),
		"dense":         build(random(14, 9, false), random(10, 10, false)),
		"loops":         build(random(12, 4, true), random(15, 2, true)),
		"directed":      build(directed),
		"arc types":     typed(random(13, 6, true)),
		"many vertices": build(random(150, 2, false), random(100, 2.5, false), ring, star),
	}
}
