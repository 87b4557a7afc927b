package mpgk

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// generated returns a small data set with classes.
func generated(t *testing.T) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 30, Vertices: 8, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// weighed returns the same graphs with numbers to predict.
func weighed(t *testing.T) *dataset.Dataset {
	d := generated(t)
	d.Task, d.Classes, d.ClassNames, d.TargetNames = dataset.GraphRegression, nil, nil, []string{"weight"}
	for g := range d.NumGraphs() {
		from, to := d.Batch.Vertices(g)
		weight := 0.0
		for _, l := range d.Batch.Labels[from:to] {
			weight += 1 + float64(l)/2
		}
		d.Targets = append(d.Targets, weight)
	}
	return d
}

// said are all predictions, to compare exactly.
func said(t *testing.T, m model.Model, d *dataset.Dataset) string {
	t.Helper()
	p, err := m.Predict(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(p.Classes)
	for _, x := range []*tensor.Dense{p.Decisions, p.Values} {
		if x != nil {
			text += fmt.Sprintf(" %x", x.Float64s())
		}
	}
	return text
}

// throughModelFile saves and loads a model.
func throughModelFile(t *testing.T, m model.Model) model.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.grove")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	loaded, err := model.Load(path, engine.NewCPU(2))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// small are estimators of all kinds for classes, or for numbers.
func small(t *testing.T, regression bool) []model.Estimator {
	var all []model.Estimator
	for _, name := range Variants() {
		s := Estimator{Options: mustPreset(t, name), C: []float64{10}, Epsilon: 0.1}
		s.Options.Iterations = 2
		all = append(all, s)
		s.Options.SumIterations, s.Options.Landmarks, s.Options.Normalise = true, 5, true
		all = append(all, s)
		if regression {
			s.Options.GraphLandmarks = 6
			o := autodiff.DefaultMLP()
			o.Hidden, o.Epochs = 4, 3
			all = append(all, NetworkEstimator{s, o})
		}
	}
	return all
}

func TestModelsPredictTheSameFromTheirFiles(t *testing.T) {
	for _, d := range []*dataset.Dataset{generated(t), weighed(t)} {
		for _, est := range small(t, d.Targets != nil) {
			m, err := model.Fit(t.Context(), d, est, engine.NewCPU(1))
			if err != nil {
				t.Fatal(err)
			}
			if one, two := said(t, m, d), said(t, throughModelFile(t, m), d); one != two {
				t.Errorf("%s, %s: %s, from the file %s", est.Name(), est, one, two)
			}
		}
	}
}

// Estimators of several numbers of iterations share a fit, and get the models that they have alone; from a part of the
// graphs as well.
func TestModelsOfASharedFitAreThoseOfTheirOwn(t *testing.T) {
	for _, d := range []*dataset.Dataset{generated(t), weighed(t)} {
		var train []int
		for g := range d.NumGraphs() {
			if g%3 > 0 {
				train = append(train, g)
			}
		}
		for _, est := range small(t, d.Targets != nil) {
			var files [2]model.Model
			for i, shared := range []int{0, 4} {
				one := est
				switch s := est.(type) {
				case Estimator:
					s.shared = shared
					one = s
				case NetworkEstimator:
					s.Kernel.shared = shared
					one = s
				}
				w := model.NewWork(d, engine.NewCPU(1)).InFold(train)
				l, err := one.Learner(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				trial := model.Trial{Train: train, Known: model.TargetsOf(d).Only(train), Grid: one.Grid().Values, Workers: 1}
				m, err := l.Model(t.Context(), trial)
				if err != nil {
					t.Fatal(err)
				}
				m.About().Training.Graphs = len(train)
				trial.Test = []int{0, 3, 6}
				predicted, err := l.Learn(t.Context(), trial)
				if err != nil {
					t.Fatal(err)
				}
				of := d.Select(trial.Test)
				again, err := m.Predict(t.Context(), of, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(predicted[0].Classes, again.Classes) ||
					d.Targets != nil && !near(predicted[0].Values, again.Values) {
					t.Errorf("%s, %s: the learner says %v, its model %v", est.Name(), est, predicted[0], again)
				}
				files[i] = throughModelFile(t, m)
			}
			if a, b := parts(t, files[0]), parts(t, files[1]); a != b {
				t.Errorf("%s, %s: another model out of a shared fit", est.Name(), est)
			}
		}
	}
}

func near(a, b *tensor.Dense) bool {
	for i, v := range a.Float64s() {
		if math.Abs(v-b.Float64s()[i]) > 1e-9*(1+math.Abs(v)) {
			return false
		}
	}
	return true
}

// parts are what a model file holds, to compare exactly.
func parts(t *testing.T, m model.Model) string {
	t.Helper()
	description, tensors, err := m.Parts()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s", reflect.ValueOf(description).FieldByName("Kernel").Interface())
	for name, x := range tensors {
		text += fmt.Sprintf("\n%s %x", name, x.Data())
	}
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestRepresentations(t *testing.T) {
	d := generated(t)
	for _, name := range Variants() {
		all := estimators(t, d, name, model.Embed, "graph-landmarks=6", "dims=3", "iterations=2")
		w := model.NewWork(d, engine.NewCPU(1)).Whole()
		for _, perVertex := range []bool{false, true} {
			e, err := all[0].(model.Encoder).Encoder(t.Context(), w, perVertex)
			if err != nil {
				t.Fatal(err)
			}
			x, err := model.Matrix(t.Context(), e, d, perVertex)
			if err != nil {
				t.Fatal(err)
			}
			rows, columns := d.NumGraphs(), 12
			if perVertex {
				rows, columns = d.Batch.NumVertices(), 3
			}
			if x.Shape()[0] != rows || x.Shape()[1] > columns {
				t.Errorf("%s: vectors of shape %v, want %d x %d", name, x.Shape(), rows, columns)
			}
			if _, err := model.Matrix(t.Context(), e, d, !perVertex); err == nil {
				t.Errorf("%s: vectors of another kind than asked for", name)
			}
		}
	}
	none := Estimator{Options: mustPreset(t, "mpgk-aa")}
	w := model.NewWork(d, engine.NewCPU(1))
	if _, err := none.Encoder(t.Context(), w, false); !errors.Is(err, errWithoutLandmarks) {
		t.Errorf("features without landmarks: %v", err)
	}
}

// renamed returns d with its vertex labels numbered the other way round.
func renamed(d *dataset.Dataset) *dataset.Dataset {
	b := *d.Batch
	b.Labels = slices.Clone(b.Labels)
	for v, l := range b.Labels {
		b.Labels[v] = int32(b.NumLabels) - 1 - l
	}
	return d.WithBatch(&b)
}

// What labels are called changes no bit.
func TestNamesOfLabelsDoNotMatter(t *testing.T) {
	for _, d := range []*dataset.Dataset{generated(t), weighed(t)} {
		other := renamed(d)
		for _, est := range small(t, d.Targets != nil) {
			var texts [2]string
			for i, set := range []*dataset.Dataset{d, other} {
				m, err := model.Fit(t.Context(), set, est, engine.NewCPU(1))
				if err != nil {
					t.Fatal(err)
				}
				texts[i] = said(t, m, set) + parts(t, m)
			}
			if texts[0] != texts[1] {
				t.Errorf("%s, %s: other names of labels make another model", est.Name(), est)
			}
		}
	}
}
