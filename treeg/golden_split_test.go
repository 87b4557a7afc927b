package treeg

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
)

// goldenSplit is a split function as the files write it.
type goldenSplit struct {
	K       int
	D       int
	Walk    Walk
	Agg     *Aggregation
	Pointer int
	Rho     *string
	Theta   float64
}

func (s *goldenSplit) split() Split {
	out := Split{Feature: s.K, Length: s.D, Arcs: Arcs{Type: AllArcs}, Walk: s.Walk, Pointer: s.Pointer, Threshold: s.Theta}
	if s.Agg != nil {
		out.Aggregation = *s.Agg
	}
	out.Above = s.Rho != nil && *s.Rho == "+"
	return out
}

// goldenGraph has labels, which are one-hot features, or features.
type goldenGraph struct {
	N        int
	Edges    [][2]int
	Labels   []int `json:"vertex_label"`
	Features [][]float64
}

func (g *goldenGraph) dense(features int) dense {
	a := make([][]float64, g.N)
	for i := range a {
		a[i] = make([]float64, g.N)
	}
	for _, e := range g.Edges {
		a[e[0]][e[1]], a[e[1]][e[0]] = 1, 1
	}
	out := dense{n: g.N, matrices: map[Arcs][][]float64{{Type: AllArcs}: a}, features: g.Features}
	for _, label := range g.Labels {
		f := make([]float64, features)
		f[label] = 1
		out.features = append(out.features, f)
	}
	return out
}

// goldenResult is the outcome of a search.
type goldenResult struct {
	Best    []goldenTuple
	Gain    float64   `json:"best_gain"`
	Useless bool      `json:"no_useful_split"`
	Number  int       `json:"n_candidates"`
	Gains   []float64 `json:"top_distinct_gains"`

	HasEmpty bool          `json:"has_empty_subset"`
	Result   *goldenResult `json:"result"`
	Formula  *goldenResult `json:"result_empty_formula"`
	Zero     *goldenResult `json:"result_empty_zero"`
	Sentinel *goldenResult `json:"result_empty_sentinel"`
}

// of returns the result for a convention of empty subsets.
func (r *goldenResult) of(empty Empty) *goldenResult {
	switch {
	case r.Result != nil:
		return r.Result
	case r.Formula == nil:
		return r
	case empty == EmptyZero:
		return r.Zero
	case empty == EmptySentinel:
		return r.Sentinel
	}
	return r.Formula
}

// goldenTuple is [k, d, walk, agg, pointer, rho, theta, n_gt].
type goldenTuple struct {
	Split
	above int
}

func (t *goldenTuple) UnmarshalJSON(raw []byte) error {
	var s goldenSplit
	return unmarshalTuple(raw, &s.K, &s.D, &s.Walk, &s.Agg, &s.Pointer, &s.Rho, &s.Theta, &t.above, func() { t.Split = s.split() })
}

// unmarshalTuple reads the elements of an array, the last of parts being called at the end.
func unmarshalTuple(raw []byte, parts ...any) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return err
	}
	if len(elements) < len(parts)-1 {
		return fmt.Errorf("%d elements, want %d", len(elements), len(parts)-1)
	}
	for i, part := range parts[:len(parts)-1] {
		if err := json.Unmarshal(elements[i], part); err != nil {
			return err
		}
	}
	parts[len(parts)-1].(func())()
	return nil
}

type goldenChild map[string]json.RawMessage

// goldenBest is a file of kind best_split_graph or best_split_vertex.
type goldenBest struct {
	Kind     string
	D        []int
	Walks    []Walk `json:"walk_types"`
	Features int    `json:"n_features"`
	Graphs   []goldenGraph
	Graph    *goldenGraph
	Train    []int32 `json:"train_vertices"`
	Y        []float64
	First    goldenResult `json:"first_split"`
	Second   []struct {
		Root goldenSplit `json:"root_split"`
		Gain float64     `json:"root_gain"`
		goldenParts
		Children map[string]goldenChild
		Third    *struct {
			Path  string
			Split goldenSplit `json:"child_split"`
			goldenParts
			Grandchildren map[string]goldenChild
		} `json:"third_level"`
	} `json:"second_level"`
}

// goldenParts are what a split does to the examples and the vertices; the form of the subsets varies.
type goldenParts struct {
	LTEGraphs   []int32         `json:"lte_graphs"`
	GTGraphs    []int32         `json:"gt_graphs"`
	LTEVertices []int32         `json:"lte_vertices"`
	GTVertices  []int32         `json:"gt_vertices"`
	Plus        json.RawMessage `json:"subset_plus"`
	Minus       json.RawMessage `json:"subset_minus"`
}

// subsets reads the subsets of graphs: a list, an object by number of the graph, or one subset.
func subsets(t *testing.T, raw json.RawMessage) map[int][]int32 {
	out := map[int][]int32{}
	var list [][]int32
	var object map[string][]int32
	var one []int32
	switch {
	case json.Unmarshal(raw, &one) == nil && len(one) > 0:
		out[0] = one
	case json.Unmarshal(raw, &list) == nil:
		for g, s := range list {
			out[g] = s
		}
	case json.Unmarshal(raw, &object) == nil:
		for g, s := range object {
			i, err := strconv.Atoi(g)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = s
		}
	default:
		t.Fatalf("subsets %s", raw)
	}
	return out
}

// harness grows a tree split by split.
type harness struct {
	t    *testing.T
	opt  Options
	g    *grower
	root *node
}

func newHarness(t *testing.T, d *Data, opt Options, examples []int32, y []float64) *harness {
	d.hold()
	t.Cleanup(d.letGo)
	h := &harness{t: t, opt: opt}
	h.opt.Keep, h.opt.MinSplit = 1, 2
	h.g = newGrower(d, &h.opt)
	h.g.targets = d.targetsOf(examples, y, ones(len(y)))
	h.g.random = rand.New(rand.NewPCG(1, 1))
	h.root = &node{examples: examples}
	for _, w := range opt.Walks {
		h.root.walks[w] = true
	}
	return h
}

// search finds the best split of a node with pointers over at most the given distance. The operations of the engine
// must find the one that the host finds, and so must the search of one feature after another.
func (h *harness) search(n *node, distance int, empty Empty) candidate {
	h.opt.MaxDistance, h.opt.Empty, h.g.scratch = distance, empty, nil
	n.place(h.g.d)
	var found [3]candidate
	for i := range found {
		n.best, h.g.d.throughEngine, h.g.d.oneByOne = candidate{}, i == 1, i == 2
		if err := h.g.search(context.Background(), []*node{n}); err != nil {
			h.t.Fatal(err)
		}
		found[i] = n.best
	}
	h.g.d.oneByOne = false
	if found[0] != found[1] || found[0] != found[2] {
		h.t.Errorf("the host finds %+v, the engine %+v, one feature after another %+v", found[0], found[1], found[2])
	}
	return found[0]
}

// force splits a node by the given split.
func (h *harness) force(n *node, s Split, empty Empty) (lte, gt *node) {
	h.opt.MaxDistance, h.opt.Empty, h.g.scratch = 2, empty, nil
	h.opt.MaxLeaves = 0
	n.best = candidate{Split: s, gain: 1}
	n.place(h.g.d)
	h.g.split(n)
	return n.children[0], n.children[1]
}

// wants checks the outcome of a search against a result.
func (h *harness) wants(what string, n *node, distance int, empty Empty, want *goldenResult) {
	h.t.Helper()
	got := h.search(n, distance, empty)
	if want.Useless {
		if got.gain > 1e-9 {
			h.t.Errorf("%s: gain %g of %+v, want none", what, got.gain, got.Split)
		}
		return
	}
	if !near(got.gain, want.Gain, 1e-9) {
		h.t.Errorf("%s: gain %.17g, want %.17g", what, got.gain, want.Gain)
	}
	if got.gain == 0 {
		return
	}
	n.best = got
	lte, gt := h.force(n, got.Split, empty)
	if len(lte.examples)+len(gt.examples) != len(n.examples) {
		h.t.Errorf("%s: %d and %d examples of %d", what, len(lte.examples), len(gt.examples), len(n.examples))
	}
	for _, tuple := range want.Best {
		a, b := tuple.Split, got.Split
		a.Threshold, b.Threshold, a.MissingAbove, b.MissingAbove = 0, 0, false, false
		if b.Length == 0 {
			b.Arcs = a.Arcs
		}
		if a == b && near(got.Threshold, tuple.Threshold, 1e-9) && len(gt.examples) == tuple.above {
			return
		}
	}
	h.t.Errorf("%s: %+v with %d above is not among the %d best", what, got.Split, len(gt.examples), len(want.Best))
}

// parts checks what a forced split did.
func (h *harness) parts(what string, n, lte, gt *node, want *goldenParts) {
	h.t.Helper()
	if !slices.Equal(lte.examples, append(want.LTEGraphs, want.LTEVertices...)) || !slices.Equal(gt.examples, append(want.GTGraphs, want.GTVertices...)) {
		h.t.Errorf("%s: examples %v and %v", what, lte.examples, gt.examples)
	}
	for up, raw := range map[bool]json.RawMessage{true: want.Plus, false: want.Minus} {
		for g, s := range subsets(h.t, raw) {
			first, _ := h.g.d.batch.Vertices(g)
			got := slices.Clone(n.cut.subset(int32(g), first, up))
			for i := range got {
				got[i] -= first
			}
			if !slices.Equal(got, s) {
				h.t.Errorf("%s: graph %d: above %v: subset %v, want %v", what, g, up, got, s)
			}
		}
	}
}

func (h *harness) children(what string, n *node, c goldenChild) {
	for distance := range 3 {
		raw := c[fmt.Sprintf("a%d", distance)]
		if raw == nil {
			continue
		}
		var r goldenResult
		if err := json.Unmarshal(raw, &r); err != nil {
			h.t.Fatal(err)
		}
		for _, empty := range []Empty{EmptyFormula, EmptyZero, EmptySentinel} {
			h.wants(fmt.Sprintf("%s, a = %d, %s", what, distance, empty), n, distance, empty, r.of(empty))
		}
	}
}

func TestGoldenBestSplit(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenBest) {
		level := Graphs
		if g.Graph != nil {
			level, g.Graphs = Vertices, []goldenGraph{*g.Graph}
		}
		var graphs []dense
		for i := range g.Graphs {
			graphs = append(graphs, g.Graphs[i].dense(g.Features))
		}
		examples := g.Train
		if examples == nil {
			for i := range g.Y {
				examples = append(examples, int32(i))
			}
		}
		opt := Defaults(level, Single)
		opt.Constant, opt.MaxLength = false, slices.Max(g.D)
		b := batchOf(t, graphs, false)
		b.Directed = false
		d, err := Prepare(context.Background(), enginetest.Open(t, 2), b, opt)
		if err != nil {
			t.Fatal(err)
		}
		h := newHarness(t, d, opt, examples, g.Y)
		h.wants("first split", h.root, 0, EmptyFormula, &g.First)
		for _, s := range g.Second {
			lte, gt := h.force(h.root, s.Root.split(), EmptyFormula)
			h.parts("root", h.root, lte, gt, &s.goldenParts)
			if s.Third != nil {
				child := map[string]*node{"lte": lte, "gt": gt}[s.Third.Path]
				l, r := h.force(child, s.Third.Split.split(), EmptyFormula)
				h.parts("child", child, l, r, &s.Third.goldenParts)
				h.children("lte grandchild", l, s.Third.Grandchildren["lte"])
				h.children("gt grandchild", r, s.Third.Grandchildren["gt"])
			}
			h.children("lte child", lte, s.Children["lte"])
			h.children("gt child", gt, s.Children["gt"])
		}
	}, "best_split_graph", "best_split_vertex")
}
