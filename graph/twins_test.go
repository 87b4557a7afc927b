package graph

import (
	"math/rand/v2"
	"testing"
)

// addTwins repeats some vertices of an undirected graph, next to their twins or not, most of them with the same label.
func addTwins(rng *rand.Rand, g *Graph, twins int) {
	for range twins {
		v, w := rng.Int32N(int32(g.NumVertices)), int32(g.NumVertices)
		for i := range g.Arcs.From {
			switch from, to := g.Arcs.From[i], g.Arcs.To[i]; {
			case from == v && to != v:
				g.AddArc(w, to)
			case to == v && from != v:
				g.AddArc(w, from)
			}
		}
		if rng.IntN(2) == 0 {
			g.AddArc(v, w)
		}
		g.NumVertices++
		label := g.Labels[v]
		if rng.IntN(4) == 0 {
			label = rng.Int32N(3)
		}
		g.Labels = append(g.Labels, label)
	}
}

// Classes hold just the vertices that have the same label and neighbours, and through every path of classes there go so
// many paths as are visited.
func TestTwins(t *testing.T) {
	several := 0
	for seed := range uint64(60) {
		b := labelledBatch(t, seed, seed%3 == 0)
		twins := b.Twins(b.Labels, 4)
		graph := 0
		for v := range int32(b.NumVertices()) {
			for v >= b.Offsets[graph+1] {
				graph++
			}
			first := v
			for u := v - 1; u >= b.Offsets[graph]; u-- {
				if !b.Directed && b.ArcTypes == nil && b.Labels[u] == b.Labels[v] && sameOthers(b, u, v) {
					first = u
				}
			}
			if got := twins.First[twins.Class[v]]; got != first {
				t.Fatalf("seed %d: vertex %d stands for %d, want %d", seed, got, v, first)
			}
		}
		for c, size := range twins.Size {
			if size > 1 {
				several++
			}
			for v, d := range twins.Class {
				if d == int32(c) {
					size--
				}
				if arcs := b.CountArcs(twins.First[c], int32(v)); int32(v) != twins.First[c] && twins.Arcs(int32(c), d) != arcs {
					t.Fatalf("seed %d: %d arcs from class %d to %d, want %d", seed, twins.Arcs(int32(c), d), c, d, arcs)
				}
			}
			if size != 0 {
				t.Fatalf("seed %d: class %d is %d vertices too large", seed, c, size)
			}
		}
		for v := range int32(b.NumVertices()) {
			visited, counted := map[[4]int32]int{}, map[[4]int32]int{}
			b.VisitPaths(v, 4, func(path []int32) {
				if len(path) == 4 {
					var classes [4]int32
					for i, u := range path {
						classes[i] = twins.Class[u]
					}
					visited[classes]++
				}
			})
			count(twins, []int32{twins.Class[v]}, 1, counted)
			if len(counted) != len(visited) {
				t.Fatalf("seed %d: paths through %d sequences of classes, want %d", seed, len(counted), len(visited))
			}
			for classes, paths := range visited {
				if counted[classes] != paths {
					t.Fatalf("seed %d: %d paths through %v, want %d", seed, counted[classes], classes, paths)
				}
			}
		}
	}
	if several < 40 {
		t.Errorf("%d classes of several vertices, want more for this test", several)
	}
}

// count counts the paths of four vertices that go on from so many with the given classes.
func count(t *Twins, path []int32, paths int, counted map[[4]int32]int) {
	if len(path) == 4 {
		counted[[4]int32(path)] += paths
		return
	}
	ways := 0
	for _, d := range t.Next(path[len(path)-1]) {
		left := t.Left(path, d)
		if ways += left; left > 0 {
			count(t, append(path[:len(path):len(path)], d), paths*left, counted)
		}
	}
	if ways != t.Ways(path) {
		panic("ways on that no class has")
	}
}

// sameOthers reports whether two vertices have the same arcs to all others.
func sameOthers(b *Batch, u, v int32) bool {
	for w := range int32(b.NumVertices()) {
		if w != u && w != v && b.CountArcs(u, w) != b.CountArcs(v, w) {
			return false
		}
	}
	return true
}
