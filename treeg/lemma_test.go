package treeg

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// goldenFeature is [k, d, walk, agg, rho, ...values], with rho only after the root.
type goldenFeature struct {
	goldenSplit
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
	Graphs   []goldenGraph
	Without  struct {
		Most int `json:"max_d_checked"`
	} `json:"without_subsets"`
	Root       goldenSplit         `json:"root_split"`
	RootValues []float64           `json:"root_values"`
	Plus       [][]int32           `json:"subset_plus"`
	Minus      [][]int32           `json:"subset_minus"`
	Second     goldenSplit         `json:"second_split"`
	Values2    []float64           `json:"second_values"`
	Leaves     []string            `json:"expected_leaves"`
	After      [][]json.RawMessage `json:"all_separating_features_after_root"`
	Values     [][]json.RawMessage `json:"values"`
	Split      goldenSplit         `json:"split"`
}

// prepare returns the pair with constant features unless the file has some.
func (g *goldenPair) prepare(t *testing.T, length int) *Data {
	var features [][]float64
	if json.Unmarshal(g.Features, &features) != nil {
		features = slices.Repeat([][]float64{{1}}, g.N)
	}
	var graphs []dense
	for _, one := range g.Graphs {
		one.N, one.Features = g.N, features
		graphs = append(graphs, one.dense(0))
	}
	b := batchOf(t, graphs, false)
	b.Directed = false
	opt := Defaults(Graphs, Single)
	opt.Constant, opt.MaxLength = false, length
	d, err := Prepare(context.Background(), openCPU(t, 1), b, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Two graphs that no split of all vertices tells apart, though one of a subset does (Lemma 4.3).
func TestGoldenLemmaSubsets(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenPair) {
		d := g.prepare(t, g.Without.Most)
		opt := Defaults(Graphs, Single)
		opt.MaxLength = g.Without.Most
		h := newHarness(t, d, opt, []int32{0, 1}, []float64{1, -1})
		if c := h.search(h.root, 2, EmptyFormula); c.gain != 0 {
			t.Errorf("%+v separates the graphs without subsets", c.Split)
		}
		lte, gt := h.force(h.root, g.Root.split(), EmptyFormula)
		child := gt
		if len(gt.examples) == 0 {
			child = lte
		}
		for i := range g.Graphs {
			first, _ := d.batch.Vertices(i)
			for up, want := range map[bool][]int32{true: g.Plus[i], false: g.Minus[i]} {
				got := slices.Clone(h.root.cut.subset(int32(i), first, up))
				for j := range got {
					got[j] -= first
				}
				if !slices.Equal(got, want) {
					t.Errorf("graph %d, above %v: subset %v, want %v", i, up, got, want)
				}
			}
		}
		if c := h.search(child, 0, EmptyFormula); c.gain != 0 {
			t.Errorf("%+v separates the graphs with a = 0", c.Split)
		}
		if c := h.search(child, 1, EmptyFormula); c.gain != 2 || c.Pointer != 1 {
			t.Errorf("with a = 1 the best split is %+v of gain %g, want a pointer to the root and gain 2", c.Split, c.gain)
		}
		low, high := h.force(child, g.Second.split(), EmptyFormula)
		for i, leaf := range g.Leaves {
			n := map[string]*node{"lte": low, "gt": high}[leaf]
			if !slices.Contains(n.examples, int32(i)) {
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
				got, err := d.Value(f.split(), i, ints(subset), EmptyFormula)
				if err != nil {
					t.Fatal(err)
				}
				if !near(got, want, 1e-12) {
					t.Errorf("graph %d: %+v is %g, want %g", i, f.split(), got, want)
				}
			}
		}
	}, "lemma_4_3")
}

func ints(x []int32) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

// Two regular graphs that colour refinement does not tell apart, though a cycle split does (Lemma 4.4).
func TestGoldenLemmaCycles(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenPair) {
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
				got, err := d.Value(f.split(), i, everything, EmptyFormula)
				if err != nil {
					t.Fatal(err)
				}
				if !near(got, want, 1e-12) {
					t.Errorf("graph %d: %+v is %g, want %g", i, f.split(), got, want)
				}
			}
		}
		opt := Defaults(Graphs, Single)
		opt.MaxLength = g.Split.D
		h := newHarness(t, d, opt, []int32{0, 1}, []float64{1, -1})
		if c := h.search(h.root, 0, EmptyFormula); c.gain != 2 || c.Walk != g.Split.Walk || c.Length != g.Split.D {
			t.Errorf("the best split is %+v of gain %g, want %s walks of length %d and gain 2", c.Split, c.gain, g.Split.Walk, g.Split.D)
		}
		if lte, gt := h.force(h.root, g.Split.split(), EmptyFormula); len(lte.examples) != 1 || len(gt.examples) != 1 {
			t.Errorf("%+v leaves %v and %v", g.Split, lte.examples, gt.examples)
		}
	}, "lemma_4_4")
}

// permuted returns the batch with the vertices of every graph in another order: vertex v becomes to[v].
func permuted(t *testing.T, b *graph.Batch, r *rand.Rand) (p *graph.Batch, to []int32) {
	t.Helper()
	to = make([]int32, b.NumVertices())
	for g := range b.NumGraphs() {
		first, last := b.Vertices(g)
		for i, j := range r.Perm(int(last - first)) {
			to[first+int32(i)] = first + int32(j)
		}
	}
	var arcs graph.ArcList
	for u := range int32(b.NumVertices()) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			arcs.From, arcs.To = append(arcs.From, to[u]), append(arcs.To, to[b.Col[a]])
			if b.ArcWeights != nil {
				arcs.Weights = append(arcs.Weights, b.ArcWeights[a])
			}
			if b.ArcTypes != nil {
				arcs.Types = append(arcs.Types, b.ArcTypes[a])
			}
		}
	}
	p, err := graph.FromArcs(b.Offsets, arcs, graph.BuildOptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Directed, p.AttributeDim, p.NumLabels = b.Directed, b.AttributeDim, b.NumLabels
	p.Attributes = make([]float64, len(b.Attributes))
	if b.Labels != nil {
		p.Labels = make([]int32, len(b.Labels))
	}
	for v, w := range to {
		copy(p.Attributes[int(w)*b.AttributeDim:], b.Attribute(int32(v)))
		if b.Labels != nil {
			p.Labels[w] = b.Labels[v]
		}
	}
	return p, to
}

// A model of graphs does not see the order of vertices, a model of vertices follows it (Lemma 4.1): predictions are the
// same to the last bit, with real features and weights too, and so is a model that is fitted to permuted graphs.
func TestPermutations(t *testing.T) {
	ctx := context.Background()
	for _, level := range []Level{Graphs, Vertices} {
		b := noisy(t, 9, 30, true)
		n := b.NumGraphs()
		if level == Vertices {
			n = b.NumVertices()
		}
		r := rand.New(rand.NewPCG(4, 4))
		y := make([]float64, n)
		for i := range y {
			y[i] = r.NormFloat64()
		}
		opt := Defaults(level, Boosting)
		opt.Estimators, opt.Directions, opt.Relations, opt.MaxLength = 5, BothWays, TogetherAndApart, 3
		e := openCPU(t, 1)
		m, err := Fit(ctx, e, b, Targets{Values: y}, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Values(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			p, to := permuted(t, b, r)
			got, err := m.Values(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := m, error(nil)
			moved := slices.Clone(y)
			if level == Vertices {
				for v, w := range to {
					moved[w] = y[v]
				}
			}
			if i%20 == 0 {
				fitted, err = Fit(ctx, e, p, Targets{Values: moved}, opt, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			refitted, err := fitted.Values(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			for j := range n {
				at := j
				if level == Vertices {
					at = int(to[j])
				}
				if got[at] != want[j] || !near(refitted[at], want[j], 1e-9) {
					t.Fatalf("%s, permutation %d: example %d has %v, fitted again %v, want %v", level, i, j, got[at], refitted[at], want[j])
				}
			}
		}
	}
}
