package graph

import (
	"slices"
	"testing"
)

// A clique of 100 vertices has more paths of 12 vertices than an integer can count. Nobody waits for them.
func TestPathsBeyondIntegers(t *testing.T) {
	clique := Graph{NumVertices: 100}
	for v := range int32(100) {
		for u := range v {
			clique.AddArc(v, u)
		}
	}
	b, err := NewBatch([]Graph{clique, {NumVertices: 1}, clique})
	if err != nil {
		t.Fatal(err)
	}
	var all PathCount
	all.Add(b.CountPaths(12, false, 1)...)
	if x := b.NewPathIndex(12, false, 1); x.Total() != MaxPaths || all.Total() != MaxPaths {
		t.Errorf("%d and %d paths, want the largest number, %d", x.Total(), all.Total(), int64(MaxPaths))
	}
	if got, want := b.NewPathIndex(7, false, 1).Total(), int64(2*100*99*98*97*96*95*94); got != want {
		t.Errorf("%d paths of 7 vertices, want %d", got, want)
	}
	if c := b.PathClasses(make([]int32, 201), nil, 12, false, false, 1); len(c.Roots[0]) != 2 {
		t.Errorf("%d classes of paths, want 2", len(c.Roots[0]))
	}
	x := b.NewPathIndex(7, false, 1)
	path := x.At([]int64{0, x.Before(1), x.Total() - 1}, 1)
	want := []int32{0, 1, 2, 3, 4, 5, 6, 1, 0, 2, 3, 4, 5, 6, 200, 199, 198, 197, 196, 195, 194}
	if !slices.Equal(path, want) {
		t.Errorf("paths %v, want %v", path, want)
	}
}

// The paths of a batch have the numbers that they have piece by piece, also where a number stands for many walks.
func TestPathIndexOfPieces(t *testing.T) {
	var graphs []Graph
	for _, n := range []int{5, 40, 1, 30, 7} {
		g := Graph{NumVertices: n}
		for v := range n {
			for u := range v {
				g.AddArc(int32(v), int32(u))
			}
		}
		graphs = append(graphs, g)
	}
	b, err := NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		size  int
		walks bool
	}{{3, false}, {4, true}, {12, true}} { // 40 * 39^11 walks of 12 vertices
		whole := b.NewPathIndex(c.size, c.walks, 2)
		var all, before PathCount
		for g := range b.NumGraphs() {
			all.Add(b.Slice(g, g+1).CountPaths(c.size, c.walks, 2)...)
		}
		if all.Total() != whole.Total() {
			t.Errorf("%+v: %d numbers, want %d", c, all.Total(), whole.Total())
		}
		for g := range b.NumGraphs() {
			piece := b.Slice(g, g+1)
			index := piece.NewPathIndexAfter(before, all.Walks, c.size, c.walks, 2)
			before.Add(piece.CountPaths(c.size, c.walks, 2)...)
			from, to := b.Vertices(g)
			for v := from; v <= to; v++ {
				if got, want := index.Before(int(v-from)), whole.Before(int(v)); got != want {
					t.Fatalf("%+v, graph %d: vertex %d begins at %d, want %d", c, g, v-from, got, want)
				}
			}
			var numbers []int64
			first, last := whole.Before(int(from)), whole.Before(int(to))
			for i := range int64(20) {
				if last > first {
					numbers = append(numbers, first+i*(last-first)/20)
				}
			}
			want := whole.At(numbers, 1)
			for i := range want {
				want[i] -= from
			}
			if got := index.At(numbers, 1); !slices.Equal(got, want) {
				t.Errorf("%+v, graph %d: other paths", c, g)
			}
		}
	}
}
