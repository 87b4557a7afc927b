package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// The bits of a root with many sequences do not depend on how many of them are counted at a time, and no more nodes are
// kept than that, but for the rows behind the same sequence.
func TestTalliesOfHubsAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for trial := range 12 {
		const q, vertices = 3, 40
		size, all, rows := 2+rng.IntN(4), rng.IntN(2) == 0, 1+rng.IntN(vertices)
		g := graph.Graph{NumVertices: vertices}
		for v := range int32(vertices) {
			g.AddArc(0, v) // a hub
			g.AddArc(v, rng.Int32N(vertices))
			g.Labels = append(g.Labels, rng.Int32N(int32(rows)))
		}
		b, err := graph.NewBatch([]graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		p := &PathPooling{Graph: b, Index: b.Labels, Size: size, AllLengths: all, Kernel: Kernel{Alpha: 2}}
		for _, r := range rng.Perm(rows) {
			p.Ranks = append(p.Ranks, int32(r))
		}
		scores := NewCPU(1).New(tensor.Float64, rows, size*q)
		for i := range scores.Float64s() {
			scores.Float64s()[i] = 2*rng.Float64() - 1
		}
		pool := func(most int) (sums [][]float64, nodes int) {
			var out []*tensor.Dense
			for range p.Lengths() {
				out = append(out, NewCPU(1).New(tensor.Float64, vertices, q))
			}
			whole := newPathPool[float64](out, scores, nil, p, q)
			factors := whole.newFactors(1)
			whole.forRoots(1, 0, vertices, func() rootPooler[float64] {
				return &watched{newTallies(factors, b.Twins(b.Labels, size), most), &nodes}
			})
			for _, x := range out {
				sums = append(sums, x.Float64s())
			}
			return sums, nodes
		}
		want, unbounded := pool(math.MaxInt)
		for _, most := range []int{1, 2, 5, 30, 300} {
			got, nodes := pool(most)
			if limit := max(most, rows+1); nodes > limit {
				t.Fatalf("%d nodes, want at most %d of %d", nodes, limit, unbounded)
			}
			for l := range want {
				if !slices.Equal(got[l], want[l]) {
					t.Fatalf("trial %d, length %d of %d: other bits with %d of %d nodes", trial, l, size, most, unbounded)
				}
			}
		}
	}
}

// watched notes the most nodes that were kept.
type watched struct {
	*tallies[float64]
	nodes *int
}

func (w *watched) pool(root int32, limit int) {
	w.tallies.nodes = nil
	w.tallies.pool(root, limit)
	*w.nodes = max(*w.nodes, cap(w.tallies.nodes)/2)
}
