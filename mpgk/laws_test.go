package mpgk

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine/eigen"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

func TestMatricesAreKernels(t *testing.T) {
	for _, s := range settings(t) {
		b := batch(t, molecules(30, 1, s.content))
		m := fit(t, enginetest.Open(t, 2), b, s.Options)
		n := b.NumGraphs()
		err := m.EachGram(t.Context(), nil, func(i int, k *tensor.Dense) error {
			x := k.Float64s()
			for a := range n {
				for c := range a {
					if x[a*n+c] != x[c*n+a] {
						t.Fatalf("%s, %d iterations: entries (%d, %d) are %v and %v", s, i, a, c, x[a*n+c], x[c*n+a])
					}
				}
				// The degree kernel is zero on a graph without edges.
				if d := x[a*n+a]; s.Normalise && d != 1 && !(d == 0 && s.content == bare && s.Variant[1] == 'r') {
					t.Errorf("%s, %d iterations: diagonal entry %d is %v", s, i, a, d)
				}
			}
			values, _, err := eigen.Symmetric(1, n, x, n)
			if err != nil {
				return err
			}
			if values[0] < -1e-9*values[n-1] {
				t.Errorf("%s, %d iterations: eigenvalues from %v to %v", s, i, values[0], values[n-1])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The graphs of Fit go down their own hierarchies to where they were.
func TestTransformOfTheTrainingGraphsIsTheFit(t *testing.T) {
	for _, s := range settings(t) {
		b := batch(t, molecules(60, 2, s.content))
		m := fit(t, enginetest.Open(t, 2), b, s.Options)
		g := transform(t, m, b)
		wantSameBits(t, s, crosses(t, g, g), grams(t, m))
		if err := closeTo(crosses(t, g, m.train), grams(t, m), 1e-13); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestTransformIsTheFitWhereKMeansWasCutOff(t *testing.T) {
	for c := labelled; c <= bare; c++ {
		s := newState(batch(t, molecules(300, 5, c)), InputOf(batch(t, molecules(1, 5, c))), false)
		opt := Options{Branching: 4, Depth: 6}
		h, err := growWithin(t.Context(), enginetest.Open(t, 1), &s.points, &opt, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if c == attributed && len(h.strays) == 0 {
			t.Error("k-means after one iteration has no strays: the test shows nothing")
		}
		leaf, err := h.descend(t.Context(), enginetest.Open(t, 2), &s.points, &s.points)
		if err != nil {
			t.Fatal(err)
		}
		for p := range leaf {
			if leaf[p] != h.leaf[p] {
				t.Fatalf("%s: point %d goes to %d, was fitted to %d", c, p, leaf[p], h.leaf[p])
			}
		}
	}
}

// relabel returns g with vertex v moved to place[v].
func relabel(g graph.Graph, place []int) graph.Graph {
	out := g
	out.Arcs = graph.ArcList{}
	for i := range g.Arcs.From {
		out.AddArc(int32(place[g.Arcs.From[i]]), int32(place[g.Arcs.To[i]]))
	}
	out.Labels, out.Attributes = make([]int32, len(g.Labels)), make([]float64, len(g.Attributes))
	for v, p := range place {
		if g.Labels != nil {
			out.Labels[p] = g.Labels[v]
		}
		copy(out.Attributes[p*g.AttributeDim:], g.Attributes[v*g.AttributeDim:(v+1)*g.AttributeDim])
	}
	if g.Labels == nil {
		out.Labels = nil
	}
	return out
}

// Neither the fit nor its application depends on the order of graphs or vertices.
func TestOrderOfGraphsAndVerticesDoesNotMatter(t *testing.T) {
	for _, s := range settings(t) {
		graphs, fresh := molecules(40, 7, s.content), molecules(15, 8, s.content)
		rng := rand.New(rand.NewPCG(5, 5))
		order := rng.Perm(len(graphs))
		shuffled := make([]graph.Graph, len(graphs))
		for i, g := range order {
			shuffled[i] = relabel(graphs[g], rng.Perm(graphs[g].NumVertices))
		}
		turned := make([]graph.Graph, len(fresh))
		for i, g := range fresh {
			turned[i] = relabel(g, rng.Perm(g.NumVertices))
		}
		e := enginetest.Open(t, 1)
		one, other := fit(t, e, batch(t, graphs), s.Options), fit(t, e, batch(t, shuffled), s.Options)
		a := transform(t, one, batch(t, fresh))
		b := transform(t, other, batch(t, turned))
		want, got := crosses(t, a, one.train.Select(order)), crosses(t, b, other.train)
		if err := closeTo(got, want, 1e-12); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	for _, s := range settings(t) {
		b, fresh := batch(t, molecules(60, 9, s.content)), batch(t, molecules(20, 10, s.content))
		s.GraphLandmarks = 7
		var first []float64
		for _, workers := range []int{1, 2, 8} {
			m := fit(t, enginetest.Open(t, workers), b, s.Options)
			x, err := m.Features(t.Context(), fresh, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := append(append(grams(t, m), crosses(t, transform(t, m, fresh), m.train)...), x.Float64s()...)
			if first == nil {
				first = got
			}
			wantSameBits(t, s, got, first)
		}
	}
}

// A graph is represented the same alone and among others.
func TestGraphsAreIndependent(t *testing.T) {
	for _, s := range settings(t) {
		b, fresh := batch(t, molecules(40, 11, s.content)), batch(t, molecules(10, 12, s.content))
		m := fit(t, enginetest.Open(t, 1), b, s.Options)
		whole := transform(t, m, fresh)
		for g := range fresh.NumGraphs() {
			alone := transform(t, m, fresh.Slice(g, g+1))
			want := crosses(t, whole.Select([]int{g}), m.train)
			if err := closeTo(crosses(t, alone, m.train), want, 1e-13); err != nil {
				t.Errorf("%s: graph %d: %v", s, g, err)
			}
		}
	}
}

// With R-convolution between graphs the kernel is additive over disjoint unions.
func TestSumOverDisjointUnion(t *testing.T) {
	for _, s := range settings(t) {
		if s.Variant.assignsGraphs() || s.Normalise {
			continue
		}
		graphs := molecules(12, 13, s.content)
		m := fit(t, enginetest.Open(t, 1), batch(t, graphs), s.Options)
		union := graph.Graph{AttributeDim: graphs[0].AttributeDim}
		for _, g := range graphs {
			for i := range g.Arcs.From {
				union.AddArc(g.Arcs.From[i]+int32(union.NumVertices), g.Arcs.To[i]+int32(union.NumVertices))
			}
			union.NumVertices += g.NumVertices
			union.Labels, union.Attributes = append(union.Labels, g.Labels...), append(union.Attributes, g.Attributes...)
		}
		got := crosses(t, transform(t, m, batch(t, []graph.Graph{union})), m.train)
		want := make([]float64, len(got))
		for i, v := range grams(t, m) {
			n := len(graphs)
			want[i/(n*n)*n+i%n] += v
		}
		if err := closeTo(got, want, 1e-12); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// A graph in the data twice has the same kernel values twice.
func TestDuplicatedGraphsAgree(t *testing.T) {
	for _, s := range settings(t) {
		graphs := molecules(20, 14, s.content)
		b := batch(t, append(graphs, graphs...))
		k, err := fit(t, enginetest.Open(t, 1), b, s.Options).Gram(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		x, n := k.Float64s(), b.NumGraphs()
		for i := range n / 2 {
			for j := range n {
				if d := math.Abs(x[i*n+j] - x[(i+n/2)*n+j]); d > 1e-12*(1+math.Abs(x[i*n+j])) {
					t.Fatalf("%s: copies of graph %d have %v and %v with graph %d", s, i, x[i*n+j], x[(i+n/2)*n+j], j)
				}
			}
		}
	}
}

// What a graph has in common with the fitted ones are the same bits whatever number of graphs is asked about.
func TestCrossIsOfEachGraphAlone(t *testing.T) {
	for _, s := range settings(t) {
		m := fit(t, enginetest.Open(t, 1), batch(t, molecules(30, 9, s.content)), s.Options)
		g := transform(t, m, batch(t, molecules(50, 10, s.content)))
		all := crosses(t, g, m.train)
		for n := 1; n < g.Len(); n++ {
			few := make([]int, n)
			for i := range few {
				few[i] = i
			}
			got := crosses(t, g.Select(few), m.train)
			for level := range s.Iterations {
				at, of := level*n*30, level*g.Len()*30
				wantSameBits(t, s, got[at:at+n*30], all[of:of+n*30])
			}
		}
	}
}
