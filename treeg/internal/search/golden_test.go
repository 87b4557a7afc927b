package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

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
func (r *goldenResult) of(empty walks.Empty) *goldenResult {
	switch {
	case r.Result != nil:
		return r.Result
	case r.Formula == nil:
		return r
	case empty == walks.EmptyZero:
		return r.Zero
	case empty == walks.EmptySentinel:
		return r.Sentinel
	}
	return r.Formula
}

// goldenTuple is [k, d, walk, agg, pointer, rho, theta, n_gt].
type goldenTuple struct {
	walks.Split
	above int
}

func (t *goldenTuple) UnmarshalJSON(raw []byte) error {
	var s treegtest.GoldenSplit
	return unmarshalTuple(raw, &s.K, &s.D, &s.Walk, &s.Agg, &s.Pointer, &s.Rho, &s.Theta, &t.above,
		func() { t.Split = s.Split() })
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
	Walks    []walks.Walk `json:"walk_types"`
	Features int          `json:"n_features"`
	Graphs   []treegtest.GoldenGraph
	Graph    *treegtest.GoldenGraph
	Train    []int32 `json:"train_vertices"`
	Y        []float64
	First    goldenResult `json:"first_split"`
	Second   []struct {
		Root treegtest.GoldenSplit `json:"root_split"`
		Gain float64               `json:"root_gain"`
		goldenParts
		Children map[string]goldenChild
		Third    *struct {
			Path  string
			Split treegtest.GoldenSplit `json:"child_split"`
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

// prepared returns a batch of attributes prepared for trees with walks over some arcs.
func prepared(t *testing.T, e engine.Engine, b *graph.Batch, level walks.Level, arcs []walks.Arcs,
	length int) *walks.Data {
	in := walks.Input{Level: level, Attributes: b.AttributeDim, Arcs: arcs}
	d, err := walks.Prepare(context.Background(), e, b, in, walks.Demand{Fit: true, Length: length, Cycles: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// harness grows a tree split by split.
type harness struct {
	t        *testing.T
	g        *Grower
	resident Resident
	root     *node
}

// newHarness begins a tree that is fitted to numbers by the squared loss, with all walk types that a level has.
func newHarness(t *testing.T, d *walks.Data, length int, examples []int32, y []float64) *harness {
	h := &harness{t: t, root: &node{Placed: walks.Placed{Examples: examples}}}
	opt := &Options{
		MinSplit: 2, MinLeaf: 1, MaxLength: length, Keep: 1,
		Walks:        []walks.Walk{walks.Source, walks.Cycle, walks.Target, walks.TargetSource},
		Aggregations: []walks.Aggregation{walks.Sum, walks.Mean, walks.Min, walks.Max}, Features: d.Input.Features(),
		Bins: 255, Large: 1 << 14,
	}
	if d.Input.Level == walks.Vertices {
		opt.Walks, opt.Aggregations = opt.Walks[:2], nil
	}
	h.resident.Hold()
	t.Cleanup(func() { h.resident.Release(d.Engine) })
	h.g = NewGrower(d, &h.resident, opt, d.Engine.Workers())
	h.g.random = rand.New(rand.NewPCG(1, 1))
	of := engine.TreeTargets{Values: y, Weights: slices.Repeat([]float64{1}, len(y))}
	of.Centre()
	targets := &Targets{Examples: len(examples), Width: 1, Criterion: splits.Variance, Shift: of.Shift}
	targets.Weight, targets.Target = make([]float64, d.Examples()), make([]float64, d.Examples())
	targets.Values = make([]float64, d.Examples())
	for i, e := range examples {
		targets.Weight[e], targets.Target[e], targets.Values[e] = 1, of.Targets[i], y[i]
	}
	h.g.targets, h.g.examples = targets, examples
	for _, w := range opt.Walks {
		h.root.walks[w] = true
	}
	return h
}

// search finds the best split of a node with pointers over at most the given distance. The search of one feature after
// another must find the one that the host finds, and so must an engine for the root: below it an engine has the splits
// that it found itself, and no others.
func (h *harness) search(n *node, distance int, empty walks.Empty) candidate {
	h.t.Helper()
	h.g.opt.MaxDistance, h.g.opt.Empty = distance, empty
	n.Place(h.g.d)
	by := func(s Searcher) candidate {
		n.best, h.g.searcher = candidate{}, s
		if n.depth == 0 {
			if err := s.plant(n); err != nil {
				h.t.Fatal(err)
			}
		}
		if err := h.g.search(context.Background(), []*node{n}); err != nil {
			h.t.Fatal(err)
		}
		return n.best
	}
	found := by(h.g.onHost(false))
	if alone := by(h.g.onHost(true)); alone != found {
		h.t.Errorf("the host finds %+v, one feature after another %+v", found, alone)
	}
	if n.depth > 0 {
		return found
	}
	if engine := by(&deviceSearcher{growth: h.g.growth, resident: &h.resident}); engine != found {
		h.t.Errorf("the host finds %+v, the engine %+v", found, engine)
	}
	return found
}

// force splits a node by the given split.
func (h *harness) force(n *node, s walks.Split, empty walks.Empty) (lte, gt *node) {
	h.g.opt.MaxDistance, h.g.opt.Empty, h.g.searcher = 2, empty, h.g.onHost(false)
	n.best = candidate{Split: s, gain: 1}
	n.Place(h.g.d)
	if _, err := h.g.split(context.Background(), n); err != nil {
		h.t.Fatal(err)
	}
	return n.children[0], n.children[1]
}

// wants checks the outcome of a search against a result.
func (h *harness) wants(what string, n *node, distance int, empty walks.Empty, want *goldenResult) {
	h.t.Helper()
	got := h.search(n, distance, empty)
	if want.Useless {
		if got.gain > 1e-9 {
			h.t.Errorf("%s: gain %g of %+v, want none", what, got.gain, got.Split)
		}
		return
	}
	if !treegtest.Near(got.gain, want.Gain, 1e-9) {
		h.t.Errorf("%s: gain %.17g, want %.17g", what, got.gain, want.Gain)
	}
	if got.gain == 0 {
		return
	}
	n.best = got
	lte, gt := h.force(n, got.Split, empty)
	if len(lte.Examples)+len(gt.Examples) != len(n.Examples) {
		h.t.Errorf("%s: %d and %d examples of %d", what, len(lte.Examples), len(gt.Examples), len(n.Examples))
	}
	for _, tuple := range want.Best {
		a, b := tuple.Split, got.Split
		a.Threshold, b.Threshold, a.MissingAbove, b.MissingAbove = 0, 0, false, false
		if b.Length == 0 {
			b.Arcs = a.Arcs
		}
		if a == b && treegtest.Near(got.Threshold, tuple.Threshold, 1e-9) && len(gt.Examples) == tuple.above {
			return
		}
	}
	h.t.Errorf("%s: %+v with %d above is not among the %d best", what, got.Split, len(gt.Examples), len(want.Best))
}

// parts checks what a forced split did.
func (h *harness) parts(what string, n, lte, gt *node, want *goldenParts) {
	h.t.Helper()
	if !slices.Equal(lte.Examples, append(want.LTEGraphs, want.LTEVertices...)) ||
		!slices.Equal(gt.Examples, append(want.GTGraphs, want.GTVertices...)) {
		h.t.Errorf("%s: examples %v and %v", what, lte.Examples, gt.Examples)
	}
	for up, raw := range map[bool]json.RawMessage{true: want.Plus, false: want.Minus} {
		for g, s := range subsets(h.t, raw) {
			first, _ := h.g.d.Batch.Vertices(g)
			got := slices.Clone(n.cut.Subset(int32(g), up))
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
		for _, empty := range []walks.Empty{walks.EmptyFormula, walks.EmptyZero, walks.EmptySentinel} {
			h.wants(fmt.Sprintf("%s, a = %d, %s", what, distance, empty), n, distance, empty, r.of(empty))
		}
	}
}

func TestGoldenBestSplit(t *testing.T) {
	treegtest.EachGolden(t, func(t *testing.T, g *goldenBest) {
		level := walks.Graphs
		if g.Graph != nil {
			level, g.Graphs = walks.Vertices, []treegtest.GoldenGraph{*g.Graph}
		}
		var graphs []treegtest.Dense
		for i := range g.Graphs {
			graphs = append(graphs, g.Graphs[i].Dense(g.Features))
		}
		examples := g.Train
		if examples == nil {
			for i := range g.Y {
				examples = append(examples, int32(i))
			}
		}
		b := treegtest.BatchOf(t, graphs, false)
		b.Directed = false
		length := slices.Max(g.D)
		d := prepared(t, enginetest.Open(t, 2), b, level, []walks.Arcs{{Type: walks.AllArcs}}, length)
		h := newHarness(t, d, length, examples, g.Y)
		h.wants("first split", h.root, 0, walks.EmptyFormula, &g.First)
		for _, s := range g.Second {
			lte, gt := h.force(h.root, s.Root.Split(), walks.EmptyFormula)
			h.parts("root", h.root, lte, gt, &s.goldenParts)
			if s.Third != nil {
				child := map[string]*node{"lte": lte, "gt": gt}[s.Third.Path]
				l, r := h.force(child, s.Third.Split.Split(), walks.EmptyFormula)
				h.parts("child", child, l, r, &s.Third.goldenParts)
				h.children("lte grandchild", l, s.Third.Grandchildren["lte"])
				h.children("gt grandchild", r, s.Third.Grandchildren["gt"])
			}
			h.children("lte child", lte, s.Children["lte"])
			h.children("gt child", gt, s.Children["gt"])
		}
	}, "best_split_graph", "best_split_vertex")
}
