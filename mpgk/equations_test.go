package mpgk

import (
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

// The equations of the paper, vertex pair by vertex pair, on the hierarchies that were fitted.
func TestKernelsAreThoseOfTheEquations(t *testing.T) {
	for _, s := range settings(t) {
		if s.Landmarks > 0 || s.Normalise {
			continue
		}
		b := batch(t, molecules(12, 3, s.content))
		m := fit(t, enginetest.Open(t, 2), b, s.Options)
		var want []float64
		n, sum := b.NumGraphs(), make([]float64, b.NumGraphs()*b.NumGraphs())
		k := plainBase(b)
		for i := 0; i <= s.Iterations; i++ {
			leaf := plainLeaves(m, i)
			if s.SumIterations && i > 0 {
				want = append(want, sum...)
			}
			now := plainGraphs(b, m, i, k, leaf)
			for j := range sum {
				sum[j] += now[j]
			}
			if !s.SumIterations && i > 0 {
				want = append(want, now...)
			}
			k = plainUpdate(b, m, i, k, leaf)
		}
		if len(want) != s.Iterations*n*n {
			t.Fatal("wrong test")
		}
		if err := closeTo(grams(t, m), want, 1e-12); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func plainBase(b *graph.Batch) [][]float64 {
	k := make([][]float64, b.NumVertices())
	for u := range k {
		k[u] = make([]float64, len(k))
		for v := range k {
			switch {
			case b.AttributeDim > 0:
				for j, x := range b.Attribute(int32(u)) {
					k[u][v] += x * b.Attribute(int32(v))[j]
				}
			case b.Labels == nil:
				k[u][v] = float64(b.Degree(int32(u)) * b.Degree(int32(v)))
			case b.Labels[u] == b.Labels[v]:
				k[u][v] = 1
			}
		}
	}
	return k
}

// plainLeaves returns the leaf of every vertex, nil where there is no hierarchy.
func plainLeaves(m *Model, i int) []int32 {
	f := &m.fitted[i]
	if f.hierarchy == nil {
		return nil
	}
	leaf := make([]int32, len(f.class))
	for v, c := range f.class {
		leaf[v] = f.hierarchy.leaf[c]
	}
	return leaf
}

// plainSets compares two sets of vertices by R-convolution or, with leaves, by an assignment.
func plainSets(m *Model, i int, k [][]float64, leaf []int32, a, b []int32) float64 {
	total := 0.0
	if leaf == nil {
		for _, u := range a {
			for _, v := range b {
				total += k[u][v]
			}
		}
		return total
	}
	h, omega := m.fitted[i].hierarchy.hierarchy, m.fitted[i].omega
	below := func(set []int32, node int32) (n int) {
		for _, v := range set {
			for r := leaf[v]; r >= 0; r = h.parent[r] {
				if r == node {
					n++
				}
			}
		}
		return n
	}
	for r := range omega {
		total += omega[r] * float64(min(below(a, int32(r)), below(b, int32(r))))
	}
	return total
}

func plainUpdate(b *graph.Batch, m *Model, i int, k [][]float64, leaf []int32) [][]float64 {
	if !m.opt.Variant.assignsNeighbours() {
		leaf = nil
	}
	next := make([][]float64, len(k))
	for u := range k {
		for v := range k {
			around := plainSets(m, i, k, leaf, b.Neighbors(int32(u)), b.Neighbors(int32(v)))
			next[u] = append(next[u], m.opt.Alpha*k[u][v]+m.opt.Beta*around)
		}
		if i == m.opt.Iterations {
			return k // the hierarchies end here
		}
	}
	return next
}

func plainGraphs(b *graph.Batch, m *Model, i int, k [][]float64, leaf []int32) []float64 {
	if !m.opt.Variant.assignsGraphs() {
		leaf = nil
	}
	var out []float64
	for g := range b.NumGraphs() {
		for h := range b.NumGraphs() {
			out = append(out, plainSets(m, i, k, leaf, verticesOf(b, g), verticesOf(b, h)))
		}
	}
	return out
}

func verticesOf(b *graph.Batch, g int) []int32 {
	var all []int32
	from, to := b.Vertices(g)
	for v := from; v < to; v++ {
		all = append(all, v)
	}
	return all
}
