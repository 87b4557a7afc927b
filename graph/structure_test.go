package graph

import (
	"math/rand/v2"
	"testing"
)

// shortestCycle finds the girth of one graph by trying every simple cycle.
func shortestCycle(b *Batch, g int) int {
	from, to := b.Vertices(g)
	best := 0
	for root := from; root < to; root++ {
		b.VisitPaths(root, int(to-from), func(path []int32) {
			last := path[len(path)-1]
			if backAlongEdge := len(path) == 2 && !b.Directed; b.HasArc(last, root) && !backAlongEdge {
				best = shorter(best, len(path))
			}
		})
	}
	return best
}

func TestGirthsEqualBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	for i := range 200 {
		b := randomBatch(t, random, i%2 == 1, i%5 == 0)
		for g, girth := range b.Girths() {
			if want := shortestCycle(b, g); girth != want {
				t.Fatalf("case %d, graph %d (directed %v): girth %d, brute force %d", i, g, b.Directed, girth, want)
			}
		}
	}
}

func TestGirthsOfKnownGraphs(t *testing.T) {
	ring := func(n int) Graph {
		g := Graph{NumVertices: n}
		for v := range n {
			g.AddArc(int32(v), int32((v+1)%n))
		}
		return g
	}
	petersen := Graph{NumVertices: 10}
	for v := range int32(5) {
		petersen.AddArc(v, (v+1)%5)
		petersen.AddArc(v, v+5)
		petersen.AddArc(v+5, (v+2)%5+5)
	}
	tree := Graph{NumVertices: 7}
	for v := int32(1); v < 7; v++ {
		tree.AddArc((v-1)/2, v)
	}
	b, err := NewBatch([]Graph{ring(3), ring(8), petersen, tree, {}})
	if err != nil {
		t.Fatal(err)
	}
	for g, want := range []int{3, 8, 5, 0, 0} {
		if got := b.Girths()[g]; got != want {
			t.Errorf("graph %d: girth %d, want %d", g, got, want)
		}
	}
}

func TestComponentsEqualBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	for i := range 100 {
		b := randomBatch(t, random, i%2 == 1, false)
		n := b.NumVertices()
		// reach[u*n+v]: v can be reached from u, arcs taken in both directions; Warshall's closure.
		reach := make([]bool, n*n)
		for u := range n {
			reach[u*n+u] = true
			for _, v := range b.Neighbors(int32(u)) {
				reach[u*n+int(v)], reach[int(v)*n+u] = true, true
			}
		}
		for k := range n {
			for u := range n {
				for v := range n {
					reach[u*n+v] = reach[u*n+v] || reach[u*n+k] && reach[k*n+v]
				}
			}
		}
		component, count := b.Components()
		next := int32(0)
		for u := range n {
			if component[u] > next {
				t.Fatalf("case %d: component %d of vertex %d comes before component %d", i, component[u], u, next)
			}
			if component[u] == next {
				next++
			}
			for v := range n {
				if (component[u] == component[v]) != reach[u*n+v] {
					t.Fatalf("case %d: vertices %d and %d in components %d and %d, reachable %v",
						i, u, v, component[u], component[v], reach[u*n+v])
				}
			}
		}
		if count != int(next) {
			t.Fatalf("case %d: %d components, numbered up to %d", i, count, next)
		}
	}
}

func TestBallGrowsByDistance(t *testing.T) {
	star := Graph{NumVertices: 6}
	for v := int32(1); v < 5; v++ {
		star.AddArc(0, v)
	}
	star.AddArc(4, 5)
	b, err := NewBatch([]Graph{star})
	if err != nil {
		t.Fatal(err)
	}
	for hops, size := range []int{1, 2, 5, 6, 6} {
		if ball := b.Ball(1, hops); len(ball) != size || ball[0] != 1 {
			t.Errorf("ball of %d hops: %v, want %d vertices", hops, ball, size)
		}
	}
}
