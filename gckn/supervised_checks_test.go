package gckn

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
)

// small returns a training on given graphs.
func small(t *testing.T, graphs []graph.Graph, classes []int) *Training {
	t.Helper()
	b := batch(t, graphs)
	input, err := train.InputOf(b)
	if err != nil {
		t.Fatal(err)
	}
	opt := DefaultSupervised(options(t, "gckn-subtree"))
	opt.Epochs = 3
	targets := &model.Targets{Task: model.GraphTask, Names: make([]string, slices.Max(classes)+1), Classes: classes}
	examples := train.Examples{Graphs: train.InMemory(b), Input: input, Targets: targets}
	return &Training{Training: train.Training{Examples: examples}, Options: opt}
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
			b := training.Examples.Whole()
			out := outputsOf(t, m, b)
			if len(out) != b.NumGraphs()*training.Examples.Outputs() || slices.ContainsFunc(out, math.IsNaN) {
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

// What cannot be trained is refused in one line, and so is what package train refuses.
func TestSupervisedRefuses(t *testing.T) {
	for want, change := range map[string]func(*Training){
		"the training part is empty": func(x *Training) { x.Train = []int{} },
		"rate 0":                     func(x *Training) { x.Options.Rate = 0 },
		"concatenated layers":        func(x *Training) { x.Options.Network.Concat = true },
		"unknown precision":          func(x *Training) { x.Options.Precision = 9 },
		"-1 graphs":                  func(x *Training) { x.Options.StartGraphs = -1 },
		"no path of 9 vertices": func(x *Training) {
			x.Options.Network.Layers[0].PathSize, x.Train = 9, []int{0}
		},
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

// Files of models and checkpoints keep the order of the options, and without a batch size there is the default.
func TestSupervisedOptionsAsText(t *testing.T) {
	o := DefaultSupervised(options(t, "gckn-path"))
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	names, last := []string{"network", "loss", "epochs", "batch_size", "rate", "halve_every", "decay", "class_weights",
		"patience", "alternate", "exact_gradient", "start_graphs", "max_loss", "precision"}, -1
	for _, name := range names {
		at := strings.LastIndex(string(text), `"`+name+`":`)
		if at <= last || strings.Count(string(text), `"`+name+`":`) != 1 {
			t.Errorf("%s is at %d after %d of %s", name, at, last, text)
		}
		last = at
	}
	training := small(t, molecules(t, 12, 1), classesOf(12))
	training.Options.BatchSize = 0
	if m := supervise(t, enginetest.Open(t, 1), training); m.Options.BatchSize != 32 {
		t.Errorf("batches of %d", m.Options.BatchSize)
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
		got := outputsOf(t, supervise(t, e, training), training.Examples.Whole())
		if want == nil {
			want = got
		}
		if err := closeTo(got, want, 1e-3); err != nil {
			t.Error(err)
		}
	}
}
