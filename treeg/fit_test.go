package treeg

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

func all(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// leavesOf returns the number of leaves of a tree.
func leavesOf(t *Tree) (count int) {
	for i := range t.Nodes {
		if t.Nodes[i].Split == nil {
			count++
		}
	}
	return count
}

// checkTrainedLeaves grows trees and wants every example to reach, by prediction on data prepared afresh, the leaf that
// it was trained in.
func checkTrainedLeaves(t *testing.T, b *graph.Batch, opt Options, y []float64, examples []int32) {
	t.Helper()
	ctx := context.Background()
	d, err := Prepare(ctx, treegtest.OpenCPU(t, 2), b, opt)
	if err != nil {
		t.Fatal(err)
	}
	g := d.grower(&opt, 2)
	for i := range uint64(3) {
		targets := (&problem{n: d.Examples()}).targetsOf(examples, y, slices.Repeat([]float64{1}, len(y)))
		grown, err := g.Grow(ctx, targets, examples, rand.New(rand.NewPCG(i, 0)))
		if err != nil {
			t.Fatal(err)
		}
		tree, members := grown.Tree, grown.Members
		m := &Model{engine: d.data.Engine, opt: opt, input: d.data.Input, loss: Squared, start: []float64{0},
			trees: [][]*Tree{{tree}}}
		leaves, err := m.Leaves(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if leavesOf(tree) < 2 {
			t.Errorf("tree %d has no split", i)
		}
		for node, list := range members {
			if tree.Nodes[node].Split != nil {
				continue
			}
			for _, e := range list {
				if leaves[e] != int32(node) {
					t.Fatalf("tree %d: example %d was trained in leaf %d and is predicted in leaf %d", i, e, node, leaves[e])
				}
			}
		}
	}
}

// Every training example's predicted leaf is the leaf that it was trained in.
func TestTrainedLeavesOnGraphs(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testfiles.Data(t, "tu"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			set := openReal(t, name)
			graphs := min(set.NumGraphs(), 3000*set.NumGraphs()/set.Batch.NumVertices())
			stride := max(set.NumGraphs()/max(graphs, 1), 1)
			var chosen []int
			for g := 0; g < set.NumGraphs(); g += stride {
				chosen = append(chosen, g)
			}
			set = set.Select(chosen)
			y := make([]float64, len(chosen))
			for i, c := range set.Classes {
				y[i] = float64(c) + 0.1*float64(i%7)
			}
			opt := Defaults(Graphs, Single)
			opt.Keep = 0.5
			checkTrainedLeaves(t, set.Batch, opt, y, all(len(chosen)))
		})
	}
}

// openReal reads a public data set.
func openReal(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(testfiles.Data(t, "tu", name))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func openNode(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.OpenNode(testfiles.Data(t, "node", name), dataset.DetectDirection)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// firstColumns leaves out all attributes but the first.
func firstColumns(b *graph.Batch, most int) {
	width := min(b.AttributeDim, most)
	var kept []float64
	for v := range int32(b.NumVertices()) {
		kept = append(kept, b.Attribute(v)[:width]...)
	}
	b.Attributes, b.AttributeDim = kept, width
}

func TestTrainedLeavesOnVertices(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testfiles.Data(t, "node"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			set := openNode(t, filepath.Base(folder))
			b := set.Batch
			var y []float64
			var examples []int32
			for v := range b.NumVertices() {
				if v%20 == 0 {
					examples = append(examples, int32(v))
					y = append(y, float64((v*v)%11))
				}
			}
			for _, p := range set.Missing {
				b.Attributes[p] = math.NaN()
			}
			firstColumns(b, 300)
			opt := Defaults(Vertices, Single)
			opt.MaxLeaves, opt.Directions, opt.Keep = 8, BothWays, 0.8
			checkTrainedLeaves(t, b, opt, y, examples)
		})
	}
}

// noisy is a batch of random weighted directed graphs with real and missing attributes and several types of arcs.
func noisy(t testing.TB, seed uint64, graphs int, missing bool) *graph.Batch {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	var list []graph.Graph
	for range graphs {
		n := 1 + r.IntN(12)
		g := graph.Graph{NumVertices: n, Directed: true, AttributeDim: 3}
		for u := range n {
			for v := range n {
				if r.IntN(4) == 0 {
					g.AddArc(int32(u), int32(v))
					g.Arcs.Weights = append(g.Arcs.Weights, r.NormFloat64())
					g.Arcs.Types = append(g.Arcs.Types, int32(r.IntN(2)))
				}
			}
			for range 3 {
				x := r.NormFloat64()
				if missing && r.IntN(10) == 0 {
					x = math.NaN()
				}
				g.Attributes = append(g.Attributes, x)
			}
		}
		if len(g.Arcs.From) == 0 {
			g.AddArc(0, 0)
			g.Arcs.Weights, g.Arcs.Types = []float64{0.5}, []int32{1}
		}
		list = append(list, g)
	}
	b, err := graph.NewBatch(list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTrainedLeavesOnNoise(t *testing.T) {
	for _, missing := range []bool{false, true} {
		for _, level := range []Level{Graphs, Vertices} {
			b := noisy(t, 3, 120, missing)
			opt := Defaults(level, Single)
			opt.Directions, opt.Relations, opt.Keep, opt.MaxLength = BothWays, TogetherAndApart, 0.7, 3
			n := b.NumGraphs()
			if level == Vertices {
				n, opt.MaxLeaves = b.NumVertices(), 40
			}
			r := rand.New(rand.NewPCG(1, 2))
			y := make([]float64, n)
			for i := range y {
				y[i] = r.NormFloat64()
			}
			checkTrainedLeaves(t, b, opt, y, all(n))
		}
	}
}

// The scores that boosting ends with are those that the model predicts, to the last bit.
func TestBoostingScoresArePredicted(t *testing.T) {
	set, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 120, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*Options){
		func(*Options) {},
		func(o *Options) { o.Subsample = 0.6 },
		func(o *Options) { o.Patience, o.Estimators = 3, 40 },
		func(o *Options) { o.Scheme = Reference },
		func(o *Options) { o.Loss = OneVsAll },
		func(o *Options) { o.Loss = Softmax },
		func(o *Options) { o.Growth, o.MaxLeaves, o.MaxDepth = LevelWise, 0, 4 },
	} {
		opt := Defaults(Graphs, Boosting)
		opt.Estimators = 12
		change(&opt)
		ctx := context.Background()
		d, err := Prepare(ctx, treegtest.OpenCPU(t, 2), set.Batch, opt)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newProblem(d.Examples(), Targets{Classes: set.Classes}, &opt)
		if err != nil {
			t.Fatal(err)
		}
		p.d = d
		m := &Model{engine: d.data.Engine, opt: opt, input: d.data.Input, loss: p.loss, number: p.classes}
		b := p.booster(m)
		b.onData(d)
		if err := b.begin(ctx); err != nil {
			t.Fatal(err)
		}
		if err := b.run(ctx); err != nil {
			t.Fatal(err)
		}
		if opt.Patience > 0 {
			continue // the last rounds were dropped
		}
		scores, err := m.Scores(ctx, set.Batch)
		if err != nil {
			t.Fatal(err)
		}
		trained := b.scores.(*hostScores).scores
		for i, e := range b.examples {
			k := b.outputs
			if !slices.Equal(scores[int(e)*k:(int(e)+1)*k], trained[i*k:(i+1)*k]) {
				t.Fatalf("loss %s: example %d: trained %v, predicted %v", p.loss, e, trained[i*k:(i+1)*k],
					scores[int(e)*k:(int(e)+1)*k])
			}
		}
	}
}

// Predictions one after another, and at the same time, use memory again and say what a first one says.
func TestPredictionsInARow(t *testing.T) {
	ctx := context.Background()
	for level, name := range map[Level]string{Graphs: "rings-cliques", Vertices: "block-model"} {
		var batches []*graph.Batch
		var model *Model
		for i, size := range []int{60, 5, 90, 30, 90} {
			opt := dataset.SynthOptions{Graphs: size, Seed: uint64(i)}
			if level == Vertices {
				opt = dataset.SynthOptions{Vertices: 4 * size, Seed: uint64(i)}
			}
			set, err := dataset.Synth(name, opt)
			if err != nil {
				t.Fatal(err)
			}
			if batches = append(batches, set.Batch); model != nil {
				continue
			}
			classes := set.Classes
			if level == Vertices {
				classes = set.VertexClasses
			}
			trees := Defaults(level, Boosting)
			trees.Estimators = 5
			if model, err = Fit(ctx, treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: classes}, trees, nil); err != nil {
				t.Fatal(err)
			}
		}
		parallel.For(3, 4*len(batches), func(i int) {
			b := batches[i%len(batches)]
			got, err := model.Scores(ctx, b)
			if err != nil {
				t.Error(err)
				return
			}
			d, err := model.Prepare(ctx, b)
			if err != nil {
				t.Error(err)
				return
			}
			if want, err := model.ScoresOf(ctx, d, nil); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: prediction %d differs from that of prepared data (%v)", level, i, err)
			}
		})
	}
}

// The same seed gives the same bits, for any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	set, err := dataset.Synth("rings-cliques", dataset.SynthOptions{Graphs: 80, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	vertices, err := dataset.Synth("block-model", dataset.SynthOptions{Vertices: 300, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, ensemble := range []Ensemble{Boosting, Forest, ExtraTrees, Single} {
		for level, s := range map[Level]*dataset.Dataset{Graphs: set, Vertices: vertices} {
			var first []byte
			for _, workers := range []int{1, 2, 8} {
				opt := Defaults(level, ensemble)
				opt.Estimators = min(opt.Estimators, 5)
				classes := s.Classes
				if level == Vertices {
					classes = s.VertexClasses
				}
				m, err := Fit(context.Background(), treegtest.OpenCPU(t, workers), s.Batch, Targets{Classes: classes}, opt, nil)
				if err != nil {
					t.Fatal(err)
				}
				raw, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = raw
				}
				if !slices.Equal(first, raw) {
					t.Errorf("%s, %s: %d workers fit another model than one", ensemble, level, workers)
				}
			}
		}
	}
}
