package treeg

import (
	"context"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// walkCounts are the tasks of appendix E, with a target for each walk type: the number of walks that start in a red
// vertex, that start and end in the same red vertex, that end in a red vertex, and that start and end in red vertices.
type walkCounts struct {
	batch  *graph.Batch
	counts [walks.NumWalks][]float64
}

func newWalkCounts(t testing.TB, opt dataset.WalkCountOptions) *walkCounts {
	t.Helper()
	d, err := dataset.WalkCounts(opt)
	if err != nil {
		t.Fatal(err)
	}
	w := &walkCounts{batch: d.Batch}
	for i, y := range d.Targets {
		walk := i % len(d.TargetNames)
		w.counts[walk] = append(w.counts[walk], y)
	}
	return w
}

// mse returns the mean squared error on the test part, graphs whose number ends in 8 or 9, of a model that may use the
// given walk types.
func (w *walkCounts) mse(t testing.TB, task Walk, walks ...Walk) float64 {
	t.Helper()
	opt := Defaults(Graphs, Boosting)
	opt.Walks, opt.Keep, opt.Estimators, opt.LearningRate = walks, 1, 40, 0.2
	var train, test []int
	for g := range w.batch.NumGraphs() {
		if g%10 >= 8 {
			test = append(test, g)
		} else {
			train = append(train, g)
		}
	}
	y := w.counts[task]
	m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), w.batch, Targets{Values: y, Train: train}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Scores(context.Background(), w.batch)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, g := range test {
		sum += (values[g] - y[g]) * (values[g] - y[g])
	}
	return sum / float64(len(test))
}

// Walks of each type are counted better with that type than with any other, and better than with the other three
// together (figures 8 to 11), where vertices show a number and splits find out which are red. Where vertices show
// whether they are, that feature alone does what some types are for.
func TestEachWalkTypeHasItsTask(t *testing.T) {
	w := newWalkCounts(t, dataset.WalkCountOptions{Seed: 1, Graphs: 1000, Shades: true})
	for task := Source; task <= TargetSource; task++ {
		own := w.mse(t, task, task)
		var others []Walk
		for walk := Source; walk <= TargetSource; walk++ {
			if walk == task {
				continue
			}
			others = append(others, walk)
			if other := w.mse(t, task, walk); own >= other {
				t.Errorf("%s walks: error %.3g, with %s walks %.3g", task, own, walk, other)
			}
		}
		if three := w.mse(t, task, others...); own >= three {
			t.Errorf("%s walks: error %.3g, with the other three %.3g", task, own, three)
		}
	}
}

// goldenTasks is a file of kind synthetic_tasks.
type goldenTasks struct {
	Red struct {
		Seed     uint64
		Graphs   int      `json:"n_graphs"`
		Vertices int      `json:"n_vertices"`
		Edge     float64  `json:"p_edge"`
		Share    float64  `json:"p_red"`
		Rows     [][6]int `json:"first_20"`
		Totals   map[string]int
	} `json:"red_isolated"`
	Walks struct {
		Seed      uint64
		Graphs    int          `json:"n_graphs"`
		Vertices  int          `json:"n_vertices"`
		Edge      float64      `json:"p_edge"`
		Share     float64      `json:"p_red"`
		Length    int          `json:"walk_length"`
		Rows      [][6]float64 `json:"first_20"`
		Means     [walks.NumWalks]float64
		Variances [walks.NumWalks]float64
	} `json:"walk_count"`
}

func TestGoldenSyntheticTasks(t *testing.T) {
	treegtest.EachGolden(t, func(t *testing.T, g *goldenTasks) {
		c := &g.Walks
		w := newWalkCounts(t, dataset.WalkCountOptions{
			Seed: c.Seed, Graphs: c.Graphs, Vertices: c.Vertices, EdgeShare: c.Edge, RedShare: c.Share, Length: c.Length,
		})
		for i, want := range c.Rows {
			from, to := w.batch.Vertices(i)
			got := [6]float64{float64(w.batch.RowPtr[to] - w.batch.RowPtr[from])}
			for _, label := range w.batch.Labels[from:to] {
				got[1] += float64(label)
			}
			for walk, y := range w.counts {
				got[2+walk] = y[i]
			}
			if got != want {
				t.Errorf("graph %d: %v, want %v", i, got, want)
			}
		}
		for walk, y := range w.counts {
			if m := Squared.objective(0).start(y); !treegtest.Near(m, c.Means[walk], 1e-9) ||
				!treegtest.Near(treegtest.Squares(y)/float64(len(y)), c.Variances[walk], 1e-6) {
				t.Errorf("%s: mean %g and variance %g, want %g and %g",
					Walk(walk), m, treegtest.Squares(y)/float64(len(y)), c.Means[walk], c.Variances[walk])
			}
		}
		g.checkExactTree(t)
	}, "synthetic_tasks")
}

// checkExactTree sends the red isolated graphs through the tree that decides them (golden README): isolated vertices
// are those that get no walk of length 1; exactly one of them is red.
func (g *goldenTasks) checkExactTree(t *testing.T) {
	set, err := dataset.Synth("red-isolated", dataset.SynthOptions{
		Seed: g.Red.Seed, Graphs: g.Red.Graphs, Vertices: g.Red.Vertices, Degree: g.Red.Edge * float64(g.Red.Vertices-1),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.AppendLabels(set.Batch) // blue, red
	any := Arcs{Type: AllArcs}
	red := Split{Feature: 1, Arcs: any, Walk: Target, Aggregation: Sum, Pointer: 1, Threshold: 0.5}
	again := red
	again.Pointer, again.Threshold = 2, 1.5
	root := Split{Feature: 2, Length: 1, Arcs: any, Aggregation: Min, Threshold: 0.5}
	one, zero := []float64{1}, []float64{0}
	tree := &Tree{Nodes: []Node{
		{Split: &root, LTE: 1, GT: 2}, {Split: &red, LTE: 3, GT: 4}, {Value: zero}, {Value: zero},
		{Split: &again, LTE: 5, GT: 6}, {Value: one}, {Value: zero},
	}}
	m := modelOf(t, Graphs, b, tree)
	m.input.Constant = true
	values, err := m.Scores(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range set.Classes {
		if values[i] != float64(c) {
			t.Errorf("graph %d of class %d: the exact tree says %g", i, c, values[i])
		}
	}
}
