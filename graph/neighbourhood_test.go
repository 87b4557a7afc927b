package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The paths from a vertex are the same in its neighbourhood, and labels and arc data go along.
func TestNeighbourhoodsKeepPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		g := Graph{NumVertices: 40, AttributeDim: 2}
		for v := range 40 {
			g.Labels = append(g.Labels, int32(v))
			g.Attributes = append(g.Attributes, float64(v), rng.Float64())
		}
		for range 30 + rng.IntN(30) {
			g.AddArc(int32(rng.IntN(40)), int32(rng.IntN(40)))
		}
		b, err := NewBatch([]Graph{g, g})
		if err != nil {
			t.Fatal(err)
		}
		b.ArcWeights = make([]float64, b.NumArcs())
		for i := range b.ArcWeights {
			b.ArcWeights[i] = rng.Float64()
		}
		cut := b.Neighbourhoods()
		for hops := range 5 {
			vertices := []int32{int32(rng.IntN(80)), int32(rng.IntN(80)), int32(rng.IntN(80))}
			sub, at, _ := cut.Of(vertices, hops)
			for i, v := range vertices {
				if got, want := labelPaths(sub, at[i], hops+1),
					labelPaths(b, v, hops+1); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("vertex %d, %d hops: paths %v, want %v", v, hops, got, want)
				}
				if !slices.Equal(sub.Attribute(at[i]), b.Attribute(v)) {
					t.Errorf("attributes %v of vertex %d, want %v", sub.Attribute(at[i]), v, b.Attribute(v))
				}
				if hops > 0 {
					got, want := sub.ArcWeights[sub.RowPtr[at[i]]:sub.RowPtr[at[i]+1]],
						b.ArcWeights[b.RowPtr[v]:b.RowPtr[v+1]]
					if !slices.Equal(got, want) {
						t.Errorf("weights %v of the arcs of vertex %d, want %v", got, v, want)
					}
				}
			}
			seen := map[int32]bool{}
			for _, v := range vertices {
				for _, u := range b.Ball(v, hops) {
					seen[u] = true
				}
			}
			if sub.NumVertices() != len(seen) {
				t.Errorf("%d vertices within %d hops, want %d", sub.NumVertices(), hops, len(seen))
			}
		}
	}
}

// labelPaths lists the paths from a vertex by their labels and whose half of the batch they are in.
func labelPaths(b *Batch, v int32, size int) [][]int32 {
	var all [][]int32
	b.VisitPaths(v, size, func(path []int32) {
		var labels []int32
		for _, u := range path {
			labels = append(labels, b.Labels[u])
		}
		all = append(all, labels)
	})
	return all
}

// Of no vertices, and of a batch without labels, there is a neighbourhood too.
func TestNeighbourhoodEdges(t *testing.T) {
	b, err := NewBatch([]Graph{{NumVertices: 3}})
	if err != nil {
		t.Fatal(err)
	}
	sub, at, _ := b.Neighbourhoods().Of(nil, 2)
	if sub.NumVertices() != 0 || sub.NumGraphs() != 1 || len(at) != 0 || sub.Labels != nil {
		t.Errorf("%+v, %v", sub, at)
	}
	sub, at, _ = b.Neighbourhoods().Of([]int32{2, 2, 0}, 1)
	if sub.NumVertices() != 2 || !slices.Equal(at, []int32{1, 1, 0}) {
		t.Errorf("%+v, %v", sub, at)
	}
}
