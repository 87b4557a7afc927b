package mpgk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

// given puts every vertex at the leaf of a tree that is an input.
type given struct {
	leaf func(t int) []int32
}

func (g given) leaves(_ context.Context, t int, s *state) ([]int32, error) {
	leaf := make([]int32, s.len())
	for i := range leaf {
		leaf[i] = -1
	}
	for v, c := range s.class {
		l := g.leaf(t)[v]
		if leaf[c] >= 0 && leaf[c] != l {
			return nil, fmt.Errorf("vertices with equal features are at the leaves %d and %d", leaf[c], l)
		}
		leaf[c] = l
	}
	return leaf, nil
}

func (given) landmarks(int, *state) (*vertexMap, error) {
	return nil, errors.New("the kernel is exact")
}

func TestGoldenAssignment(t *testing.T) {
	eachGolden(t, (*goldenFile).assigns, func(t *testing.T, g *goldenFile) {
		b := g.batch(t)
		for weights, want := range g.Results {
			scheme := PaperWeights
			if weights == "reference" {
				scheme = PublishedWeights
			}
			var omegas [][]float64
			if err := json.Unmarshal(want.Omega, &omegas); err != nil {
				t.Fatal(err)
			}
			for _, v := range []Variant{AR, AA, RA} {
				trees, finals := append(append([]goldenTree{}, g.Trees...), *g.TreeFinalA), want.OmegaFinalA
				if v == RA {
					trees, finals = append(append([]goldenTree{}, g.Trees...), *g.TreeFinalR), want.OmegaFinalR
				}
				omegas := append(append([][]float64{}, omegas...), finals)
				m := &Model{opt: g.options(v), input: InputOf(b), engine: enginetest.Open(t, 2)}
				m.fitted = make([]iteration, g.Iterations+1)
				m.opt.Weights = scheme
				for i, tree := range trees {
					h := newHierarchy(tree.Parent)
					f := &m.fitted[i]
					f.hierarchy, f.omega = &fittedHierarchy{hierarchy: h}, h.omega(scheme)
					if err := closeTo(f.omega, omegas[i], goldenTolerance); err != nil {
						t.Fatalf("%s: omega of tree %d: %v", weights, i, err)
					}
				}
				by := given{leaf: func(i int) []int32 { return trees[i].LeafOfVertex }}
				err := m.propagate(t.Context(), b, by, nil, func(i int, s *state, leaf []int32) error {
					if v != RA && i > 0 {
						if err := closeTo(flat(vertexKernel(t, s)), flat(want.VertexKernelA[i-1]), goldenTolerance); err != nil {
							t.Errorf("%s %s: vertex kernel %d: %v", weights, v, i, err)
						}
					}
					if v == AR && i == 0 {
						checkStrong(t, m, s, leaf, want.StrongKernel0)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				graphs, err := m.represent(t.Context(), b, by, nil)
				if err != nil {
					t.Fatal(err)
				}
				k, err := graphs.Gram(g.Iterations)
				if err != nil {
					t.Fatal(err)
				}
				wanted := map[Variant][][]float64{AR: want.GraphKernelAR, AA: want.GraphKernelAA, RA: want.GraphKernelRA}[v]
				if err := closeTo(k.Float64s(), flat(wanted), goldenTolerance); err != nil {
					t.Errorf("%s: graph kernel %s: %v", weights, v, err)
				}
			}
		}
	})
}

// checkStrong compares single vertices by the assignment kernel.
func checkStrong(t *testing.T, m *Model, s *state, leaf []int32, want [][]float64) {
	t.Helper()
	single := *s.batch
	single.Offsets = make([]int32, s.batch.NumVertices()+1)
	for v := range single.Offsets {
		single.Offsets[v] = int32(v)
	}
	alone := *s
	alone.batch = &single
	level := newHistogramLevel(&alone, m.fitted[0].hierarchy.hierarchy, m.fitted[0].omega, leaf)
	k, err := level.cross(m.engine, level)
	if err != nil {
		t.Fatal(err)
	}
	if err := closeTo(k.Float64s(), flat(want), goldenTolerance); err != nil {
		t.Errorf("strong kernel: %v", err)
	}
}

func TestGoldenHistogramIntersection(t *testing.T) {
	eachGolden(t, (*goldenFile).intersects, func(t *testing.T, g *goldenFile) {
		h := newHierarchy(g.Tree.Parent)
		if fmt.Sprint(h.depth) != fmt.Sprint(g.Tree.Depth) {
			t.Errorf("depths %v, want %v", h.depth, g.Tree.Depth)
		}
		vertices := g.VertexOffset[len(g.VertexOffset)-1]
		s := &state{batch: graph.FromAdjacency(g.VertexOffset, make([][]int32, vertices))}
		for v := range vertices {
			s.class = append(s.class, v)
		}
		for weights, want := range g.Results {
			scheme := PaperWeights
			if weights == "reference" {
				scheme = PublishedWeights
			}
			var omega []float64
			if err := json.Unmarshal(want.Omega, &omega); err != nil {
				t.Fatal(err)
			}
			if err := closeTo(h.omega(scheme), omega, goldenTolerance); err != nil {
				t.Errorf("%s: omega: %v", weights, err)
			}
			level := newHistogramLevel(s, h, omega, g.Tree.LeafOfVertex)
			for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "cpu": enginetest.Open(t, 2)} {
				k, err := level.cross(e, level)
				if err != nil {
					t.Fatal(err)
				}
				if err := closeTo(k.Float64s(), flat(want.GraphKernelA), goldenTolerance); err != nil {
					t.Errorf("%s on %s: %v", weights, name, err)
				}
			}
		}
	})
}
