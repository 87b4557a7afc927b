package wl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// randomGraphs returns graphs of all small kinds: without vertices, of one vertex, without arcs, with isolated
// vertices, trees and cycles, with vertex labels and arc labels.
func randomGraphs(rng *rand.Rand, n int, directed bool) []graph.Graph {
	graphs := make([]graph.Graph, n)
	for i := range graphs {
		g := &graphs[i]
		g.Directed, g.Labels = directed, []int32{}
		g.NumVertices = rng.IntN(9)
		if i < 2 {
			g.NumVertices = i
		}
		arcs := rng.IntN(2*g.NumVertices + 1)
		if i == 2 {
			g.NumVertices, arcs = 4, 0
		}
		for range g.NumVertices {
			g.Labels = append(g.Labels, int32(rng.IntN(3)))
		}
		seen := map[[2]int32]bool{}
		for range arcs {
			u, v := int32(rng.IntN(g.NumVertices)), int32(rng.IntN(g.NumVertices))
			if seen[[2]int32{u, v}] || !directed && seen[[2]int32{v, u}] {
				continue
			}
			seen[[2]int32{u, v}] = true
			g.AddArc(u, v)
			g.Arcs.Labels = append(g.Arcs.Labels, int32(rng.IntN(2)))
		}
	}
	return graphs
}

func batch(t *testing.T, graphs []graph.Graph) *graph.Batch {
	t.Helper()
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plainColours refines colours by the definition, with texts as colours.
func plainColours(b *graph.Batch, opt Options) [][]string {
	n := b.NumVertices()
	now := make([]string, n)
	for v := range now {
		if b.Labels != nil && !opt.Uniform {
			now[v] = fmt.Sprint(b.Labels[v])
		}
	}
	rounds := [][]string{now}
	for range opt.Iterations {
		seen := make([][]string, n)
		see := func(v int32, e int, w int32, direction string) {
			label := ""
			if opt.ArcLabels {
				label = fmt.Sprint(b.ArcLabels[e])
			}
			seen[v] = append(seen[v], direction+label+"<"+now[w]+">")
		}
		for u := range int32(n) {
			for e := b.RowPtr[u]; e < b.RowPtr[u+1]; e++ {
				v := b.Col[e]
				if !b.Directed || opt.Follow != FollowIn {
					see(u, int(e), v, "out")
				}
				if b.Directed && opt.Follow != FollowOut {
					see(v, int(e), u, "in")
				}
			}
		}
		next := make([]string, n)
		for v := range next {
			slices.Sort(seen[v])
			next[v] = now[v] + "(" + strings.Join(seen[v], ",") + ")"
		}
		now = next
		rounds = append(rounds, now)
	}
	return rounds
}

// plainKernel computes a kernel by its definition on texts, without normalisation.
func plainKernel(rounds [][]string, b *graph.Batch, kernel Kernel) []float64 {
	n := b.NumGraphs()
	out := make([]float64, n*n)
	for _, colours := range rounds {
		counts := make([]map[string]float64, n)
		for g := range n {
			counts[g] = map[string]float64{}
			from, to := b.Vertices(g)
			for _, c := range colours[from:to] {
				counts[g][c]++
			}
		}
		for i := range n {
			for j := range n {
				for c, x := range counts[i] {
					if kernel == Subtree {
						out[i*n+j] += x * counts[j][c]
					} else {
						out[i*n+j] += min(x, counts[j][c])
					}
				}
			}
		}
	}
	return out
}

// bestAssignment returns the value of the best assignment of the vertices of two graphs by trying all of them: a vertex
// is worth the number of rounds in which it shares the colour of its partner.
func bestAssignment(rounds [][]string, x, y []int32) float64 {
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return 0
	}
	best := 0.0
	for i, w := range y {
		value := 0.0
		for _, colours := range rounds {
			if colours[x[0]] == colours[w] {
				value++
			}
		}
		rest := append(slices.Clone(y[:i]), y[i+1:]...)
		best = max(best, value+bestAssignment(rounds, x[1:], rest))
	}
	return best
}
