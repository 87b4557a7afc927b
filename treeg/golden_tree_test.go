package treeg

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// goldenNode is a node of a hand-specified tree.
type goldenNode struct {
	ID int32
	treegtest.GoldenSplit
	LTE   *int32
	GT    *int32
	Value *float64
}

func handTree(nodes []goldenNode) *Tree {
	t := &Tree{Nodes: make([]Node, len(nodes))}
	for _, n := range nodes {
		if n.Value != nil {
			t.Nodes[n.ID].Value = []float64{*n.Value}
			continue
		}
		s := n.Split()
		t.Nodes[n.ID] = Node{Split: &s, LTE: *n.LTE, GT: *n.GT}
	}
	return t
}

// goldenHand is a graph of a hand_tree file.
type goldenHand struct {
	N         int
	Directed  bool
	Adjacency [][]float64
	Features  [][]float64
	Edges     [][2]int32
	Trees     []struct {
		Path []struct {
			Node  int32
			Value float64
			Used  []int32 `json:"used_subset"`
			Plus  []int32 `json:"subset_plus"`
			Minus []int32 `json:"subset_minus"`
			Goes  string
		}
		Leaf       int32
		Prediction float64
		Counts     []int     `json:"vertex_counts"`
		Ranks      []float64 `json:"ranks_average"`
		EdgeCounts []int     `json:"edge_counts"`
	}
	Sum            float64   `json:"prediction_sum"`
	Importance     []float64 `json:"importance_tie_average"`
	EdgeImportance []float64 `json:"edge_importance_tie_average"`
	Nodes          []struct {
		Node     int32
		Arriving []int
		Used     []int32 `json:"used_subset"`
		Values   []float64
		Plus     []int32 `json:"subset_plus"`
		Minus    []int32 `json:"subset_minus"`
	}
	Leaf       []int32
	Prediction []float64
}

func (g *goldenHand) batch(t *testing.T) *graph.Batch {
	weighted := false
	for _, row := range g.Adjacency {
		for _, w := range row {
			weighted = weighted || w != 0 && w != 1
		}
	}
	b := treegtest.BatchOf(t, []treegtest.Dense{{N: g.N, Matrices: map[Arcs][][]float64{{Type: AllArcs}: g.Adjacency},
		Features: g.Features}}, weighted)
	b.Directed = g.Directed
	return b
}

// modelOf wraps trees as a model that adds up their leaves.
func modelOf(t *testing.T, level Level, b *graph.Batch, trees ...*Tree) *Model {
	opt := Defaults(level, Boosting)
	opt.Constant, opt.LearningRate = false, 1
	in, err := inputOf(b, &opt)
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{engine: treegtest.OpenCPU(t, 1), opt: opt, input: in, loss: Squared, start: []float64{0}}
	for _, tree := range trees {
		m.trees = append(m.trees, []*Tree{tree})
	}
	return m
}

func TestGoldenHandTreeGraph(t *testing.T) {
	type file struct {
		Trees  []struct{ Nodes []goldenNode }
		Graphs []goldenHand
	}
	treegtest.EachGolden(t, func(t *testing.T, f *file) {
		var trees []*Tree
		for _, tree := range f.Trees {
			trees = append(trees, handTree(tree.Nodes))
		}
		for i, g := range f.Graphs {
			b := g.batch(t)
			m := modelOf(t, Graphs, b, trees...)
			d, err := m.Prepare(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			g.paths(t, i, d.data, trees)
			scores, err := m.Scores(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			if !treegtest.Near(scores[0], g.Sum, 1e-12) {
				t.Errorf("graph %d: prediction %g, want %g", i, scores[0], g.Sum)
			}
			x := explanation(t, m, b, 0)
			for k, want := range g.Trees {
				got := x.Trees[k]
				if got.Leaf != want.Leaf || got.Value != want.Prediction || !slices.Equal(got.Counts, want.Counts) ||
					!slices.Equal(got.Ranks, want.Ranks) {
					t.Errorf("graph %d, tree %d: %+v, want %+v", i, k, got, want)
				}
				for e, edge := range g.Edges {
					if p := arcPosition(t, b, edge); got.ArcUses[p] != want.EdgeCounts[e] {
						t.Errorf("graph %d, tree %d: edge %v is used %d times, want %d", i, k, edge, got.ArcUses[p], want.EdgeCounts[e])
					}
				}
			}
			for v, want := range g.Importance {
				if !treegtest.Near(x.Vertices[v], want, 1e-12) {
					t.Errorf("graph %d: importance of vertex %d is %g, want %g", i, v, x.Vertices[v], want)
				}
			}
			for e, edge := range g.Edges {
				if got := x.Arcs[arcPosition(t, b, edge)]; !treegtest.Near(got, g.EdgeImportance[e], 1e-12) {
					t.Errorf("graph %d: importance of edge %v is %g, want %g", i, edge, got, g.EdgeImportance[e])
				}
			}
		}
	}, "hand_tree_graph")
}

// paths checks the nodes that a graph visits.
func (g *goldenHand) paths(t *testing.T, graph int, d *walks.Data, trees []*Tree) {
	for k, want := range g.Trees {
		at := 0
		leaf := predict.Follow(d, trees[k], EmptyFormula, 0, func(node int32, r *walks.Rule, subset []int32) {
			step := want.Path[at]
			at++
			all := r.Pointer == 0
			st := d.Segment(r.Feature, 0)
			var v []float64
			if st != nil {
				v = slices.Clone(walks.NewEvaluator(d, EmptyFormula).Vector(r, st, subset, all))
			}
			value := walks.NewEvaluator(d, EmptyFormula).OfGraph(r, st, v, subset, len(subset), all)
			up, down := r.CutInto(nil, nil, v, subset, 0)
			if node != step.Node || !treegtest.Near(value, step.Value, 1e-12) || !slices.Equal(subset, step.Used) ||
				!slices.Equal(up, step.Plus) || !slices.Equal(down, step.Minus) {
				t.Errorf("graph %d, tree %d: node %d, value %g, subset %v, cut %v %v, want %+v", graph, k, node, value, subset,
					up, down, step)
			}
		})
		if leaf != want.Leaf || at != len(want.Path) {
			t.Errorf("graph %d, tree %d: leaf %d after %d splits, want %d after %d", graph, k, leaf, at, want.Leaf,
				len(want.Path))
		}
	}
}

// arcPosition returns the position of an arc in Col.
func arcPosition(t *testing.T, b *graph.Batch, edge [2]int32) int {
	t.Helper()
	at, found := slices.BinarySearch(b.Neighbors(edge[0]), edge[1])
	if !found {
		t.Fatalf("no arc %v", edge)
	}
	return int(b.RowPtr[edge[0]]) + at
}

func TestGoldenHandTreeVertex(t *testing.T) {
	type file struct {
		Tree   struct{ Nodes []goldenNode }
		Graphs []goldenHand
	}
	treegtest.EachGolden(t, func(t *testing.T, f *file) {
		tree := handTree(f.Tree.Nodes)
		for i, g := range f.Graphs {
			b := g.batch(t)
			m := modelOf(t, Vertices, b, tree)
			leaves, err := m.Leaves(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := m.Scores(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(leaves, g.Leaf) || !slices.Equal(scores, g.Prediction) {
				t.Errorf("graph %d: leaves %v, predictions %v, want %v, %v", i, leaves, scores, g.Leaf, g.Prediction)
			}
			d, err := m.Prepare(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[int32]bool{}
			check := func(node int32, r *walks.Rule, subset []int32) {
				for _, want := range g.Nodes {
					if want.Node != node {
						continue
					}
					seen[node] = true
					v := make([]float64, g.N)
					if st := d.data.Segment(r.Feature, 0); st != nil {
						v = slices.Clone(walks.NewEvaluator(d.data, EmptyFormula).Vector(r, st, subset, r.Pointer == 0))
					}
					up, down := r.CutInto(nil, nil, v, subset, 0)
					if !slices.Equal(subset, want.Used) || !treegtest.NearAll(v, want.Values) || !slices.Equal(up, want.Plus) ||
						!slices.Equal(down, want.Minus) {
						t.Errorf("graph %d, node %d: subset %v, values %v, cut %v %v, want %+v", i, node, subset, v, up, down, want)
					}
				}
			}
			for v := range int32(g.N) {
				predict.Follow(d.data, tree, EmptyFormula, v, check)
			}
			visited := 0
			for _, n := range g.Nodes {
				if len(n.Arriving) > 0 {
					visited++
				}
			}
			if len(seen) != visited {
				t.Errorf("graph %d: %d nodes visited, want %d", i, len(seen), visited)
			}
		}
	}, "hand_tree_vertex")
}

func TestGoldenBoosting(t *testing.T) {
	type scheme struct {
		F0     []float64
		Rounds []struct {
			Gradient []float64 `json:"negative_gradient"`
			Leaves   []float64 `json:"leaf_values"`
			F        []float64
		}
		Probability []float64
		Loss        *float64 `json:"logloss"`
		MSE         *float64 `json:"mse"`
	}
	type file struct {
		Cases []struct {
			Class      []float64   `json:"y_class"`
			Regression []float64   `json:"y_regression"`
			Init       [][]int32   `json:"init_leaves"`
			Trees      [][][]int32 `json:"tree_leaves"`
			Rate       float64     `json:"learning_rate"`

			LogisticReference *scheme `json:"logistic_ref"`
			LogisticNewton    *scheme `json:"logistic_newton"`
			SquaredReference  *scheme `json:"squared_ref"`
		}
	}
	treegtest.EachGolden(t, func(t *testing.T, f *file) {
		for i, c := range f.Cases {
			for _, s := range []struct {
				name      string
				want      *scheme
				objective objective
				y         []float64
				reference bool
			}{
				{"logistic, reference", c.LogisticReference, Logistic.objective(2), c.Class, true},
				{"logistic, newton", c.LogisticNewton, Logistic.objective(2), c.Class, false},
				{"squared, reference", c.SquaredReference, Squared.objective(0), c.Regression, true},
			} {
				if s.want == nil {
					continue
				}
				// leafOf is the value of a leaf by its residuals.
				leafOf := func(step func(*engine.NodeSums) float64, residuals []float64, leaf []int32) float64 {
					of := engine.TreeTargets{Weights: slices.Repeat([]float64{1}, len(residuals)), Values: residuals}
					of.Centre()
					sums := of.Sums(leaf)
					return step(&sums)
				}
				scores := make([]float64, len(s.y))
				step := s.objective.step
				if s.reference {
					step = mean
					for _, leaf := range c.Init {
						for _, j := range leaf {
							scores[j] = leafOf(mean, s.y, leaf)
						}
					}
				} else {
					for j := range scores {
						scores[j] = s.objective.start(s.y)
					}
				}
				check := func(what string, got, want []float64) {
					t.Helper()
					for j := range want {
						if math.Abs(got[j]-want[j]) > 1e-12 {
							t.Errorf("case %d, %s, %s: %v, want %v", i, s.name, what, got, want)
							return
						}
					}
				}
				check("start", scores, s.want.F0)
				for r, round := range s.want.Rounds {
					residuals := make([]float64, len(s.y))
					for j := range residuals {
						residuals[j] = s.objective.Residual(s.y[j], scores[j:j+1], 0)
					}
					check("gradient", residuals, round.Gradient)
					var leaves []float64
					for _, leaf := range c.Trees[r] {
						leaves = append(leaves, leafOf(step, residuals, leaf))
						for _, j := range leaf {
							scores[j] += c.Rate * leaves[len(leaves)-1]
						}
					}
					check("leaves", leaves, round.Leaves)
					check("scores", scores, round.F)
				}
				loss := s.objective.Mean(s.y, scores, 1)
				if want := s.want.Loss; want != nil && math.Abs(loss-*want) > 1e-12 ||
					s.want.MSE != nil && math.Abs(loss-*s.want.MSE) > 1e-12 {
					t.Errorf("case %d, %s: loss %g", i, s.name, loss)
				}
				for j, p := range s.want.Probability {
					if math.Abs(sigmoid(scores[j])-p) > 1e-12 {
						t.Errorf("case %d, %s: probability %g, want %g", i, s.name, sigmoid(scores[j]), p)
					}
				}
			}
		}
	}, "gbt_arithmetic")
}
