package mpgk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// content is what the vertices of random graphs show.
type content int

const (
	labelled content = iota
	attributed
	bare
)

func (c content) String() string { return [...]string{"labels", "attributes", "degrees"}[c] }

// molecules returns small random graphs: a tree with a few extra edges, isolated vertices too.
func molecules(n int, seed uint64, c content) []graph.Graph {
	rng := rand.New(rand.NewPCG(seed, 0))
	graphs := make([]graph.Graph, n)
	for i := range graphs {
		g := &graphs[i]
		g.NumVertices = 1 + rng.IntN(14)
		for v := 1; v < g.NumVertices; v++ {
			if rng.Float64() < 0.93 {
				g.AddArc(int32(v), rng.Int32N(int32(v)))
			}
			if rng.Float64() < 0.2 {
				g.AddArc(int32(v), rng.Int32N(int32(v)))
			}
		}
		for range g.NumVertices {
			switch c {
			case labelled:
				g.Labels = append(g.Labels, rng.Int32N(4))
			case attributed:
				g.AttributeDim = 2
				g.Attributes = append(g.Attributes, rng.NormFloat64(), float64(rng.IntN(3)))
			}
		}
	}
	if c == labelled {
		graphs[0].Labels[0] = 3 // every batch has four labels
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

func fit(t *testing.T, e engine.Engine, b *graph.Batch, opt Options) *Model {
	t.Helper()
	m, err := Fit(t.Context(), e, b, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// setting is a kernel on a kind of input.
type setting struct {
	Options
	content
}

func (s setting) String() string {
	return fmt.Sprintf("%s on %s, %d landmarks, %s weights, sum %v, normalised %v",
		s.Variant, s.content, s.Landmarks, s.Weights, s.SumIterations, s.Normalise)
}

// settings returns every variant on every kind of input, exact and approximated, with the other options mixed in.
func settings(t *testing.T) []setting {
	t.Helper()
	var all []setting
	for i, name := range Variants() {
		for c := labelled; c <= bare; c++ {
			for _, landmarks := range []int{0, 12} {
				opt, err := Preset(name)
				if err != nil {
					t.Fatal(err)
				}
				opt.Iterations, opt.Depth, opt.Branching, opt.Landmarks = 3, 4, 3, landmarks
				if (i+int(c))%2 == 1 {
					opt.Weights, opt.SumIterations = PublishedWeights, true
				}
				opt.Normalise = int(c) == i%3
				all = append(all, setting{opt, c})
			}
		}
	}
	return all
}

// grams returns the kernel matrices of a model for all numbers of iterations, one after another.
func grams(t *testing.T, m *Model) []float64 {
	t.Helper()
	var out []float64
	err := m.EachGram(t.Context(), nil, func(_ int, k *tensor.Dense) error {
		out = append(out, k.Float64s()...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// crosses returns the kernels of g with other likewise.
func crosses(t *testing.T, g, other *Graphs) []float64 {
	t.Helper()
	var out []float64
	for i := 1; i <= g.opt.Iterations; i++ {
		k, err := g.Cross(other, i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k.Float64s()...)
	}
	return out
}

func transform(t *testing.T, m *Model, b *graph.Batch) *Graphs {
	t.Helper()
	g, err := m.Transform(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func wantSameBits(t *testing.T, what fmt.Stringer, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// With all vertices as landmarks the approximation is exact.
func TestNystromWithAllLandmarksIsExact(t *testing.T) {
	for _, s := range settings(t) {
		if s.Landmarks == 0 || s.Variant.assignsNeighbours() || s.Variant.assignsGraphs() {
			continue // hierarchies may differ where the features do by rounding
		}
		b := batch(t, molecules(25, 4, s.content))
		all, exact := s.Options, s.Options
		all.Landmarks, exact.Landmarks = 1000, 0
		e := enginetest.Open(t, 1)
		if err := closeTo(grams(t, fit(t, e, b, all)), grams(t, fit(t, e, b, exact)), 1e-9); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestStructurallyEquivalentVerticesCoincide(t *testing.T) {
	ring := graph.Graph{NumVertices: 9}
	for v := range int32(9) {
		ring.AddArc(v, (v+1)%9)
	}
	tail := graph.Graph{NumVertices: 4, Arcs: graph.ArcList{From: []int32{0, 0, 0}, To: []int32{1, 2, 3}}}
	b := batch(t, []graph.Graph{ring, tail})
	for _, name := range Variants() {
		for _, landmarks := range []int{0, 5} {
			opt, err := Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			opt.Landmarks = landmarks
			x, err := EmbedVertices(t.Context(), enginetest.Open(t, 1), b, opt, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			row := func(v int) string { return fmt.Sprint(x.Float64s()[3*v : 3*v+3]) }
			for v := range 9 {
				if row(v) != row(0) {
					t.Errorf("%s: vertex %d of the ring is at %s, vertex 0 at %s", name, v, row(v), row(0))
				}
			}
			if row(10) != row(11) || row(10) != row(12) || row(9) == row(10) || row(0) == row(10) {
				t.Errorf("%s: star at %s %s %s %s", name, row(9), row(10), row(11), row(12))
			}
		}
	}
}

// Members are left alone only where they would stay: k-means ends where it ends one plain iteration after another.
func TestSettledKMeansIsPlainKMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, s := range settings(t) {
		b := batch(t, molecules(150, 15, s.content))
		m := fit(t, enginetest.Open(t, 1), b, s.Options)
		for _, f := range m.fitted {
			if f.hierarchy == nil {
				continue
			}
			members := make([]int32, f.points.len())
			for i := range members {
				members[i] = int32(i)
			}
			for k := 2; k < 7; k++ {
				start := make([]int32, len(members))
				for i := range start {
					start[i] = rng.Int32N(int32(k))
				}
				split := newSplit(f.points, members, k, newWorkspace(len(f.points.counts.weight)))
				got, means := lloyd(t, split, start, 1000)
				want, _ := lloyd(t, split, start, 1)
				for before := start; !slices.Equal(before, want); {
					before = want
					want, _ = lloyd(t, split, want, 1)
				}
				if !slices.Equal(got, want) || !slices.Equal(means, want) {
					t.Fatalf("%s: %d clusters of %d points differ", s, k, len(members))
				}
			}
		}
	}
}

// Hierarchies over enough points for a device to score them are those of the host.
func TestHierarchiesAreTheSameOnADevice(t *testing.T) {
	opt, err := Preset("mpgk-aa")
	if err != nil {
		t.Fatal(err)
	}
	opt.Iterations = 3
	for c := labelled; c <= attributed; c++ {
		m := fit(t, engine.NewCPU(2), batch(t, molecules(1200, 11, c)), opt)
		f := &m.fitted[3]
		rough := enginetest.NewRough(2)
		for _, e := range []engine.Engine{rough, enginetest.Open(t, 2)} {
			h, err := grow(t.Context(), e, f.points, &opt, opt.seed(drawHierarchy, 3))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(h.parent, f.hierarchy.parent) || !slices.Equal(h.leaf, f.hierarchy.leaf) {
				t.Errorf("%s: %v grows another hierarchy", c, e)
			}
		}
		if rough.Products.Load() == 0 {
			t.Errorf("%s: nothing was left to the device: the test shows nothing", c)
		}
	}
}
