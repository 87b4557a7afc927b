package treeg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/search"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// The operations of an engine find the splits that the search on the host finds, to the last bit of the model.

// checkEngines fits a model by the search on the host, in blocks of features and one after another, and by the
// operations of engines, one of them that of GROVE_TEST_DEVICE, and returns it. Examples reach the same leaves
// everywhere. Trees of so many examples have histograms.
func checkEngines(t *testing.T, b *graph.Batch, targets Targets, opt Options, histograms int) (m *Model) {
	t.Helper()
	var leaves []int32
	fit := func(e engine.Engine, by search.Method) []byte {
		d, err := Prepare(context.Background(), e, b, opt)
		if err != nil {
			t.Fatal(err)
		}
		d.method, d.large = by, histograms
		m, err = d.Fit(context.Background(), targets, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.resident.Holds() {
			t.Error("the engine still holds the data after the fit")
		}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		reached, err := m.Leaves(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if leaves != nil && !slices.Equal(reached, leaves) {
			t.Errorf("%s: examples reach other leaves than on the host, options %+v", e, opt)
		}
		if leaves == nil {
			leaves = reached
		}
		return raw
	}
	want := fit(treegtest.OpenCPU(t, 2), search.Chosen)
	if got := fit(treegtest.OpenCPU(t, 2), search.OneByOne); !bytes.Equal(got, want) {
		t.Errorf("one feature after another fits\n%.4000s\nblocks\n%.4000s\noptions %+v", got, want, opt)
	}
	for _, e := range []engine.Engine{treegtest.OpenCPU(t, 2), enginetest.Open(t, 2)} {
		if got := fit(e, search.OnEngine); !bytes.Equal(got, want) {
			t.Errorf("%s fits\n%.4000s\nthe host\n%.4000s\noptions %+v", e, got, want, opt)
		}
	}
	return m
}

// walked returns how many splits look along walks from subsets.
func walked(m *Model) (count int) {
	for _, tree := range m.all() {
		for _, n := range tree.Nodes {
			if s := n.Split; s != nil && s.Pointer > 0 && s.Length > 0 && (s.Walk == Source || s.Walk == TargetSource) {
				count++
			}
		}
	}
	return count
}

// randomOptions draws options that the search depends on.
func randomOptions(r *rand.Rand, level Level) Options {
	opt := Defaults(level, []Ensemble{Boosting, Forest, Single, ExtraTrees}[r.IntN(4)])
	opt.Estimators = min(opt.Estimators, 3)
	opt.Growth = []Growth{BestFirst, LevelWise}[r.IntN(2)]
	opt.MaxLeaves, opt.MaxDepth = 8+r.IntN(30), []int{0, 0, 0, 4}[r.IntN(4)]
	opt.MinSplit, opt.MinLeaf = 2, 1+r.IntN(3)
	opt.MaxLength, opt.MaxDistance = r.IntN(4), []int{0, 1, 2, 2, 3}[r.IntN(5)]
	if r.IntN(2) == 0 {
		opt.Walks = draw(r, opt.Walks)
	}
	if level == Graphs {
		opt.Aggregations = draw(r, opt.Aggregations)
	}
	opt.Directions = []Directions{Along, Against, BothWays}[r.IntN(3)]
	opt.Relations = []Relations{Together, Apart, TogetherAndApart}[r.IntN(3)]
	opt.Constant = r.IntN(2) == 0
	opt.MeanSteps = r.IntN(4) == 0
	opt.Empty = []Empty{EmptyFormula, EmptyZero, EmptySentinel}[r.IntN(3)]
	opt.Keep = []float64{0.4, 0.9, 1}[r.IntN(3)]
	opt.MaxFeatures = []int{0, 0, 2, -1}[r.IntN(4)]
	opt.Seed = r.Uint64()
	if opt.Ensemble == Boosting {
		opt.Subsample = []float64{1, 0.6}[r.IntN(2)]
		opt.Patience = []int{0, 0, 1}[r.IntN(3)]
		opt.Scheme = []Scheme{Newton, Newton, Reference}[r.IntN(3)]
	}
	return opt
}

// draw returns some of a list, at least one, in any order.
func draw[T any](r *rand.Rand, list []T) []T {
	var some []T
	for _, i := range r.Perm(len(list))[:1+r.IntN(len(list))] {
		some = append(some, list[i])
	}
	return some
}

// randomTargets draws classes or values that have to do with the batch, for whatever the options fit.
func randomTargets(r *rand.Rand, opt *Options, examples int) Targets {
	var t Targets
	classes := r.IntN(4)
	for i := range examples {
		if classes < 2 {
			t.Values = append(t.Values, r.NormFloat64())
		} else {
			t.Classes = append(t.Classes, r.IntN(classes))
		}
		if i%7 != 3 {
			t.Train = append(t.Train, i)
		}
	}
	if classes >= 2 && opt.Ensemble != Boosting {
		opt.Loss = []Loss{Gini, Entropy}[r.IntN(2)]
	}
	return t
}

func examplesOf(b *graph.Batch, level Level) int {
	if level == Vertices {
		return b.NumVertices()
	}
	return b.NumGraphs()
}

func TestEnginesFitTheSameTrees(t *testing.T) {
	along, step := 0, 1
	if os.Getenv(enginetest.DeviceVariable) != "" {
		step = 5 // a simulated GPU takes its time
	}
	for i := 0; i < 60; i += step {
		r := rand.New(rand.NewPCG(uint64(i), 31))
		level := []Level{Graphs, Vertices}[i%2]
		opt := randomOptions(r, level)
		var b *graph.Batch
		switch i / 2 % 3 {
		case 0:
			b = noisy(t, uint64(i), 10+r.IntN(40), i/6%2 == 0)
		case 1:
			b = noisy(t, uint64(i), 10+r.IntN(40), i/6%2 == 0)
			b.ArcWeights = nil
		default:
			set, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 20, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			b = set.Batch
		}
		targets := randomTargets(r, &opt, examplesOf(b, level))
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			along += walked(checkEngines(t, b, targets, opt, histogramFrom))
		})
	}
	if along*step < 100 {
		t.Errorf("only %d splits of all trees look along walks from subsets", along)
	}
}

// Boosting has the same scores everywhere, whichever its loss, and whichever examples a round sees.
func TestEnginesBoostTheSame(t *testing.T) {
	set, err := dataset.Synth("rings-cliques", dataset.SynthOptions{Graphs: 45, Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	three := Targets{}
	for i, c := range set.Classes {
		three.Classes = append(three.Classes, c+i%5/4)
	}
	two := Targets{Classes: set.Classes}
	for name, c := range map[string]struct {
		targets Targets
		change  func(o *Options)
	}{
		"logistic":      {two, func(*Options) {}},
		"reference":     {two, func(o *Options) { o.Scheme = Reference }},
		"subsample":     {two, func(o *Options) { o.Subsample = 0.5 }},
		"early stop":    {two, func(o *Options) { o.Patience = 1 }},
		"softmax":       {three, func(o *Options) { o.Subsample = 0.7 }},
		"one against":   {three, func(o *Options) { o.Scheme, o.Patience = Reference, 2 }},
		"squared":       {Targets{Values: normals(rand.New(rand.NewPCG(5, 35)), 45)}, func(o *Options) { o.Subsample = 0.8 }},
		"squared, stop": {Targets{Values: normals(rand.New(rand.NewPCG(6, 35)), 45)}, func(o *Options) { o.Patience = 1 }},
	} {
		opt := Defaults(Graphs, Boosting)
		opt.Estimators, opt.MaxLength, opt.MaxLeaves = 5, 1, 4
		c.change(&opt)
		t.Run(name, func(t *testing.T) { checkEngines(t, set.Batch, c.targets, opt, histogramFrom) })
	}
}

// Sums that no grid makes exact have the same order everywhere.
func TestEnginesFitTheSameTreesWithoutGrids(t *testing.T) {
	for _, level := range []Level{Graphs, Vertices} {
		b := noisy(t, 8, 25, true)
		for i := range b.ArcWeights {
			b.ArcWeights[i] *= 1e120
		}
		opt := Defaults(level, Boosting)
		opt.Estimators, opt.MaxLength, opt.Keep = 2, 2, 1
		d, err := Prepare(context.Background(), treegtest.OpenCPU(t, 1), b, opt)
		if err != nil {
			t.Fatal(err)
		}
		if d.data.GridOf(0) != walks.NoGrid {
			t.Fatal("there is a grid for walks of weight 1e240")
		}
		r := rand.New(rand.NewPCG(1, 32))
		checkEngines(t, b, Targets{Values: normals(r, d.Examples())}, opt, 0)
	}
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// Large nodes are searched by the same histograms, at both levels, for values and for classes.
func TestEnginesFitTheSameHistograms(t *testing.T) {
	differ, fits, graphs := 0, 0, 300 // so many that not all examples are sampled
	if os.Getenv(enginetest.DeviceVariable) != "" {
		graphs = 120
	}
	for i := range 8 {
		r := rand.New(rand.NewPCG(uint64(i), 34))
		level, ensemble := []Level{Graphs, Vertices}[i%2], []Ensemble{Boosting, Forest}[i/4]
		b := noisy(t, uint64(i), []int{graphs, graphs / 6}[i%2], i%3 == 0)
		opt := Defaults(level, ensemble)
		opt.Estimators, opt.MaxLength, opt.MaxDistance, opt.MaxLeaves, opt.MaxFeatures, opt.Keep = 1, 1, 1, 5, 0, 1
		opt.Bins, opt.Empty, opt.Seed = 5+r.IntN(5), []Empty{EmptyFormula, EmptySentinel}[i/2%2], uint64(i)
		targets := Targets{Values: normals(r, examplesOf(b, level))}
		if i/2%2 == 1 {
			targets = Targets{}
			for range examplesOf(b, level) {
				targets.Classes = append(targets.Classes, r.IntN(3-i/4))
			}
		}
		t.Run(fmt.Sprintf("%s %s %d", level, ensemble, i/2%2), func(t *testing.T) {
			m := checkEngines(t, b, targets, opt, 0)
			opt.Bins = 0
			exact, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), b, targets, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.all()[0], exact.all()[0]) {
				differ++
			}
			fits++
		})
	}
	if differ < fits/2 {
		t.Errorf("%d of %d fits have the trees of exact thresholds, which says little", fits-differ, fits)
	}
}

// A fit of so many examples that it has histograms by itself, whose small nodes are exact.
func TestEnginesFitTheSameLargeTree(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 33))
	g := graph.Graph{NumVertices: histogramFrom + 50, AttributeDim: 1, Attributes: normals(r, histogramFrom+50)}
	for v := range int32(g.NumVertices) {
		g.AddArc(v, r.Int32N(int32(g.NumVertices)))
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults(Vertices, Single)
	opt.MaxLength, opt.MaxLeaves = 1, 5
	checkEngines(t, b, Targets{Values: normals(r, g.NumVertices)}, opt, histogramFrom)
}

// Features that few vertices have are searched by these alone, with the trees of dense columns.
func TestEnginesFitTheSameTreesOfWords(t *testing.T) {
	const n, words = 400, 20
	for i := range 4 {
		r := rand.New(rand.NewPCG(uint64(i), 36))
		g := graph.Graph{NumVertices: n, AttributeDim: words, Attributes: make([]float64, n*words)}
		for at := range g.Attributes {
			switch r.IntN(90) {
			case 0:
				g.Attributes[at] = r.NormFloat64()
			case 1, 2:
				g.Attributes[at] = float64(1 + r.IntN(2))
			}
		}
		if i%2 == 1 {
			g.Attributes[7*words] = math.NaN()
		}
		y := make([]float64, n)
		for v := range int32(n) {
			g.AddArc(v, r.Int32N(n))
			y[v] = r.NormFloat64()
			for _, x := range g.Attributes[int(v)*words : int(v)*words+3] {
				if x > 0 {
					y[v]++
				}
			}
		}
		b, err := graph.NewBatch([]graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		opt := Defaults(Vertices, []Ensemble{Boosting, ExtraTrees}[i/2])
		opt.Estimators, opt.MaxLength, opt.MaxDistance, opt.MaxLeaves, opt.Keep = 1, 1, 1, 6, 1
		opt.MaxFeatures, opt.Constant = 0, false
		checkEngines(t, b, Targets{Values: y}, opt, 0)
	}
}
