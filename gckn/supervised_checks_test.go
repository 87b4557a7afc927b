package gckn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// small returns a training on given graphs.
func small(t *testing.T, graphs []graph.Graph, classes []int) *Training {
	t.Helper()
	b := batch(t, graphs)
	input, err := InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	opt := DefaultSupervised(options(t, "gckn-subtree"))
	opt.Epochs = 3
	targets := &model.Targets{Task: model.GraphTask, Names: make([]string, slices.Max(classes)+1), Classes: classes}
	return &Training{Examples: Examples{InMemory(b), targets}, Input: input, Options: opt}
}

func classesOf(n int) []int {
	classes := make([]int, n)
	for i := range classes {
		classes[i] = i % 2
	}
	return classes
}

// Degenerate data have a model that predicts numbers.
func TestSupervisedEstimatorChecks(t *testing.T) {
	cases := map[string]func() *Training{
		"one class": func() *Training { return small(t, molecules(t, 9, 1), make([]int, 9)) },
		"one class of three": func() *Training {
			x := small(t, molecules(t, 9, 1), slices.Repeat([]int{1}, 9))
			x.Examples.Targets.Names = make([]string, 3)
			return x
		},
		"one graph": func() *Training {
			graphs := molecules(t, 12, 4)
			return small(t, graphs[2:3], []int{1})
		},
		"empty graphs": func() *Training {
			graphs := molecules(t, 12, 1)
			graphs[3], graphs[7] = graph.Graph{Labels: []int32{}}, graph.Graph{Labels: []int32{}}
			return small(t, graphs, classesOf(12))
		},
		"isolated vertices": func() *Training {
			graphs := molecules(t, 12, 1)
			for i := range 4 {
				graphs[i] = graph.Graph{NumVertices: 3, Labels: []int32{0, 1, 2}}
			}
			return small(t, graphs, classesOf(12))
		},
		"a single label": func() *Training {
			graphs := molecules(t, 12, 1)
			for _, g := range graphs {
				clear(g.Labels)
			}
			return small(t, graphs, classesOf(12))
		},
		"a single attribute": func() *Training {
			graphs := molecules(t, 12, 1)
			for i := range graphs {
				g := &graphs[i]
				g.AttributeDim, g.Labels = 1, nil
				for v := range g.NumVertices {
					g.Attributes = append(g.Attributes, float64(v%3)-1) // a zero vector among them
				}
			}
			return small(t, graphs, classesOf(12))
		},
		"no validation part, a held-out one": func() *Training {
			x := small(t, molecules(t, 12, 1), classesOf(12))
			x.Validation = []int{0, 1, 5}
			return x
		},
	}
	for name, make := range cases {
		t.Run(name, func(t *testing.T) {
			e, training := enginetest.Open(t, 1), make()
			m := supervise(t, e, training)
			b := training.Examples.Graphs.(inMemory).Batch
			out := outputsOf(t, m, b)
			if len(out) != b.NumGraphs()*training.Examples.outputs() || slices.ContainsFunc(out, math.IsNaN) {
				t.Errorf("outputs %v", out)
			}
			said, err := m.Predict(context.Background(), b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "one class") && !slices.Equal(said.Classes, training.Examples.Targets.Classes) {
				t.Errorf("predicted %v", said.Classes)
			}
			if again := supervise(t, e, training); bytesOf(t, again) != bytesOf(t, m) {
				t.Error("a second fit gives another model")
			}
			for _, r := range m.Records {
				if (len(r.Scores) == 1) != (training.Validation != nil) {
					t.Errorf("scores %v", r.Scores)
				}
			}
		})
	}
}

// What cannot be trained is refused in one line.
func TestSupervisedRefuses(t *testing.T) {
	attributes := func(value float64) func(*Training) {
		return func(x *Training) {
			b := *x.Examples.Graphs.(inMemory).Batch
			b.Attributes, b.AttributeDim = make([]float64, 2*b.NumVertices()), 2
			b.Attributes[5] = value
			x.Examples.Graphs, x.Input = InMemory(&b), Input{Attributes: 2}
		}
	}
	for want, change := range map[string]func(*Training){
		"attribute 1 of vertex 2 is NaN":   attributes(math.NaN()),
		"is NaN or infinite":               attributes(math.Inf(1)),
		"item 2 has class 7":               func(x *Training) { x.Examples.Targets.Classes[2] = 7 },
		"classes or targets of 11 items":   func(x *Training) { x.Examples.Targets.Classes = classesOf(11) },
		"either classes or targets":        func(x *Training) { x.Examples.Targets.Values = make([]float64, 24) },
		"the training part is empty":       func(x *Training) { x.Train = []int{} },
		"the validation part is empty":     func(x *Training) { x.Validation = []int{} },
		"in the validation and in the tr":  func(x *Training) { x.Train, x.Validation = []int{1, 2}, []int{2} },
		"holds item 3 twice":               func(x *Training) { x.Train = []int{3, 3} },
		"holds item 99 of 12":              func(x *Training) { x.Validation = []int{99} },
		"holds item 4, which has no class": func(x *Training) { x.Train, x.Examples.Targets.Classes[4] = []int{4}, -1 },
		"the squared loss does not fit":    func(x *Training) { x.Options.Loss = autodiff.Squared },
		`loss "hinge"`:                     func(x *Training) { x.Options.Loss = "hinge" },
		"weights of 3 classes":             func(x *Training) { x.Options.ClassWeights = []float64{1, 1, 1} },
		"weight 0 of class 1":              func(x *Training) { x.Options.ClassWeights = []float64{1, 0} },
		"cannot be trained: want sum":      func(x *Training) { x.Options.Network.GlobalPooling = GeneralizedMax },
		"layer 1: generalised max":         func(x *Training) { x.Options.Network.Layers[0].Pooling = GeneralizedMax },
		"concatenated layers":              func(x *Training) { x.Options.Network.Concat = true },
		"rate 0":                           func(x *Training) { x.Options.Rate = 0 },
		"unknown precision":                func(x *Training) { x.Options.Precision = 9 },
		"-1 graphs":                        func(x *Training) { x.Options.StartGraphs = -1 },
		"no path of 9 vertices": func(x *Training) {
			x.Options.Network.Layers[0].PathSize, x.Train = 9, []int{0}
		},
		"want labels or attributes": func(x *Training) { x.Input = Input{} },
	} {
		graphs := molecules(t, 12, 1)
		graphs[0] = graph.Graph{NumVertices: 3, Labels: []int32{0, 1, 3}}
		training := small(t, graphs, classesOf(12))
		change(training)
		_, err := Supervise(context.Background(), enginetest.Open(t, 1), training)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with: %s", err, want)
		}
	}
	training := small(t, molecules(t, 12, 1), classesOf(12))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Supervise(ctx, enginetest.Open(t, 1), training); err == nil {
		t.Error("a cancelled training gives a model")
	}
}

// Predictions do not depend on the numbering of vertices, the order of graphs or what else is in the
// batch, and duplicates get the same.
func TestSupervisedMetamorphic(t *testing.T) {
	e := enginetest.Open(t, 1)
	graphs := molecules(t, 20, 6)
	m := supervise(t, e, small(t, graphs, classesOf(20)))
	want := outputsOf(t, m, batch(t, graphs))
	rng := rand.New(rand.NewPCG(8, 8))
	permuted := make([]graph.Graph, len(graphs))
	for i, g := range graphs {
		permuted[i] = permute(g, rng.Perm(g.NumVertices))
	}
	if err := closeTo(outputsOf(t, m, batch(t, permuted)), want, 1e-11); err != nil {
		t.Errorf("vertices in another order: %v", err)
	}
	var turned []float64
	for i := len(graphs) - 1; i >= 0; i-- {
		turned = append(turned, want[2*i:2*i+2]...)
	}
	backwards := slices.Clone(graphs)
	slices.Reverse(backwards)
	if err := closeTo(outputsOf(t, m, batch(t, backwards)), turned, 1e-11); err != nil {
		t.Errorf("graphs in another order: %v", err)
	}
	twice := outputsOf(t, m, batch(t, append(slices.Clone(graphs), graphs...)))
	if err := closeTo(twice, append(slices.Clone(want), want...), 1e-11); err != nil {
		t.Errorf("every graph twice: %v", err)
	}
	// Global sums of a disjoint union add up, but for one bias.
	union := append([]graph.Graph{joined(graphs[3], graphs[4])}, graphs...)
	got := outputsOf(t, m, batch(t, union))
	for k, bias := range m.Classifier.Bias {
		if sum := want[2*3+k] + want[2*4+k] - bias; math.Abs(got[k]-sum) > 1e-9*math.Abs(sum) {
			t.Errorf("disjoint union: output %g, want %g", got[k], sum)
		}
	}
}

// permute renumbers the vertices of a graph.
func permute(g graph.Graph, to []int) graph.Graph {
	out := graph.Graph{NumVertices: g.NumVertices, Labels: make([]int32, len(g.Labels))}
	for v, l := range g.Labels {
		out.Labels[to[v]] = l
	}
	for i := range g.Arcs.From {
		out.AddArc(int32(to[g.Arcs.From[i]]), int32(to[g.Arcs.To[i]]))
	}
	return out
}

// joined returns the disjoint union of two graphs.
func joined(a, b graph.Graph) graph.Graph {
	out := graph.Graph{NumVertices: a.NumVertices + b.NumVertices, Labels: append(slices.Clone(a.Labels), b.Labels...)}
	for i := range a.Arcs.From {
		out.AddArc(a.Arcs.From[i], a.Arcs.To[i])
	}
	shift := int32(a.NumVertices)
	for i := range b.Arcs.From {
		out.AddArc(b.Arcs.From[i]+shift, b.Arcs.To[i]+shift)
	}
	return out
}

// Columns of attributes in another order give the same model.
func TestSupervisedColumnOrder(t *testing.T) {
	e := enginetest.Open(t, 1)
	var want []float64
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		graphs, rng := molecules(t, 16, 2), rand.New(rand.NewPCG(1, 1))
		for i := range graphs {
			g := &graphs[i]
			g.AttributeDim, g.Labels = 3, nil
			for range g.NumVertices {
				row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				g.Attributes = append(g.Attributes, row[order[0]], row[order[1]], row[order[2]])
			}
		}
		training := small(t, graphs, classesOf(16))
		training.Options.Rate, training.Options.Decay = 1e-5, 1 // so that rounding is not amplified
		got := outputsOf(t, supervise(t, e, training), training.Examples.Graphs.(inMemory).Batch)
		if want == nil {
			want = got
		}
		if err := closeTo(got, want, 1e-3); err != nil {
			t.Error(err)
		}
	}
}
