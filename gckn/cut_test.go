package gckn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// A graph is represented by the same bits alone as in a run with any others.
func TestEncodingDoesNotDependOnTheRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, variant := range Variants() {
		for _, attributes := range []int{0, 3} {
			graphs := molecules(t, 40, 6)
			dense := molecules(t, 8, 7)
			for i := range dense { // many neighbours
				for range 3 * dense[i].NumVertices {
					dense[i].AddArc(rng.Int32N(int32(dense[i].NumVertices)), rng.Int32N(int32(dense[i].NumVertices)))
				}
			}
			large := graph.Graph{NumVertices: 600} // does not fit the shared memory of a GPU
			for v := range large.NumVertices {
				large.AddArc(int32(v), rng.Int32N(int32(v+1)))
				large.Labels = append(large.Labels, rng.Int32N(4))
			}
			graphs = append(append(graphs, large), dense...)
			for i := range graphs {
				graphs[i].AttributeDim = attributes
				for range attributes * graphs[i].NumVertices {
					graphs[i].Attributes = append(graphs[i].Attributes, rng.NormFloat64())
				}
			}
			b := batch(t, graphs)
			for _, pool := range []Pooling{Sum, Mean, Max, GeneralizedMax} {
				opt := options(t, variant)
				for l := range opt.Layers {
					opt.Layers[l].Pooling = pool
				}
				opt.GlobalPooling, opt.Concat = []Pooling{Sum, Mean, Max}[rng.IntN(3)], rng.IntN(2) == 0
				t.Run(fmt.Sprintf("%s of %d attributes, %s and %s, concat=%v", variant, attributes, pool, opt.GlobalPooling,
					opt.Concat), func(t *testing.T) {
					m := fit(t, enginetest.Open(t, 2), b, opt)
					for _, perVertex := range []bool{false, true} {
						want := encodedInRuns(t, m, b, perVertex, maxHostBytes)
						for range 4 {
							bytes := int64(1) << (6 + rng.IntN(14))
							if got := encodedInRuns(t, m, b, perVertex, bytes); !slices.Equal(got, want) {
								t.Fatalf("runs of %d bytes, per vertex=%v: other bits", bytes, perVertex)
							}
						}
					}
				})
			}
		}
	}
}

// encodedInRuns returns the representation of graphs, or of their vertices, in runs of so many bytes.
func encodedInRuns(t *testing.T, m *Model, b *graph.Batch, perVertex bool, bytes int64) (all []float64) {
	t.Helper()
	next := func(n int) *tensor.Dense { return m.engine.Host().New(m.opt.dtype(), n, m.opt.Dim()) }
	err := m.fill(context.Background(), b, perVertex, bytes, nil, next, func(x *tensor.Dense) error {
		rows, err := engine.Float64s(x)
		all = append(all, rows...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
