package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
)

// labelledBatch returns a few random graphs with labels, some with self loops and arcs of two types, some with twins.
func labelledBatch(t *testing.T, seed uint64, directed bool) *Batch {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	graphs := make([]Graph, 1+rng.IntN(5))
	for i := range graphs {
		g := &graphs[i]
		g.NumVertices, g.Directed = rng.IntN(9), directed
		if i == 0 {
			g.NumVertices++
		}
		g.Labels = []int32{}
		for v := range g.NumVertices {
			g.Labels = append(g.Labels, rng.Int32N(3))
			for w := range g.NumVertices {
				if rng.Float64() < 0.25 {
					g.AddArc(int32(v), int32(w))
					if seed%2 == 1 {
						g.Arcs.Types = append(g.Arcs.Types, rng.Int32N(2))
					}
				}
			}
		}
		if seed%4 == 2 && !directed && g.NumVertices > 0 {
			addTwins(rng, g, 2+rng.IntN(5))
		}
	}
	b, err := NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Keys are those of the same label sequences in every batch, whatever the numbers of labels that have keys.
func TestPathClassesHaveKeysOfTheirOwn(t *testing.T) {
	for seed := range uint64(20) {
		b := labelledBatch(t, seed, false)
		keys := []Key{{7, 1}, {5, 2}, {6, 9}}
		turned := make([]int32, b.NumVertices())
		for v, l := range b.Labels {
			turned[v] = 2 - l
		}
		last := b.Slice(b.NumGraphs()-1, b.NumGraphs())
		shift := int(b.Offsets[b.NumGraphs()-1])
		for _, walks := range []bool{false, true} {
			whole, part := b.PathClasses(b.Labels, nil, 3, true, walks, 1), last.PathClasses(last.Labels, nil, 3, true, walks, 1)
			keyed := b.PathClasses(b.Labels, keys, 3, true, walks, 1)
			other := b.PathClasses(turned, []Key{keys[2], keys[1], keys[0]}, 3, true, walks, 1)
			for i := range whole.Class {
				if !slices.Equal(keyed.Keys[i], other.Keys[i]) {
					t.Fatalf("%d vertices: keys change with the numbers of labels", i+1)
				}
				for v, c := range part.Class[i] {
					if part.Keys[i][c] != whole.Keys[i][whole.Class[i][shift+v]] {
						t.Fatalf("%d vertices: vertex %d has another key in a part of the batch", i+1, v)
					}
				}
			}
		}
	}
}

// signature writes the multiset of label sequences of the paths of one size from v.
func signature(b *Batch, v int32, size int, walks bool) string {
	var all []string
	visit := func(path []int32) {
		if len(path) == size {
			labels := make([]string, size)
			for i, u := range path {
				labels[i] = fmt.Sprint(b.Labels[u])
			}
			all = append(all, strings.Join(labels, ","))
		}
	}
	if walks {
		b.VisitWalks(v, size, visit)
	} else {
		b.VisitPaths(v, size, visit)
	}
	sort.Strings(all)
	return strings.Join(all, ";")
}

func TestPathClassesAreMultisetsOfLabelSequences(t *testing.T) {
	for seed := range uint64(60) {
		b := labelledBatch(t, seed, seed%3 == 0)
		for _, walks := range []bool{false, true} {
			for size := 1; size <= 4; size++ {
				got := b.PathClasses(b.Labels, nil, size, true, walks, 1+int(seed%3))
				if len(got.Class) != size {
					t.Fatalf("%d sizes, want %d", len(got.Class), size)
				}
				for j := 1; j <= size; j++ {
					var roots []int32
					numbers := map[string]int32{}
					for v := range b.NumVertices() {
						s := signature(b, int32(v), j, walks)
						if _, seen := numbers[s]; !seen {
							numbers[s] = int32(len(roots))
							roots = append(roots, int32(v))
						}
						if got.Class[j-1][v] != numbers[s] {
							t.Fatalf("seed %d, walks %v, size %d: vertex %d is in class %d, want %d",
								seed, walks, j, v, got.Class[j-1][v], numbers[s])
						}
					}
					if fmt.Sprint(got.Roots[j-1]) != fmt.Sprint(roots) {
						t.Fatalf("seed %d, size %d: roots %v, want %v", seed, j, got.Roots[j-1], roots)
					}
				}
				last := b.PathClasses(b.Labels, nil, size, false, walks, 1)
				if fmt.Sprint(last.Class[0]) != fmt.Sprint(got.Class[size-1]) {
					t.Fatalf("seed %d, size %d: one size alone gives other classes", seed, size)
				}
			}
		}
	}
}

// A graph larger than a section is shared by the workers; its classes are those that it has among
// small ones.
func TestPathClassesOfALargeGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	large := Graph{NumVertices: sectionVertices + 300}
	for v := range large.NumVertices {
		large.Labels = append(large.Labels, rng.Int32N(2))
		large.AddArc(int32(v), int32((v+1)%large.NumVertices))
		if v%5 == 0 {
			large.AddArc(int32(v), rng.Int32N(int32(large.NumVertices)))
		}
	}
	triangle := Graph{NumVertices: 3, Labels: []int32{0, 1, 1}}
	triangle.AddArc(0, 1)
	triangle.AddArc(1, 2)
	triangle.AddArc(2, 0)
	b, err := NewBatch([]Graph{triangle, large, triangle})
	if err != nil {
		t.Fatal(err)
	}
	const size = 4
	for _, workers := range []int{1, 3} {
		got := b.PathClasses(b.Labels, nil, size, true, false, workers)
		for j := 1; j <= size; j++ {
			numbers := map[string]int32{}
			for v := range b.NumVertices() {
				s := signature(b, int32(v), j, false)
				if _, seen := numbers[s]; !seen {
					numbers[s] = int32(len(numbers))
				}
				if got.Class[j-1][v] != numbers[s] {
					t.Fatalf("%d workers, size %d: vertex %d is in class %d, want %d", workers, j, v, got.Class[j-1][v], numbers[s])
				}
			}
		}
	}
}

func TestPathIndexFindsEveryPath(t *testing.T) {
	for seed := range uint64(60) {
		b := labelledBatch(t, seed, seed%3 == 0)
		for _, walks := range []bool{false, true} {
			for size := 1; size <= 4; size++ {
				var want []int32
				for v := range b.NumVertices() {
					visit := func(path []int32) {
						if len(path) == size {
							want = append(want, path...)
						}
					}
					if walks {
						b.VisitWalks(int32(v), size, visit)
					} else {
						b.VisitPaths(int32(v), size, visit)
					}
				}
				x := b.NewPathIndex(size, walks, 2)
				if int(x.Total())*size != len(want) {
					t.Fatalf("seed %d, walks %v, size %d: %d paths, want %d", seed, walks, size, x.Total(), len(want)/size)
				}
				all := make([]int64, x.Total())
				var some []int64
				var wantSome []int32
				for i := range all {
					all[i] = int64(i)
					if i%3 == 1 {
						some = append(some, int64(i))
						wantSome = append(wantSome, want[i*size:(i+1)*size]...)
					}
				}
				if got := x.At(all, 2); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("seed %d, walks %v, size %d: paths %v, want %v", seed, walks, size, got, want)
				}
				if got := x.At(some, 1); fmt.Sprint(got) != fmt.Sprint(wantSome) {
					t.Fatalf("seed %d, walks %v, size %d: some paths %v, want %v", seed, walks, size, got, wantSome)
				}
			}
		}
	}
}
