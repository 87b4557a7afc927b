package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// With ranks, sums and means over paths are those of the reference, and vertices whose paths have equal labels have
// equal bits, whatever the order of their neighbours and the numbers of the rows.
func TestPathPoolWithRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for trial := range 30 {
		const q, labels = 5, 4
		size, all := 2+rng.IntN(3), rng.IntN(2) == 0
		b := labelled(t, rng, 1+rng.IntN(30), labels)
		classes := b.PathClasses(b.Labels, nil, size, all, false, 1)
		scores := engine.NewCPU(1).New(tensor.Float64, labels, size*q)
		for i := range scores.Float64s() {
			scores.Float64s()[i] = 2*rng.Float64() - 1
		}
		p := &engine.PathPooling{Graph: b, Index: b.Labels, Ranks: []int32{0, 1, 2, 3}, Size: size, AllLengths: all,
			Kernel: engine.Kernel{Alpha: 1 + 3*rng.Float64()}, Pool: []engine.Pooling{engine.Sum, engine.Mean}[trial%2]}
		got, want := pooled(t, engine.NewCPU(1+rng.IntN(3)), scores, p, q), pooled(t, engine.Reference{}, scores, p, q)
		for l := range got {
			for i, x := range want[l] {
				if math.Abs(got[l][i]-x) > 1e-13*(1+math.Abs(x)) {
					t.Fatalf("element %d of length %d is %g, reference %g", i, l, got[l][i], x)
				}
			}
			for v, class := range classes.Class[l] {
				root := int(classes.Roots[l][class])
				if !slices.Equal(got[l][v*q:(v+1)*q], got[l][root*q:(root+1)*q]) {
					t.Fatalf("length %d: vertex %d has other bits than %d, which starts equal paths", l, v, root)
				}
			}
		}
		turned, other := engine.NewCPU(1).New(tensor.Float64, labels, size*q), *p // row l becomes labels-1-l
		other.Index, other.Ranks = slices.Clone(b.Labels), []int32{3, 2, 1, 0}
		for v, l := range b.Labels {
			other.Index[v] = labels - 1 - l
		}
		for l := range labels {
			copy(turned.Float64s()[(labels-1-l)*size*q:], scores.Float64s()[l*size*q:(l+1)*size*q])
		}
		for l, x := range pooled(t, engine.NewCPU(1), turned, &other, q) {
			if !slices.Equal(x, got[l]) {
				t.Fatalf("length %d: other bits for rows in another order with the same ranks", l)
			}
		}
	}
}

// A maximum over paths has the bits of a search that takes every path by itself.
func TestPathPoolMaximumOfTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 30 {
		const q, labels = 5, 4
		size := 2 + rng.IntN(3)
		b := labelled(t, rng, 1+rng.IntN(30), labels)
		scores := engine.NewCPU(1).New(tensor.Float64, labels, size*q)
		for i := range scores.Float64s() {
			scores.Float64s()[i] = 2*rng.Float64() - 1
		}
		alone := engine.NewCPU(1).New(tensor.Float64, b.NumVertices(), size*q) // a row for each vertex, which has no twins
		for v, l := range b.Labels {
			copy(alone.Float64s()[v*size*q:(v+1)*size*q], scores.Float64s()[int(l)*size*q:])
		}
		p := engine.PathPooling{Graph: b, Index: b.Labels, Size: size, AllLengths: rng.IntN(2) == 0,
			Kernel: engine.Kernel{Alpha: 1 + 3*rng.Float64()}, Pool: engine.Max}
		got := pooled(t, engine.NewCPU(2), scores, &p, q)
		p.Index = nil
		for l, want := range pooled(t, engine.NewCPU(1), alone, &p, q) {
			if !slices.Equal(got[l], want) {
				t.Fatalf("length %d of %d: other bits", l, size)
			}
		}
	}
}

// The sums of a clique count more paths than an integer can.
func TestPathPoolOfAClique(t *testing.T) {
	const n, size = 60, 12
	g := graph.Graph{NumVertices: n, Labels: make([]int32, n)}
	for v := range int32(n) {
		for u := range v {
			g.AddArc(v, u)
		}
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	scores := engine.NewCPU(1).New(tensor.Float64, 1, size)
	for i := range scores.Float64s() {
		scores.Float64s()[i] = 0.1 * float64(i-3)
	}
	p := engine.PathPooling{Graph: b, Index: b.Labels, Ranks: []int32{0}, Size: size, Kernel: engine.Kernel{Alpha: 1}}
	pool := func(pool engine.Pooling) []float64 {
		p.Pool = pool
		return pooled(t, engine.NewCPU(2), scores, &p, 1)[0]
	}
	paths, highest, mean, sum := 1.0, pool(engine.Max), pool(engine.Mean), pool(engine.Sum)
	for left := n - 1; left > n-size; left-- {
		paths *= float64(left)
	}
	for v, x := range highest { // the value of each
		if x <= 0 || math.Abs(mean[v]/x-1) > 1e-12 || math.Abs(sum[v]/x/paths-1) > 1e-12 {
			t.Errorf("vertex %d: maximum %g, mean %g, sum %g of %g paths", v, x, mean[v], sum[v], paths)
		}
	}
}

// labelled returns random graphs, sparse ones, dense ones and ones with twins.
func labelled(t *testing.T, rng *rand.Rand, graphs int, labels int32) *graph.Batch {
	t.Helper()
	all := make([]graph.Graph, graphs)
	for i := range all {
		g := &all[i]
		g.NumVertices = 1 + rng.IntN(9)
		vertices := int32(g.NumVertices)
		for range (1 + 3*rng.IntN(2)) * g.NumVertices {
			u, v := rng.Int32N(vertices), rng.Int32N(vertices)
			g.AddArc(u, v)
			if i%3 == 0 { // each vertex three times, the first two next to each other
				g.AddArc(u, v+vertices)
				g.AddArc(u+vertices, v)
				g.AddArc(u+vertices, v+vertices)
				g.AddArc(u, u+vertices)
				for _, w := range []int32{v, v + vertices} {
					g.AddArc(u+2*vertices, w)
				}
			}
		}
		if i%3 == 0 {
			g.NumVertices *= 3
		}
		for range g.NumVertices {
			g.Labels = append(g.Labels, rng.Int32N(labels))
		}
	}
	b, err := graph.NewBatch(all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pooled returns the rows of every vertex, length by length.
func pooled(t *testing.T, e engine.Engine, scores *tensor.Dense, p *engine.PathPooling, q int) (all [][]float64) {
	t.Helper()
	var out []*tensor.Dense
	for range p.Lengths() {
		out = append(out, e.New(tensor.Float64, p.Graph.NumVertices(), q))
	}
	if err := e.PathPool(out, scores, nil, p); err != nil {
		t.Fatal(err)
	}
	for _, x := range out {
		all = append(all, x.Float64s())
	}
	return all
}
