//go:build gpu

package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// hubbed returns a graph whose vertices mostly hang on a few hubs.
func hubbed(rng *rand.Rand, n int32, hubs, chords int32, directed bool) graph.Graph {
	g := graph.Graph{NumVertices: int(n), Directed: directed}
	add := func(u, v int32) {
		g.AddArc(u, v)
		if directed && rng.IntN(2) == 0 {
			g.AddArc(v, u)
		}
	}
	for v := int32(1); v < n; v++ {
		add(v, rng.Int32N(min(v, hubs)))
	}
	for range chords {
		add(rng.Int32N(n), rng.Int32N(n))
	}
	return g
}

// within counts the paths of each size that a part has, by its definition.
func within(b *graph.Batch, part []int32, size int) []int64 {
	root, depth, counted, arcs := part[0], int(part[1]), int(part[2]), part[3:]
	counts := make([]int64, size)
	var step func(path []int32)
	step = func(path []int32) {
		j, last := len(path), path[len(path)-1]
		if j > counted {
			counts[j-1]++
		}
		if j == size {
			return
		}
		from, to := b.RowPtr[last], b.RowPtr[last+1]
		switch {
		case j < depth:
			from, to = arcs[j-1], arcs[j-1]+1
		case j == depth:
			from, to = arcs[j-1], arcs[j]
		}
		for _, next := range b.Col[from:to] {
			if !slices.Contains(path, next) {
				step(append(path, next))
			}
		}
	}
	step([]int32{root})
	return counts
}

// The parts of a root have each of its paths once, none has many more than its share, and only roots with many are cut.
func TestPartsCoverEveryPathOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for i, k := range []struct {
		n, hubs, chords int32
		size            int
		directed        bool
	}{{200, 3, 300, 4, false}, {90, 2, 20, 5, false}, {1500, 1, 3, 3, false}, {60, 5, 250, 5, true},
		{30, 25, 200, 4, false}, {40, 1, 0, 4, false}} {
		small := hubbed(rng, 20, 10, 0, k.directed)
		large := hubbed(rng, k.n, k.hubs, k.chords, k.directed)
		b, err := graph.NewBatch([]graph.Graph{small, large})
		if err != nil {
			t.Fatal(err)
		}
		p, counts := newPathParts(b, k.size), b.PathCounts(k.size)
		cut, parts := map[int32]bool{}, 0
		for r := range p.numRoots() {
			v, got := p.roots[3*r], make([]int64, k.size)
			cut[v] = true
			for ; parts < int(p.roots[3*r+2]); parts++ {
				paths := int64(0)
				for j, n := range within(b, p.parts[parts*partInts:(parts+1)*partInts], k.size) {
					got[j] += n
					paths += n
				}
				if paths == 0 || paths > manyPaths+int64(k.size) {
					t.Errorf("case %d: part %d of root %d has %d paths", i, parts, v, paths)
				}
			}
			if want := counts[int(v)*k.size : (int(v)+1)*k.size]; !slices.Equal(got, want) {
				t.Errorf("case %d: the parts of root %d have %v paths, want %v", i, v, got, want)
			}
		}
		all := 0
		for v := range int32(b.NumVertices()) {
			paths := 0
			for _, n := range counts[int(v)*k.size : (int(v)+1)*k.size] {
				paths += int(n)
			}
			all += paths
			if cut[v] != p.cuts(int(v), int(v)+1) || !cut[v] && paths > manyPaths {
				t.Errorf("case %d: root %d with %d paths is cut: %v", i, v, paths, cut[v])
			}
			if bound := p.between(int(v), int(v)+1); !cut[v] && float64(paths) > bound {
				t.Errorf("case %d: root %d has %d paths, above the bound %v", i, v, paths, bound)
			}
		}
		if limit := p.numRoots() + 6*all/manyPaths; parts > limit || (parts > 0) != (i < 5) {
			t.Errorf("case %d: %d parts of %d roots with %d paths, expected at most %d", i, parts, p.numRoots(), all, limit)
		}
	}
}

// How a graph is cut does not depend on those beside it, but for the numbers of vertices and arcs.
func TestPartsOfAGraphAreItsOwn(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	g, other := hubbed(rng, 200, 3, 300, false), hubbed(rng, 300, 2, 0, false)
	alone, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	beside, err := graph.NewBatch([]graph.Graph{other, g})
	if err != nil {
		t.Fatal(err)
	}
	want, p := newPathParts(alone, 4), newPathParts(beside, 4)
	before := 0
	for before < p.numRoots() && int(p.roots[3*before]) < other.NumVertices {
		before++
	}
	first := int(p.roots[3*before+1])
	if p.numRoots()-before != want.numRoots() || len(p.parts)/partInts-first != len(want.parts)/partInts {
		t.Fatalf("%d roots are cut, alone %d", p.numRoots()-before, want.numRoots())
	}
	for i := range len(want.parts) / partInts {
		got, want := p.parts[(first+i)*partInts:(first+i+1)*partInts], want.parts[i*partInts:(i+1)*partInts]
		arcs := beside.RowPtr[other.NumVertices]
		for k, x := range want[:4+want[1]] {
			moved := []int32{int32(other.NumVertices), 0, 0, arcs}[min(k, 3)]
			if got[k] != x+moved {
				t.Fatalf("part %d: %v, alone %v", i, got, want)
			}
		}
	}
}

// What is derived from a batch on the host is derived once, until the batch is forgotten.
func TestPlansAreKeptWithTheBatch(t *testing.T) {
	e := opened(t)
	b, err := graph.NewBatch([]graph.Graph{{NumVertices: 3}})
	if err != nil {
		t.Fatal(err)
	}
	built := 0
	plan := func(name string) int {
		return planned(e, b, name, func() int { built++; return built })
	}
	if first, other, again := plan("a"), plan("b"), plan("a"); first != 1 || other != 2 || again != 1 {
		t.Errorf("got %d, %d and again %d", first, other, again)
	}
	e.Forget(b)
	if plan("a") != 3 {
		t.Error("a forgotten batch still has its plan")
	}
}

// Chunks have every part once and as many as fit, at least those of one root.
func TestChunksOfParts(t *testing.T) {
	p := &pathParts{}
	for r, parts := range []int32{3, 2, 9, 1, 1, 4} {
		first := int32(0)
		if r > 0 {
			first = p.roots[3*r-1]
		}
		p.roots = append(p.roots, int32(r), first, first+parts)
	}
	want := []chunk{{0, 2, 0, 5}, {2, 1, 5, 9}, {3, 2, 14, 2}, {5, 1, 16, 4}}
	if got := p.chunks(5); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
