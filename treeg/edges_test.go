package treeg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// The edges that a split uses are those on walks that its mask keeps, found by dense products.
func TestUsedEdgesAgainstDenseWalks(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 77))
		p := randomProblem(r)
		b := p.batch(t).Select([]int{0})
		opt := Defaults(Graphs, Single)
		arcs := []Arcs{{Type: AllArcs}}
		if p.both {
			opt.Directions, arcs = BothWays, append(arcs, Arcs{Type: AllArcs, Against: true})
		}
		opt.MaxLength = 4
		d, err := Prepare(context.Background(), openCPU(t, 1), b, opt)
		if err != nil {
			t.Fatal(err)
		}
		e := newExplainer(d, opt.Empty, 0)
		for op, a := range arcs {
			for _, walk := range []Walk{Source, Cycle, Target, TargetSource} {
				subset := []int32{}
				for v := range int32(b.NumVertices()) {
					if r.IntN(2) == 0 {
						subset = append(subset, v)
					}
				}
				rule := &rule{Split: Split{Length: 1 + r.IntN(4), Walk: walk, Arcs: a}, op: op}
				got := e.uses(rule, subset)
				if want := denseUses(e, &p.graphs[0], rule, subset); !slices.Equal(got, want) {
					t.Fatalf("problem %d, %s of %d over %v from %v: %v, want %v", seed, walk, rule.Length, a, subset, got, want)
				}
			}
		}
	}
}

func denseUses(e *explainer, g *dense, r *rule, subset []int32) []bool {
	there := make([][]float64, g.n) // A_ij: a step from j to i
	for i, row := range g.matrices[r.Arcs] {
		there[i] = make([]float64, g.n)
		for j, w := range row {
			if w != 0 {
				there[i][j] = 1
			}
		}
	}
	kept := func(from, to int) bool {
		in := func(v int) bool { return slices.Contains(subset, int32(v)) }
		return map[Walk]bool{
			Source: in(from), Target: in(to), TargetSource: in(from) && in(to), Cycle: from == to && in(to),
		}[r.Walk]
	}
	used := make([]bool, e.count)
	for t := range r.Length {
		before, after := power(there, t), power(there, r.Length-1-t)
		for from := range g.n {
			for to := range g.n {
				if !kept(from, to) {
					continue
				}
				for p, head := range e.d.batch.Col {
					x, y := tailOf(e.d.batch.RowPtr, p), int(head)
					if r.Arcs.Against {
						x, y = y, x
					}
					if before[x][from] > 0 && after[to][y] > 0 {
						used[e.edges[p]] = true
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
