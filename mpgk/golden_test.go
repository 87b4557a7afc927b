package mpgk

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

// goldenFile holds every field that a file of golden values may have; what it is about is told by which it has.
type goldenFile struct {
	Base         string `json:"base_kernel"`
	Alpha, Beta  float64
	Iterations   int
	VertexOffset []int32 `json:"vertex_offset"`
	Graphs       []goldenGraph

	VertexKernel  [][][]float64 `json:"vertex_kernel"`
	GraphKernelRR [][][]float64 `json:"graph_kernel_rr"`

	Trees      []goldenTree
	TreeFinalA *goldenTree `json:"tree_final_a"`
	TreeFinalR *goldenTree `json:"tree_final_r"`
	Tree       *goldenTree
	Results    map[Weights]goldenAssignment

	VertexKernelFinal [][]float64 `json:"vertex_kernel_final"`
	VertexKernelTrace []float64   `json:"vertex_kernel_trace"`
	Eigenvalues       []float64   `json:"centred_eigenvalues_top4"`
	KPCA              [][]float64
	Orbit             []int

	Problems []goldenProblem
}

type goldenGraph struct {
	N          int
	Edges      [][2]int32
	Labels     []int32
	Attributes [][]float64
}

type goldenTree struct {
	Parent       []int32
	Depth        []int32
	LeafOfVertex []int32 `json:"leaf_of_vertex"`
}

type goldenAssignment struct {
	Omega         json.RawMessage // of every tree, or of the only one
	OmegaFinalA   []float64       `json:"omega_final_a"`
	OmegaFinalR   []float64       `json:"omega_final_r"`
	StrongKernel0 [][]float64     `json:"strong_kernel_t0"`
	VertexKernelA [][][]float64   `json:"vertex_kernel_a"`
	GraphKernelAR [][]float64     `json:"graph_kernel_ar"`
	GraphKernelAA [][]float64     `json:"graph_kernel_aa"`
	GraphKernelRA [][]float64     `json:"graph_kernel_ra"`
	GraphKernelA  [][]float64     `json:"graph_kernel_a"`
}

type goldenProblem struct {
	Kernel [][]float64
	Runs   []struct {
		K          int
		Initial    []int32   `json:"initial_assignment"`
		Assignment []int32   `json:"assignment"`
		Objective  []float64 `json:"objective_per_iteration"`
	}
	Landmarks []int32
	Rank      int `json:"landmark_block_rank"`
	Features  [][]float64
	Approx    [][]float64 `json:"approx_kernel"`
	Floored   [][]float64 `json:"approx_kernel_floor_1e12"`
}

// goldenTolerance is relative to the largest entry of a matrix.
const goldenTolerance = 1e-12

// eachGolden runs a subtest for every file that is about what the test covers, and wants there to be one.
func eachGolden(t *testing.T, covered func(g *goldenFile) bool, test func(t *testing.T, g *goldenFile)) {
	testfiles.Golden(t, "mpgk", func(raw []byte) bool {
		g := &goldenFile{}
		return json.Unmarshal(raw, g) == nil && covered(g)
	}, func(t *testing.T, raw []byte) { test(t, testfiles.Decode[goldenFile](t, raw)) })
}

// every file is about something that a test covers.
func TestGoldenFilesAreAllCovered(t *testing.T) {
	eachGolden(t, func(*goldenFile) bool { return true }, func(t *testing.T, g *goldenFile) {
		if !g.convolves() && !g.assigns() && !g.intersects() && !g.clusters() && !g.approximates() && !g.embeds() {
			t.Error("no test covers this file")
		}
	})
}

func (g *goldenFile) convolves() bool  { return g.GraphKernelRR != nil || g.VertexKernel != nil }
func (g *goldenFile) assigns() bool    { return g.Trees != nil }
func (g *goldenFile) intersects() bool { return g.Tree != nil }
func (g *goldenFile) embeds() bool     { return g.KPCA != nil }

func (g *goldenFile) clusters() bool {
	return len(g.Problems) > 0 && g.Problems[0].Runs != nil
}

func (g *goldenFile) approximates() bool {
	return len(g.Problems) > 0 && g.Problems[0].Landmarks != nil
}

// batch returns the graphs with what their base kernel compares.
func (g *goldenFile) batch(t *testing.T) *graph.Batch {
	t.Helper()
	var graphs []graph.Graph
	for _, in := range g.Graphs {
		one := graph.Graph{NumVertices: in.N}
		for _, e := range in.Edges {
			one.AddArc(e[0], e[1])
		}
		switch g.Base {
		case "delta":
			one.Labels = in.Labels
		case "linear":
			one.AttributeDim = len(in.Attributes[0])
			for _, a := range in.Attributes {
				one.Attributes = append(one.Attributes, a...)
			}
		case "degree":
		default:
			t.Fatalf("base kernel %q", g.Base)
		}
		graphs = append(graphs, one)
	}
	return batch(t, graphs)
}

func (g *goldenFile) options(v Variant) Options {
	return Options{
		Variant: v, Iterations: g.Iterations, Alpha: g.Alpha, Beta: g.Beta,
		Branching: 4, Depth: 8, Weights: PaperWeights,
	}
}

// vertexKernel returns the kernel between the vertices of a batch.
func vertexKernel(t *testing.T, s *state) [][]float64 {
	t.Helper()
	x, err := kernel(engine.NewCPU(1), &s.points, &s.points)
	if err != nil {
		t.Fatal(err)
	}
	n := s.len()
	out := make([][]float64, len(s.class))
	for u, a := range s.class {
		for _, b := range s.class {
			out[u] = append(out[u], x[int(a)*n+int(b)])
		}
	}
	return out
}

func flat(rows [][]float64) []float64 {
	var out []float64
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

// closeTo wants the largest difference to be at most tolerance times the largest magnitude wanted.
func closeTo(got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tolerance*largest) {
			return fmt.Errorf("number %d is %.17g, want %.17g (difference %.2g of the largest)", i, got[i], w, d/largest)
		}
	}
	return nil
}
