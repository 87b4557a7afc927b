package wl

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"gorgonia.org/tensor"
)

// goldenRefinement is a file with the colours of every round and both kernels for every h, all integers.
type goldenRefinement struct {
	Used       string `json:"node_labels_used"`
	Graphs     []goldenGraph
	Rounds     int           `json:"h_max"`
	Colours    [][][]int32   `json:"colours"`
	NumClasses []int         `json:"num_classes"`
	Parent     [][]int32     `json:"class_parent"`
	Subtree    [][][]float64 `json:"wl_subtree"`
	Assignment [][][]float64 `json:"wl_oa"`
}

type goldenGraph struct {
	N      int
	Edges  [][2]int32
	Labels []int32
}

func (g goldenGraph) graph() graph.Graph {
	out := graph.Graph{NumVertices: g.N, Labels: g.Labels}
	for _, e := range g.Edges {
		out.AddArc(e[0], e[1])
	}
	return out
}

func goldenBatch(t *testing.T, graphs []goldenGraph) *graph.Batch {
	t.Helper()
	var all []graph.Graph
	for _, g := range graphs {
		all = append(all, g.graph())
	}
	b, err := graph.NewBatch(all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGolden(t *testing.T) {
	testfiles.Golden(t, "", testfiles.WithFields("colours", "wl_subtree", "wl_oa"), func(t *testing.T, raw []byte) {
		g := testfiles.Decode[goldenRefinement](t, raw)
		g.checkColours(t)
		for kernel, want := range map[Kernel][][][]float64{Subtree: g.Subtree, Assignment: g.Assignment} {
			for _, e := range []engine.Engine{engine.Reference{}, enginetest.Open(t, 1), enginetest.Open(t, 3)} {
				g.checkKernel(t, e, kernel, want)
			}
		}
	})
}

func (g *goldenRefinement) options(kernel Kernel) Options {
	return Options{Kernel: kernel, Iterations: g.Rounds, Uniform: g.Used == "uniform", Follow: FollowOut}
}

func (g *goldenRefinement) checkColours(t *testing.T) {
	b := goldenBatch(t, g.Graphs)
	m, err := Fit(context.Background(), enginetest.Open(t, 1), b, g.options(Subtree), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.NumColours(); !slices.Equal(got, g.NumClasses) {
		t.Fatalf("%v colours, want %v", got, g.NumClasses)
	}
	c, err := m.Colours(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range g.Colours {
		if flat := slices.Concat(want...); !slices.Equal(c.Of[round], flat) {
			t.Errorf("round %d: colours %v, want %v", round, c.Of[round], flat)
		}
		if round == 0 {
			continue
		}
		for colour, parent := range g.Parent[round-1] {
			if got := int32(m.refinement.rounds[round].signature(colour)[0]); got != parent {
				t.Errorf("round %d: the parent of colour %d is %d, want %d", round, colour, got, parent)
			}
		}
	}
}

func (g *goldenRefinement) checkKernel(t *testing.T, e engine.Engine, kernel Kernel, want [][][]float64) {
	ctx, b := context.Background(), goldenBatch(t, g.Graphs)
	opt := g.options(kernel)
	m, err := Fit(ctx, e, b, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = m.EachGram(ctx, nil, func(h int, k *tensor.Dense) error {
		same(t, fmt.Sprintf("%s, %v: h = %d of one pass", kernel, e, h), k, want[h])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for h := range want {
		opt.Iterations = h
		m, err := Fit(ctx, e, b, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Gram(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("%s, %v: h = %d", kernel, e, h), k, want[h])
		if k, err = m.Cross(ctx, b, nil); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("%s, %v: h = %d, as new graphs", kernel, e, h), k, want[h])
	}
}

// same wants equal integers.
func same(t *testing.T, what string, k *tensor.Dense, want [][]float64) {
	t.Helper()
	if flat := slices.Concat(want...); !slices.Equal(k.Float64s(), flat) {
		t.Errorf("%s: %v, want %v", what, k.Float64s(), flat)
	}
}
