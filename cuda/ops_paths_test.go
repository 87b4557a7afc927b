//go:build gpu

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// A graph has the same bits alone as beside graphs whose paths are pooled in another way, those of the reference but
// for rounding.
func TestPathsOfAGraphDoNotDependOnTheOthers(t *testing.T) {
	e := opened(t)
	rng := rand.New(rand.NewPCG(5, 8))
	random := func(n, arcs int32) graph.Graph {
		g := graph.Graph{NumVertices: int(n)}
		for range arcs {
			g.AddArc(rng.Int32N(n), rng.Int32N(n))
		}
		return g
	}
	graphs := []graph.Graph{random(9, 12), random(60, 2500), random(20, 25), {}, random(80, 4000), random(7, 8)}
	for _, long := range []bool{false, true} {
		size := 3
		if long {
			graphs, size = []graph.Graph{hubbed(rng, 24, 2, 4, false), random(6, 7), random(9, 12)}, unrolledSize+1
		}
		for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
				for _, all := range []bool{false, true} {
					t.Run(fmt.Sprint(size, dtype, pool, all), func(t *testing.T) {
						const q = 3
						p := &engine.PathPooling{Size: size, AllLengths: all, Pool: pool, Kernel: engine.Kernel{Alpha: 1.5}}
						var together []float64 // of every vertex: its scores
						of := func(e engine.Engine, dtype tensor.Dtype, scores []float64, graphs ...graph.Graph) (rows [][]float64) {
							b, err := graph.NewBatch(graphs)
							if err != nil {
								t.Fatal(err)
							}
							host := e.Host().New(tensor.Float64, b.NumVertices(), size*q)
							copy(host.Float64s(), scores)
							table := e.New(dtype, b.NumVertices(), size*q)
							var out []*tensor.Dense
							one := *p
							one.Graph = b
							for range one.Lengths() {
								out = append(out, e.New(dtype, b.NumVertices(), q))
							}
							if err := e.Convert(table, host); err != nil {
								t.Fatal(err)
							}
							if err := e.PathPool(out, table, nil, &one); err != nil {
								t.Fatal(err)
							}
							for _, x := range out {
								row, err := engine.Float64s(x)
								if err != nil {
									t.Fatal(err)
								}
								rows = append(rows, row)
							}
							e.Release(append(out, table)...)
							return rows
						}
						vertices := 0
						for _, g := range graphs {
							vertices += g.NumVertices
						}
						for range vertices * size * q {
							together = append(together, 2*rng.Float64()-1)
						}
						got, want := of(e, dtype, together, graphs...), of(engine.Reference{}, tensor.Float64, together, graphs...)
						tolerance := map[tensor.Dtype]float64{tensor.Float32: 2e-5, tensor.Float64: 1e-12}[dtype]
						first := 0
						for i, g := range graphs {
							alone := of(e, dtype, together[first*size*q:(first+g.NumVertices)*size*q], g)
							for l := range got {
								beside := got[l][first*q : (first+g.NumVertices)*q]
								if !slices.Equal(alone[l], beside) {
									t.Errorf("graph %d has other bits alone", i)
								}
								for k, x := range want[l][first*q : (first+g.NumVertices)*q] {
									if math.Abs(beside[k]-x) > tolerance*(1+math.Abs(x)) {
										t.Fatalf("graph %d, element %d: %v, reference %v", i, k, beside[k], x)
									}
								}
							}
							first += g.NumVertices
						}
					})
				}
			}
		}
	}
	seesNothingWrong(t)
}
