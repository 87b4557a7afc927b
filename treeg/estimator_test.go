package treeg_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
)

// synth generates a small data set.
func synth(t *testing.T, kind string, graphs, vertices int) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth(kind, dataset.SynthOptions{Graphs: graphs, Vertices: vertices})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// byEdge returns molecules whose bonds are to be classified.
func byEdge(t *testing.T, graphs int) *dataset.Dataset {
	t.Helper()
	d, err := synth(t, "molecules", graphs, 10).ByEdge()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sizes returns molecules whose number of vertices is to be predicted.
func sizes(t *testing.T, graphs int) *dataset.Dataset {
	t.Helper()
	d := synth(t, "molecules", graphs, 10)
	d.Task, d.Classes, d.ClassNames, d.TargetNames = dataset.GraphRegression, nil, nil, []string{"vertices"}
	for g := range graphs {
		from, to := d.Batch.Vertices(g)
		d.Targets = append(d.Targets, float64(to-from))
	}
	return d
}

// few returns an ensemble that is grown in no time.
func few(level treeg.Level, ensemble treeg.Ensemble) treeg.Estimator {
	o := treeg.Defaults(level, ensemble)
	o.Estimators, o.MaxLeaves = 4, 4
	return treeg.Estimator{Options: o}
}

func fit(t *testing.T, d *dataset.Dataset, est treeg.Estimator, value ...float64) *treeg.Trained {
	t.Helper()
	m, err := model.FitWork(context.Background(), model.NewWork(d, engine.NewCPU(2)), est, value)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*treeg.Trained)
}

func predict(t *testing.T, m model.Model, d *dataset.Dataset) *model.Predictions {
	t.Helper()
	said, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// same fails where two predictions differ in a bit.
func same(t *testing.T, what string, a, b *model.Predictions) {
	t.Helper()
	numbers := func(p *model.Predictions) []float64 {
		if p.Classes == nil {
			return p.Values.Float64s()
		}
		return p.Probabilities.Float64s()
	}
	if !slices.Equal(a.Classes, b.Classes) || !slices.Equal(numbers(a), numbers(b)) {
		t.Errorf("%s: the predictions differ", what)
	}
}

// What is fitted, saved and loaded predicts the same bits, for every task and ensemble.
func TestTrainedModelsAreSavedAndLoaded(t *testing.T) {
	for task, d := range map[string]*dataset.Dataset{
		"graphs": synth(t, "molecules", 40, 10), "vertices": synth(t, "block-model", 1, 60), "edges": byEdge(t, 12),
		"numbers": sizes(t, 30),
	} {
		level := treeg.Vertices
		if model.TaskOf(d) == model.GraphTask {
			level = treeg.Graphs
		}
		for _, ensemble := range []treeg.Ensemble{treeg.Boosting, treeg.Forest, treeg.ExtraTrees, treeg.Single} {
			what := fmt.Sprintf("%s of %s", ensemble, task)
			m := fit(t, d, few(level, ensemble))
			path := filepath.Join(t.TempDir(), "m.grove")
			if err := model.Save(path, m); err != nil {
				t.Fatal(err)
			}
			loaded, err := model.Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			said := predict(t, m, d)
			same(t, what, said, predict(t, loaded, d))
			if !reflect.DeepEqual(loaded.About(), m.About()) {
				t.Errorf("%s: about %+v, saved %+v", what, loaded.About(), m.About())
			}
			right := 0
			for i, c := range loaded.About().Truth(d) {
				if said.Classes[i] == c {
					right++
				}
			}
			if n := len(loaded.About().Truth(d)); n > 0 && right < n/2 {
				t.Errorf("%s: %d of %d examples of training are right", what, right, n)
			}
		}
	}
}

// One fit serves all numbers of estimators, and gives what fits of their own give.
func TestRoundsShareAFit(t *testing.T) {
	ctx, d := context.Background(), synth(t, "molecules", 40, 10)
	w := model.NewWork(d, engine.NewCPU(1))
	targets := model.TargetsOf(d)
	for _, ensemble := range []treeg.Ensemble{treeg.Boosting, treeg.Forest} {
		grid := few(treeg.Graphs, ensemble)
		grid.Rounds = []int{2, 5, 7}
		l, err := grid.Learner(ctx, w)
		if err != nil {
			t.Fatal(err)
		}
		trial := targets.All(grid.Grid().Values, 1)
		trial.Train, trial.Test = trial.Train[:30], trial.Train[30:]
		trial.Known = targets.Only(trial.Train)
		all, err := l.Learn(ctx, trial)
		if err != nil || len(all) != 3 {
			t.Fatalf("%d predictions: %v", len(all), err)
		}
		for k, n := range grid.Rounds {
			alone := few(treeg.Graphs, ensemble)
			alone.Options.Estimators = n
			trial.Grid = nil
			own, err := alone.Learner(ctx, w)
			if err != nil {
				t.Fatal(err)
			}
			one, err := own.Learn(ctx, trial)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%d rounds of %s", n, ensemble), all[k], one[0])
			a, _, _ := fit(t, d, grid, float64(n)).Parts()
			if b, _, _ := fit(t, d, alone).Parts(); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: the model of %d rounds out of a grid is another one", ensemble, n)
			}
		}
	}
}

// Estimators of one search prepare the walks once for a number of workers.
func TestWalksAreShared(t *testing.T) {
	ctx, d := context.Background(), synth(t, "molecules", 30, 10)
	w := model.NewWork(d, engine.NewCPU(1))
	prepared := func(est treeg.Estimator) bool {
		_, before := w.Spent.Times()
		if _, err := est.Learner(ctx, w.InFold([]int{0, 1, 2})); err != nil {
			t.Fatal(err)
		}
		_, after := w.Spent.Times()
		return after > before
	}
	est, other := few(treeg.Graphs, treeg.Boosting), few(treeg.Graphs, treeg.Forest)
	if !prepared(est) || prepared(other) {
		t.Error("the first estimator prepares the walks, and the second takes them")
	}
	if other.Options.MeanSteps = true; !prepared(other) {
		t.Error("walks of means are taken from sums")
	}
	if w.Engine = engine.NewCPU(2); !prepared(est) {
		t.Error("walks for one worker are taken for two")
	}
}

// Static features are compared with; no model keeps them.
func TestStaticEstimator(t *testing.T) {
	ctx := context.Background()
	for level, d := range map[treeg.Level]*dataset.Dataset{
		treeg.Graphs: synth(t, "molecules", 60, 10), treeg.Vertices: synth(t, "block-model", 1, 60),
	} {
		est, length := few(level, treeg.Boosting), 1
		est.Static = &length
		l, err := est.Learner(ctx, model.NewWork(d, engine.NewCPU(1)))
		if err != nil {
			t.Fatal(err)
		}
		targets := model.TargetsOf(d)
		trial := targets.All(nil, 1)
		trial.Test = trial.Train
		said, err := l.Learn(ctx, trial)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, c := range said[0].Classes {
			if c == targets.Classes[i] {
				right++
			}
		}
		if right < 40 {
			t.Errorf("%s: %d of 60 are right", level, right)
		}
		if _, err := l.Model(ctx, trial); err == nil || !strings.Contains(err.Error(), "static 1: ") {
			t.Errorf("%s: a model of static features: %v", level, err)
		}
		if s := est.String(); !strings.Contains(s, "static features to 1") {
			t.Errorf("%s: it says %s", level, s)
		}
	}
}

func TestEstimatorsRefuse(t *testing.T) {
	ctx := context.Background()
	graphs, vertices, two := synth(t, "molecules", 20, 10), synth(t, "block-model", 1, 60), sizes(t, 10)
	two.TargetNames, two.Targets = []string{"a", "b"}, slices.Concat(two.Targets, two.Targets)
	for want, c := range map[string]struct {
		d      *dataset.Dataset
		change func(*treeg.Estimator)
	}{
		`level "graph" where each vertex`: {vertices, func(*treeg.Estimator) {}},
		"1 leaves":                        {graphs, func(e *treeg.Estimator) { e.Options.MaxLeaves = 1 }},
		"targets a, b":                    {two, func(*treeg.Estimator) {}},
		"features raw: ":                  {graphs, func(e *treeg.Estimator) { e.Features = dataset.RawAttributes }},
		"from 1 on":                       {graphs, func(e *treeg.Estimator) { e.Rounds = []int{3, 0} }},
		"want some":                       {graphs, func(e *treeg.Estimator) { e.Rounds = []int{} }},
		"patience": {graphs, func(e *treeg.Estimator) {
			e.Rounds, e.Options.Patience = []int{3, 4}, 2
		}},
		"single tree": {graphs, func(e *treeg.Estimator) {
			e.Rounds, e.Options.Ensemble = []int{3, 4}, treeg.Single
		}},
	} {
		est := few(treeg.Graphs, treeg.Boosting)
		c.change(&est)
		if _, err := est.Learner(ctx, model.NewWork(c.d, engine.NewCPU(1))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	w := model.NewWork(graphs, engine.NewCPU(1))
	if _, err := few(treeg.Graphs, treeg.Boosting).Learner(cancelled, w); err == nil {
		t.Error("a cancelled context is no error")
	}
}

// A model of edges takes data sets that do not ask about them, and none whose graphs are directed in another way.
func TestEdgesAreAskedForByTheModel(t *testing.T) {
	d := synth(t, "molecules", 12, 10)
	asks, err := d.ByEdge()
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, asks, few(treeg.Vertices, treeg.Boosting))
	same(t, "edges", predict(t, m, asks), predict(t, m, d))
	bare := *d
	batch := *d.Batch
	batch.ArcLabels, bare.ArcLabelNames, bare.Batch = nil, nil, &batch
	same(t, "edges without labels", predict(t, m, asks), predict(t, m, &bare))
	batch.Directed = true
	if _, err := m.Predict(context.Background(), &bare, nil); err == nil || !strings.Contains(err.Error(), "directed") {
		t.Errorf("directed graphs: %v", err)
	}
	whole := fit(t, d, few(treeg.Graphs, treeg.Boosting))
	if said := predict(t, whole, asks); said.Len() != d.NumGraphs() {
		t.Errorf("a model of graphs says something of %d examples, there are %d graphs", said.Len(), d.NumGraphs())
	}
}

// Class 2 has the large values and the missing ones. One split tells it apart if missing values go to their own side,
// but not if they are replaced by the mean, which lies among those of class 1.
func TestMissingAttributesAreSeen(t *testing.T) {
	d := synth(t, "block-model", 1, 40)
	b := *d.Batch
	b.Attributes, b.AttributeDim = make([]float64, 40), 1
	d.Batch, d.ClassNames, d.VertexClasses = &b, []string{"1", "2"}, make([]int, 40)
	for v := range b.Attributes {
		b.Attributes[v] = float64(v % 4)
		switch {
		case v < 8:
			d.Missing, d.VertexClasses[v], b.Attributes[v] = append(d.Missing, v), 1, 1.5
		case v < 10:
			d.VertexClasses[v], b.Attributes[v] = 1, 6
		}
	}
	est := few(treeg.Vertices, treeg.Single)
	est.Options.MaxLeaves, est.Options.MaxLength = 2, 0
	if said := predict(t, fit(t, d, est), d); !slices.Equal(said.Classes, d.VertexClasses) {
		t.Errorf("one split says %v", said.Classes)
	}
}
