package search

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// goldenFeature is [k, d, walk, agg, rho, ...values], with rho only after the root.
type goldenFeature struct {
	treegtest.GoldenSplit
	values [2]float64
}

// lemmaFeatures reads rows [k, d, walk, agg, rho?, value, value].
func lemmaFeatures(t *testing.T, rows [][]json.RawMessage, withRho bool) []goldenFeature {
	t.Helper()
	var out []goldenFeature
	for _, row := range rows {
		var f goldenFeature
		parts := []any{&f.K, &f.D, &f.Walk, &f.Agg}
		if withRho {
			parts = append(parts, &f.Rho)
		}
		parts = append(parts, &f.values[0], &f.values[1])
		for i, part := range parts {
			if err := json.Unmarshal(row[i], part); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, f)
	}
	return out
}

type goldenPair struct {
	N        int
	Features json.RawMessage
	Graphs   []treegtest.GoldenGraph
	Without  struct {
		Most int `json:"max_d_checked"`
	} `json:"without_subsets"`
	Root       treegtest.GoldenSplit `json:"root_split"`
	RootValues []float64             `json:"root_values"`
	Plus       [][]int32             `json:"subset_plus"`
	Minus      [][]int32             `json:"subset_minus"`
	Second     treegtest.GoldenSplit `json:"second_split"`
	Values2    []float64             `json:"second_values"`
	Leaves     []string              `json:"expected_leaves"`
	After      [][]json.RawMessage   `json:"all_separating_features_after_root"`
	Values     [][]json.RawMessage   `json:"values"`
	Split      treegtest.GoldenSplit `json:"split"`
}

// prepare returns the pair with constant features unless the file has some.
func (g *goldenPair) prepare(t *testing.T, length int) *walks.Data {
	var features [][]float64
	if json.Unmarshal(g.Features, &features) != nil {
		features = slices.Repeat([][]float64{{1}}, g.N)
	}
	var graphs []treegtest.Dense
	for _, one := range g.Graphs {
		one.N, one.Features = g.N, features
		graphs = append(graphs, one.Dense(0))
	}
	b := treegtest.BatchOf(t, graphs, false)
	b.Directed = false
	return prepared(t, treegtest.OpenCPU(t, 1), b, walks.Graphs, []walks.Arcs{{Type: walks.AllArcs}}, length)
}

// Two graphs that no split of all vertices tells apart, though one of a subset does (Lemma 4.3).
func TestGoldenLemmaSubsets(t *testing.T) {
	treegtest.EachGolden(t, func(t *testing.T, g *goldenPair) {
		d := g.prepare(t, g.Without.Most)
		h := newHarness(t, d, g.Without.Most, []int32{0, 1}, []float64{1, -1})
		if c := h.search(h.root, 2, walks.EmptyFormula); c.gain != 0 {
			t.Errorf("%+v separates the graphs without subsets", c.Split)
		}
		lte, gt := h.force(h.root, g.Root.Split(), walks.EmptyFormula)
		child := gt
		if len(gt.Examples) == 0 {
			child = lte
		}
		for i := range g.Graphs {
			first, _ := d.Batch.Vertices(i)
			for up, want := range map[bool][]int32{true: g.Plus[i], false: g.Minus[i]} {
				got := slices.Clone(h.root.cut.Subset(int32(i), up))
				for j := range got {
					got[j] -= first
				}
				if !slices.Equal(got, want) {
					t.Errorf("graph %d, above %v: subset %v, want %v", i, up, got, want)
				}
			}
		}
		if c := h.search(child, 0, walks.EmptyFormula); c.gain != 0 {
			t.Errorf("%+v separates the graphs with a = 0", c.Split)
		}
		if c := h.search(child, 1, walks.EmptyFormula); c.gain != 2 || c.Pointer != 1 {
			t.Errorf("with a = 1 the best split is %+v of gain %g, want a pointer to the root and gain 2", c.Split, c.gain)
		}
		low, high := h.force(child, g.Second.Split(), walks.EmptyFormula)
		for i, leaf := range g.Leaves {
			n := map[string]*node{"lte": low, "gt": high}[leaf]
			if !slices.Contains(n.Examples, int32(i)) {
				t.Errorf("graph %d is not in leaf %s", i, leaf)
			}
		}
		for _, f := range lemmaFeatures(t, g.After, true) {
			for i, want := range f.values {
				subset := g.Minus[i]
				if *f.Rho == "+" {
					subset = g.Plus[i]
				}
				if f.D > g.Without.Most {
					continue
				}
				got := treegtest.ValueOf(d, f.Split(), i, treegtest.Ints(subset), walks.EmptyFormula)
				if !treegtest.Near(got, want, 1e-12) {
					t.Errorf("graph %d: %+v is %g, want %g", i, f.Split(), got, want)
				}
			}
		}
	}, "lemma_4_3")
}

// Two regular graphs that colour refinement does not tell apart, though a cycle split does (Lemma 4.4).
func TestGoldenLemmaCycles(t *testing.T) {
	treegtest.EachGolden(t, func(t *testing.T, g *goldenPair) {
		features := lemmaFeatures(t, g.Values, false)
		most := 0
		for _, f := range features {
			most = max(most, f.D)
		}
		d := g.prepare(t, most)
		everything := make([]int, g.N)
		for i := range everything {
			everything[i] = i
		}
		for _, f := range features {
			for i, want := range f.values {
				got := treegtest.ValueOf(d, f.Split(), i, everything, walks.EmptyFormula)
				if !treegtest.Near(got, want, 1e-12) {
					t.Errorf("graph %d: %+v is %g, want %g", i, f.Split(), got, want)
				}
			}
		}
		h := newHarness(t, d, g.Split.D, []int32{0, 1}, []float64{1, -1})
		if c := h.search(h.root, 0, walks.EmptyFormula); c.gain != 2 || c.Walk != g.Split.Walk || c.Length != g.Split.D {
			t.Errorf("the best split is %+v of gain %g, want %s walks of length %d and gain 2", c.Split, c.gain, g.Split.Walk,
				g.Split.D)
		}
		if lte, gt := h.force(h.root, g.Split.Split(), walks.EmptyFormula); len(lte.Examples) != 1 || len(gt.Examples) != 1 {
			t.Errorf("%+v leaves %v and %v", g.Split, lte.Examples, gt.Examples)
		}
	}, "lemma_4_4")
}
