package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The sequences of a vertex's class, as often as they count, are those along its paths, in their order.
func TestPathSequencesAreThoseOfThePaths(t *testing.T) {
	const maxSize = 4
	random := rand.New(rand.NewPCG(5, 0))
	for i := range 60 {
		b := randomBatch(t, random, i%2 == 1, i%3 == 2)
		n := b.NumVertices()
		labels := make([]int32, n)
		for v := range labels {
			labels[v] = int32(random.IntN(3))
		}
		for _, walks := range []bool{false, true} {
			for _, all := range []bool{false, true} {
				classes := b.PathClasses(labels, nil, maxSize, all, walks, 2)
				s := b.PathSequences(classes, labels, maxSize, all, walks, 1<<20)
				route := Paths
				if walks {
					route = Walks
				}
				for k, size := range s.Size {
					for v := range int32(n) {
						var want, got [][]int32
						b.Visit(route, v, size, func(path []int32) {
							if len(path) < size {
								return
							}
							var sequence []int32
							for _, u := range path {
								sequence = append(sequence, labels[u])
							}
							want = append(want, sequence)
						})
						class := classes.Class[k][v]
						for e := s.Offsets[k][class]; e < s.Offsets[k][class+1]; e++ {
							at := int(s.Number[k][e]) * size
							for range s.Count[k][e] {
								got = append(got, s.Labels[k][at:at+size])
							}
						}
						slices.SortFunc(want, slices.Compare)
						if !slices.EqualFunc(got, want, slices.Equal) {
							t.Fatalf("case %d, walks %v, %d vertices from %d: %v, want %v", i, walks, size, v, got, want)
						}
					}
				}
			}
		}
	}
}

func TestPathSequencesGiveUp(t *testing.T) {
	g := Graph{NumVertices: 8}
	for u := range int32(8) {
		for v := range u {
			g.AddArc(u, v)
		}
	}
	b, err := NewBatch([]Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]int32, 8)
	classes := b.PathClasses(labels, nil, 4, true, false, 1)
	if b.PathSequences(classes, labels, 4, true, false, 500) == nil {
		t.Error("gave up on 8 + 8*7 + ... paths from one class")
	}
	if b.PathSequences(classes, labels, 4, true, false, 100) != nil {
		t.Error("more than 100 paths were visited")
	}
}
