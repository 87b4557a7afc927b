package graph

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// arc is one arc of a batch with what is known of it.
type arc struct{ from, to, label, kind int32 }

func arcsOf(b *Batch) []arc {
	var all []arc
	for u := range int32(b.NumVertices()) {
		for i := b.RowPtr[u]; i < b.RowPtr[u+1]; i++ {
			a := arc{from: u, to: b.Col[i]}
			if b.ArcLabels != nil {
				a.label = b.ArcLabels[i]
			}
			if b.ArcTypes != nil {
				a.kind = b.ArcTypes[i]
			}
			all = append(all, a)
		}
	}
	return all
}

func TestFromArcsKeepsItsRules(t *testing.T) {
	tests := []struct {
		name string
		arcs ArcList
		opt  BuildOptions
		want []arc
	}{
		{"an undirected edge given once has both arcs, with its label",
			ArcList{From: []int32{2}, To: []int32{0}, Labels: []int32{7}}, BuildOptions{},
			[]arc{{0, 2, 7, 0}, {2, 0, 7, 0}}},
		{"of repeated arcs the first keeps its label, and given arcs keep their own in each direction",
			ArcList{From: []int32{0, 1, 0}, To: []int32{1, 0, 1}, Labels: []int32{4, 5, 6}}, BuildOptions{},
			[]arc{{0, 1, 4, 0}, {1, 0, 5, 0}}},
		{"directed arcs stay as they are",
			ArcList{From: []int32{2, 1, 1}, To: []int32{1, 0, 0}, Labels: []int32{1, 2, 3}}, BuildOptions{Directed: true},
			[]arc{{1, 0, 2, 0}, {2, 1, 1, 0}}},
		{"a self loop is one arc",
			ArcList{From: []int32{1, 1, 0}, To: []int32{1, 1, 1}}, BuildOptions{},
			[]arc{{0, 1, 0, 0}, {1, 0, 0, 0}, {1, 1, 0, 0}}},
		{"self loops can be dropped",
			ArcList{From: []int32{1, 0}, To: []int32{1, 1}}, BuildOptions{DropSelfLoops: true},
			[]arc{{0, 1, 0, 0}, {1, 0, 0, 0}}},
		{"self loops of a directed batch can be dropped",
			ArcList{From: []int32{1, 0}, To: []int32{1, 1}}, BuildOptions{Directed: true, DropSelfLoops: true},
			[]arc{{0, 1, 0, 0}}},
		{"arcs of different types are different arcs",
			ArcList{From: []int32{0, 0, 0, 1}, To: []int32{1, 1, 1, 0}, Types: []int32{0, 1, 0, 1}, Labels: []int32{1, 2, 3, 4}},
			BuildOptions{},
			[]arc{{0, 1, 1, 0}, {0, 1, 2, 1}, {1, 0, 4, 1}, {1, 0, 1, 0}}},
		{"neighbours ascend",
			ArcList{From: []int32{1, 1}, To: []int32{2, 0}}, BuildOptions{Directed: true},
			[]arc{{1, 0, 0, 0}, {1, 2, 0, 0}}},
		{"no arcs", ArcList{}, BuildOptions{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := FromArcs([]int32{0, 3}, test.arcs, test.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := arcsOf(b); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestFromArcsWeightsFollowTheirArcs(t *testing.T) {
	b, err := FromArcs([]int32{0, 3}, ArcList{From: []int32{2, 0, 2}, To: []int32{1, 1, 1}, Weights: []float64{0.5, 2, 9}},
		BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{2, 2, 0.5, 0.5}; !slices.Equal(b.ArcWeights, want) {
		t.Errorf("weights %v, want %v", b.ArcWeights, want)
	}
}

func TestFromArcsNamesTheBadArc(t *testing.T) {
	tests := []struct {
		from, to int32
		reason   string
	}{
		{0, 4, "vertex 5 is not one of the 4 vertices"},
		{-1, 0, "vertex 0 is not one of the 4 vertices"},
		{1, 2, "joins vertex 2 of graph 1 and vertex 3 of graph 2"},
	}
	for _, test := range tests {
		_, err := FromArcs([]int32{0, 2, 4}, ArcList{From: []int32{0, test.from}, To: []int32{1, test.to}}, BuildOptions{})
		var bad *ArcError
		if !errors.As(err, &bad) || bad.Index != 1 || bad.Reason != test.reason {
			t.Errorf("%d -> %d: %v, want arc 2: %s", test.from, test.to, err, test.reason)
		}
	}
}

func TestFromArcsDoesNotDependOnTheOrderOfArcs(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	for range 50 {
		n := 1 + random.IntN(9)
		var arcs ArcList
		for range random.IntN(30) {
			arcs.From = append(arcs.From, int32(random.IntN(n)))
			arcs.To = append(arcs.To, int32(random.IntN(n)))
		}
		offsets := []int32{0, int32(n)}
		want, err := FromArcs(offsets, arcs, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		random.Shuffle(len(arcs.From), func(i, j int) {
			arcs.From[i], arcs.From[j] = arcs.From[j], arcs.From[i]
			arcs.To[i], arcs.To[j] = arcs.To[j], arcs.To[i]
		})
		got, err := FromArcs(offsets, arcs, BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for u := range int32(n) {
			for _, v := range got.Neighbors(u) {
				if !got.HasArc(v, u) {
					t.Fatalf("arc %d -> %d without its reverse", u, v)
				}
			}
		}
	}
}

func TestSelectTakesGraphsInOrderWithTheirData(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for range 40 {
		b := randomBatch(t, random, false, true)
		n := b.NumVertices()
		b.Labels, b.NumLabels, b.AttributeDim = make([]int32, n), n, 2
		for v := range n {
			b.Labels[v] = int32(v)
			b.Attributes = append(b.Attributes, float64(v), float64(-v))
		}
		graphs := []int{random.IntN(b.NumGraphs()), random.IntN(b.NumGraphs()), 0}
		s := b.Select(graphs)
		if s.NumGraphs() != len(graphs) || s.NumLabels != b.NumLabels {
			t.Fatalf("%d graphs, %d labels", s.NumGraphs(), s.NumLabels)
		}
		for i, g := range graphs {
			from, to := b.Vertices(g)
			first, last := s.Vertices(i)
			if last-first != to-from {
				t.Fatalf("graph %d has %d vertices, not %d", g, last-first, to-from)
			}
			for v := first; v < last; v++ {
				u := from + v - first // the original of v
				if s.Labels[v] != u || s.Attribute(v)[1] != float64(-u) || s.Degree(v) != b.Degree(u) {
					t.Fatalf("vertex %d of graph %d lost its data", u, g)
				}
				for k, w := range s.Neighbors(v) {
					at, to := b.RowPtr[u]+int32(k), s.RowPtr[v]+int32(k)
					if b.Col[at] != from+w-first || b.ArcTypes[at] != s.ArcTypes[to] {
						t.Fatalf("arc %d of vertex %d changed", k, u)
					}
				}
			}
		}
	}
}

// A slice equals the selection of the same graphs, with whatever vertices and arcs carry.
func TestSliceIsASelectionInARow(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	for i := range 60 {
		b := randomBatch(t, random, i%2 == 0, i%3 == 0)
		n, arcs := b.NumVertices(), b.NumArcs()
		if i%4 < 2 {
			b.Labels, b.NumLabels, b.AttributeDim = make([]int32, n), n, 2
			b.Attributes, b.ArcLabels, b.ArcWeights = make([]float64, 2*n), make([]int32, arcs), make([]float64, arcs)
			for v := range n {
				b.Labels[v], b.Attributes[2*v], b.Attributes[2*v+1] = int32(v), float64(v), float64(-v)
			}
			for p := range arcs {
				b.ArcLabels[p], b.ArcWeights[p] = int32(p), float64(p)/2
			}
		}
		for from := range b.NumGraphs() {
			for to := from + 1; to <= b.NumGraphs(); to++ {
				var graphs []int
				for g := from; g < to; g++ {
					graphs = append(graphs, g)
				}
				if got, want := b.Slice(from, to), b.Select(graphs); !sameBatch(got, want) {
					t.Fatalf("graphs %d to %d of %+v: %+v, want %+v", from, to, b, got, want)
				}
			}
		}
	}
}

func sameBatch(a, b *Batch) bool {
	same := a.Directed == b.Directed && a.NumLabels == b.NumLabels && a.AttributeDim == b.AttributeDim
	same = same && (a.Labels == nil) == (b.Labels == nil) && (a.ArcWeights == nil) == (b.ArcWeights == nil)
	for _, lists := range [][2][]int32{
		{a.Offsets, b.Offsets}, {a.RowPtr, b.RowPtr}, {a.Col, b.Col}, {a.Labels, b.Labels},
		{a.ArcLabels, b.ArcLabels}, {a.ArcTypes, b.ArcTypes},
	} {
		same = same && slices.Equal(lists[0], lists[1])
	}
	return same && slices.Equal(a.Attributes, b.Attributes) && slices.Equal(a.ArcWeights, b.ArcWeights)
}

func TestNewBatchJoinsGraphs(t *testing.T) {
	path := Graph{NumVertices: 3, Labels: []int32{0, 2, 1}}
	path.AddArc(0, 1)
	path.AddArc(1, 2)
	b, err := NewBatch([]Graph{path, {NumVertices: 0}, {NumVertices: 1, Labels: []int32{4}}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.Offsets, []int32{0, 3, 3, 4}) || b.NumArcs() != 4 || b.NumLabels != 5 || b.Isolated() != 1 {
		t.Errorf("offsets %v, %d arcs, %d labels, %d isolated", b.Offsets, b.NumArcs(), b.NumLabels, b.Isolated())
	}
	if b, err = NewBatch(nil); err != nil || b.NumGraphs() != 0 || b.NumVertices() != 0 {
		t.Errorf("no graphs: %v, %v", b, err)
	}
}

func TestNewBatchRefusesGraphsThatDisagree(t *testing.T) {
	edge := func(g Graph) Graph {
		g.NumVertices = 2
		g.AddArc(0, 1)
		return g
	}
	weighted := edge(Graph{})
	weighted.Arcs.Weights = []float64{2}
	labelledArcs := edge(Graph{})
	labelledArcs.Arcs.Labels = []int32{1}
	outside := Graph{NumVertices: 1}
	outside.AddArc(0, 1)
	tests := []struct {
		graphs []Graph
		want   string
	}{
		{[]Graph{edge(Graph{}), edge(Graph{Directed: true})}, "graph 1: directed"},
		{[]Graph{edge(Graph{}), edge(Graph{Labels: []int32{0, 0}})}, "graph 1: vertex labels in some graphs only"},
		{[]Graph{{}, edge(Graph{Labels: []int32{0, 0}}), edge(Graph{})}, "graph 2: vertex labels in some graphs only"},
		{[]Graph{weighted, edge(Graph{})}, "graph 1: arc weights in some graphs only"},
		{[]Graph{edge(Graph{}), labelledArcs}, "graph 1: arc labels in some graphs only"},
		{[]Graph{edge(Graph{AttributeDim: 1, Attributes: []float64{1, 2}}), edge(Graph{})}, "graph 1: 0 attributes"},
		{[]Graph{edge(Graph{Labels: []int32{0}})}, "graph 0: 1 labels for 2 vertices"},
		{[]Graph{edge(Graph{Labels: []int32{0, -1}})}, "graph 0: negative label"},
		{[]Graph{outside}, "graph 0: arc 0 joins 0 and 1"},
		{[]Graph{{NumVertices: -1}}, "graph 0: negative number"},
	}
	for _, test := range tests {
		if _, err := NewBatch(test.graphs); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("error %v, want %s ...", err, test.want)
		}
	}
}
