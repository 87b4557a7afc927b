package wl

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/split"
)

// goldenHierarchy is a file with the occurrences of nodes in objects and exact solutions of EasyMKL on the kernels of
// the nodes, or of groups of them.
type goldenHierarchy struct {
	NumTrain   int `json:"n_train"`
	Rounds     int `json:"h"`
	Labels     []float64
	Graphs     []goldenGraph
	NodeIDs    [][2]int  `json:"node_ids"`
	Histograms [][]int32 `json:"node_histograms"`
	KMeans     *struct {
		K          int
		Start      []int `json:"initial_centre_nodes"`
		Assignment []int32
		Centres    [][]float64
		Inertia    []float64 `json:"inertia_per_iteration"`
	}
	Train     [][][]float64 `json:"kernels_train"`
	Solutions map[string][]struct {
		Lam        float64
		Degenerate bool
		Gamma      []float64
		Margins    []float64 `json:"margin_contribution"`
		EtaSum     []float64 `json:"eta_sum1"`
		EtaL2      []float64 `json:"eta_l2"`
		Bias       float64
		Decision   []float64 `json:"decision_train"`
	}
}

// hierarchy returns the tree of the nodes of the file over its training objects.
func (g *goldenHierarchy) hierarchy() *hierarchy {
	x := &index{ptr: []int32{0}}
	for _, counts := range g.Histograms {
		for i, count := range counts {
			if count > 0 {
				x.entries = append(x.entries, posting{int32(i), count})
			}
		}
		x.ptr = append(x.ptr, int32(len(x.entries)))
	}
	return newHierarchy([]*index{x}, split.All(g.NumTrain), len(g.Labels), 2)
}

// TestGoldenHierarchy learns the weights of nodes and of groups without making their kernels.
func TestGoldenHierarchy(t *testing.T) {
	testfiles.Golden(t, "", testfiles.WithFields("node_histograms", "kernels_train", "solutions"),
		func(t *testing.T, raw []byte) {
			g := testfiles.Decode[goldenHierarchy](t, raw)
			tree := g.hierarchy()
			if g.Graphs != nil {
				g.checkOccurrences(t)
			}
			if g.KMeans != nil {
				g.checkGrouping(t, tree)
			}
			g.checkKernels(t, tree)
			for scaling, solutions := range g.Solutions {
				for _, want := range solutions {
					if want.Degenerate {
						continue
					}
					opt := mkl.Options{Lambda: want.Lam, Norm: mkl.SumOne, Tolerance: 1e-12, Scale: scaling == "mean_diagonal_one"}
					what := fmt.Sprintf("%s, lambda %g: ", scaling, want.Lam)
					labels := g.Labels[:g.NumTrain]
					s, err := mkl.Solve(context.Background(), tree, labels, opt)
					if err != nil {
						t.Fatal(err)
					}
					if want.Lam > 0 {
						near(t, what+"gamma", s.Gamma, want.Gamma, 1e-6)
					}
					near(t, what+"margins", s.Margins, want.Margins, 1e-6)
					near(t, what+"weights of sum 1", s.Weights, want.EtaSum, 1e-6)
					near(t, what+"bias", []float64{s.Bias}, []float64{want.Bias}, 1e-6)
					near(t, what+"decision values", decisions(tree, s, labels), want.Decision, 1e-6)
					opt.Norm = mkl.L2One
					if s, err = mkl.Solve(context.Background(), tree, labels, opt); err != nil {
						t.Fatal(err)
					}
					near(t, what+"weights of 2-norm 1", s.Weights, want.EtaL2, 1e-6)
				}
			}
		})
}

// checkOccurrences holds our own colours against the nodes of the file: the same vectors of occurrences, in each round.
func (g *goldenHierarchy) checkOccurrences(t *testing.T) {
	b := goldenBatch(t, g.Graphs)
	r := newRefinement(b, Options{Kernel: Assignment, Iterations: g.Rounds, Follow: FollowOut})
	c, err := r.fit(context.Background(), b, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for round, h := range c.histograms() {
		x := h.invert()
		for colour := range int32(h.columns) {
			counts := make([]int32, len(g.Labels))
			for _, p := range x.of(colour) {
				counts[p.graph] = p.count
			}
			have[fmt.Sprint(round, counts)]++
		}
	}
	for k, id := range g.NodeIDs {
		key := fmt.Sprint(id[0], g.Histograms[k])
		if have[key]--; have[key] < 0 {
			t.Fatalf("no colour of round %d occurs as node %d does", id[0], k)
		}
	}
}

// decisions returns what the machine of EasyMKL's own gamma says of the objects.
func decisions(f mkl.Family, s *mkl.Solution, labels []float64) []float64 {
	out, z := make([]float64, f.Objects()), make([]float64, f.Objects())
	for i, y := range labels {
		z[i] = y * s.Gamma[i]
	}
	f.Sum(s.Combined())(out, z)
	for i := range out {
		out[i] -= s.Bias
	}
	return out
}

func (g *goldenHierarchy) checkGrouping(t *testing.T, tree *hierarchy) {
	want, e := g.KMeans, enginetest.Open(t, 2)
	k := newGrouping(tree, want.K)
	number := make([]int32, len(tree.nodes)) // of the point of each shape
	for i, s := range k.shapes {
		number[s] = int32(i)
	}
	cluster, weight := make([]int32, len(k.shapes)), slices.Clone(k.vectors.Weights)
	var start []int32
	inertia := 0.0
	for _, node := range want.Start {
		start = append(start, number[tree.shape[node]])
		k.join(start, weight, cluster)
	}
	for _, w := range weight {
		inertia += w
	}
	got := []float64{inertia}
	for at := cluster; len(got) < len(want.Inertia); {
		next, before, err := nystrom.Lloyd(t.Context(), e, k, at, nystrom.LloydOptions{Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, at) {
			t.Fatal("one iteration starts elsewhere")
		}
		got, at = append(got, k.inertia(next)), next
	}
	near(t, "inertia", got, want.Inertia, 1e-9)

	cluster, err := k.run(t.Context(), e, cluster)
	if err != nil {
		t.Fatal(err)
	}
	k.share(cluster)
	for node, s := range tree.shape {
		if tree.group[s] != want.Assignment[node] {
			t.Fatalf("node %d is in cluster %d, want %d", node, tree.group[s], want.Assignment[node])
		}
	}
	for c, centre := range want.Centres {
		got := make([]float64, tree.objects)
		for o := range got {
			got[o] = k.means.Table[c/nystrom.Lanes*tree.objects+o][c%nystrom.Lanes]
		}
		near(t, fmt.Sprintf("centre %d", c), got, centre, 1e-9)
	}
}

// inertia is the sum of the squared distances of all nodes to the means of their clusters.
func (g *grouping) inertia(cluster []int32) float64 {
	sum, score := 0.0, make([]float64, len(g.means.Offset))
	for i, c := range cluster {
		dense, objects, counts := g.vectors.Row(i)
		g.means.Score(score, dense, objects, counts)
		sum += g.vectors.Weights[i] * max(g.vectors.Squares[i]-2*score[c], 0)
	}
	return sum
}

// checkKernels holds the implicit kernels against the matrices of the file.
func (g *goldenHierarchy) checkKernels(t *testing.T, tree *hierarchy) {
	unit, column := make([]float64, g.NumTrain), make([]float64, g.NumTrain)
	for m, k := range g.Train {
		weights := make([]float64, len(g.Train))
		weights[m] = 1
		for j := range unit {
			clear(unit)
			unit[j] = 1
			tree.Sum(weights)(column, unit)
			near(t, fmt.Sprintf("kernel %d, column %d", m, j), column, k[j], 1e-12)
		}
	}
}

// near wants every number within the tolerance, absolute below 1 and relative above.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*max(1, math.Abs(w))) {
			t.Errorf("%s: number %d is %.12g, want %.12g", what, i, got[i], w)
			return
		}
	}
}
