package treeg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Trees drawn at random send small graphs to the same leaves as words and as lists: along walks of every length that is
// counted, over arcs of several types and directions, with labels that the model does not know, graphs without vertices
// and graphs that are just too large for words, for every convention of empty subsets.
func TestRandomTreesOnWordsAndLists(t *testing.T) {
	ctx, e := context.Background(), treegtest.OpenCPU(t, 1)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 99))
		opt := Defaults(Graphs, Boosting)
		opt.MaxLength, opt.Directions, opt.Relations = int(seed%(walks.LongestCounted+1)), BothWays, Apart
		opt.Constant = seed%5 != 0
		opt.Empty = []Empty{EmptyFormula, EmptyZero, EmptySentinel}[seed%3]
		known, err := Prepare(ctx, e, drawnGraphs(t, r, seed, 3, 30), opt)
		if err != nil {
			t.Fatal(err)
		}
		in, b := known.data.Input, drawnGraphs(t, r, seed, 5, 150)
		var trees []*Tree
		for range 12 {
			trees = append(trees, drawnTree(r, &in, opt.MaxLength))
		}
		p := predict.NewProgram(&in, trees)
		leaves := func(want walks.Demand) []int32 {
			d, err := walks.Prepare(ctx, e, b, in, want)
			if err != nil {
				t.Fatal(err)
			}
			if !d.InWords {
				t.Error("these graphs could be words")
			}
			d.InWords = want.Words
			leaves := make([]int32, b.NumGraphs()*len(trees))
			tell := func(i, tree int, leaf int32) { leaves[i*len(trees)+tree] = leaf }
			if err := p.Each(ctx, d, opt.Empty, all(b.NumGraphs()), tell); err != nil {
				t.Fatal(err)
			}
			return leaves
		}
		lists := leaves(walks.Demand{Length: opt.MaxLength, Cycles: true})
		words := leaves(walks.Demand{Length: opt.MaxLength, Cycles: true, Words: true})
		if !slices.Equal(lists, words) {
			t.Errorf("seed %d: words and lists reach different leaves", seed)
		}
	}
}

// drawnGraphs draws graphs: directed ones where the seed is odd, with types of arcs where it is a multiple of 3.
func drawnGraphs(t *testing.T, r *rand.Rand, seed uint64, labels, count int) *graph.Batch {
	var list []graph.Graph
	for g := range count {
		n := r.IntN(12)
		if g%10 == 3 {
			n = walks.MostVertices - 2 + r.IntN(5)
		}
		one := graph.Graph{NumVertices: n, Directed: seed%2 == 1}
		dense := r.IntN(4) == 0
		for v := range n {
			one.Labels = append(one.Labels, int32(r.IntN(labels)))
			arcs := r.IntN(3)
			if dense {
				arcs = n
			}
			for range arcs {
				one.Arcs.From, one.Arcs.To = append(one.Arcs.From, int32(v)), append(one.Arcs.To, int32(r.IntN(n)))
				if seed%3 == 0 {
					one.Arcs.Types = append(one.Arcs.Types, int32(r.IntN(3)))
				}
			}
		}
		list = append(list, one)
	}
	b, err := graph.NewBatch(list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawnTree draws a tree of at most five levels of splits.
func drawnTree(r *rand.Rand, in *Input, length int) *Tree {
	t, depths := &Tree{Nodes: make([]Node, 1)}, []int{0}
	for i := 0; i < len(t.Nodes); i++ {
		depth := depths[i]
		if depth == 5 || i > 0 && r.IntN(5) == 0 {
			continue
		}
		s := &Split{
			Feature: r.IntN(in.Features()), Length: r.IntN(length + 1), Arcs: in.Arcs[r.IntN(len(in.Arcs))],
			Walk: Walk(r.IntN(walks.NumWalks)), Aggregation: Aggregation(1 + r.IntN(walks.NumAggregations)),
			Pointer: r.IntN(depth + 1),
		}
		s.Above = s.Pointer > 0 && r.IntN(2) == 0
		switch r.IntN(8) {
		case 0:
			s.Threshold = walks.Lowest - 0.5
		case 1:
			s.Threshold = r.ExpFloat64() * 50
		default:
			s.Threshold = float64(r.IntN(13)-2) / 2
		}
		n := int32(len(t.Nodes))
		t.Nodes[i].Split, t.Nodes[i].LTE, t.Nodes[i].GT = s, n, n+1
		t.Nodes = append(t.Nodes, Node{}, Node{})
		depths = append(depths, depth+1, depth+1)
	}
	return t
}

// Data that were prepared for one purpose are refused for another one.
func TestDataForOtherPurposes(t *testing.T) {
	ctx, e := context.Background(), treegtest.OpenCPU(t, 1)
	b := drawnGraphs(t, rand.New(rand.NewPCG(1, 99)), 2, 3, 40)
	y := make([]float64, b.NumGraphs())
	for g := range y {
		from, to := b.Vertices(g)
		y[g] = float64(b.RowPtr[to] - b.RowPtr[from])
	}
	opt := Defaults(Graphs, Boosting)
	long, err := Fit(ctx, e, b, Targets{Values: y}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt.MaxLength = 0
	short, err := Fit(ctx, e, b, Targets{Values: y}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := short.Prepare(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Fit(ctx, Targets{Values: y}, opt, nil); err == nil {
		t.Error("data for predictions were fitted to")
	}
	if _, err := long.ScoresOf(ctx, d, nil); err == nil {
		t.Error("a model took data without its walks")
	}
}
