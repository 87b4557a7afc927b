package walks_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// The edges that a split uses are those on walks that its mask keeps, found by dense products.
func TestUsedEdgesAgainstDenseWalks(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 77))
		p := treegtest.RandomProblem(r)
		b := p.Batch(t).Select([]int{0})
		arcs := []walks.Arcs{{Type: walks.AllArcs}}
		if p.Both {
			arcs = append(arcs, walks.Arcs{Type: walks.AllArcs, Against: true})
		}
		in := walks.Input{Level: walks.Graphs, Attributes: b.AttributeDim, Arcs: arcs}
		d, err := walks.Prepare(context.Background(), treegtest.OpenCPU(t, 1), b, in, walks.Demand{Length: 4})
		if err != nil {
			t.Fatal(err)
		}
		e := walks.NewEdges(d)
		for op, a := range arcs {
			for _, walk := range []walks.Walk{walks.Source, walks.Cycle, walks.Target, walks.TargetSource} {
				subset := []int32{}
				for v := range int32(b.NumVertices()) {
					if r.IntN(2) == 0 {
						subset = append(subset, v)
					}
				}
				rule := &walks.Rule{Split: walks.Split{Length: 1 + r.IntN(4), Walk: walk, Arcs: a}, Op: op}
				got := e.Uses(rule, subset)
				if want := denseUses(e, b, &p.Graphs[0], rule, subset); !slices.Equal(got, want) {
					t.Fatalf("problem %d, %s of %d over %v from %v: %v, want %v", seed, walk, rule.Length, a, subset, got, want)
				}
			}
		}
	}
}

func denseUses(e *walks.Edges, b *graph.Batch, g *treegtest.Dense, r *walks.Rule, subset []int32) []bool {
	there := make([][]float64, g.N) // A_ij: a step from j to i
	for i, row := range g.Matrices[r.Arcs] {
		there[i] = make([]float64, g.N)
		for j, w := range row {
			if w != 0 {
				there[i][j] = 1
			}
		}
	}
	kept := func(from, to int) bool {
		in := func(v int) bool { return slices.Contains(subset, int32(v)) }
		return map[walks.Walk]bool{
			walks.Source: in(from), walks.Target: in(to), walks.TargetSource: in(from) && in(to),
			walks.Cycle: from == to && in(to),
		}[r.Walk]
	}
	used := make([]bool, e.Count)
	for t := range r.Length {
		before, after := treegtest.Power(there, t), treegtest.Power(there, r.Length-1-t)
		for from := range g.N {
			for to := range g.N {
				if !kept(from, to) {
					continue
				}
				for p, head := range b.Col {
					x, y := tailOf(b.RowPtr, p), int(head)
					if r.Arcs.Against {
						x, y = y, x
					}
					if before[x][from] > 0 && after[to][y] > 0 {
						used[e.Of[p]] = true
					}
				}
			}
		}
	}
	return used
}

// tailOf returns the vertex that an arc leaves.
func tailOf(rowPtr []int32, p int) int {
	at, found := slices.BinarySearch(rowPtr, int32(p))
	for found && at+1 < len(rowPtr) && rowPtr[at+1] == int32(p) {
		at++
	}
	if !found {
		at--
	}
	return at
}
