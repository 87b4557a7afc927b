package model_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/wl"
	"gorgonia.org/tensor"
)

func TestTargetsOfSomeExamples(t *testing.T) {
	classes := &model.Targets{Task: model.NodeTask, Names: []string{"a", "b"}, Classes: []int{0, -1, 1, 1}}
	nan := math.NaN()
	numbers := &model.Targets{Names: []string{"x", "y"}, Values: []float64{1, 2, 3, nan, 5, 6}}
	if got := classes.Known(); !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("known classes %d", got)
	}
	if got := numbers.Known(); !slices.Equal(got, []int{0, 2}) || numbers.Len() != 3 || numbers.Width() != 2 {
		t.Errorf("known numbers %d of %d", got, numbers.Len())
	}
	only := classes.Only([]int{2})
	if !slices.Equal(only.Classes, []int{-1, -1, 1, -1}) || !slices.Equal(classes.Classes, []int{0, -1, 1, 1}) {
		t.Errorf("of example 2 alone %d, of all %d", only.Classes, classes.Classes)
	}
	if got := numbers.Only([]int{2}); !math.IsNaN(got.Values[0]) || got.Values[4] != 5 || got.Len() != 3 {
		t.Errorf("of example 2 alone %g", got.Values)
	}
	if got := classes.Of([]int{3, 0}); !slices.Equal(got.Classes, []int{1, 0}) || got.Task != model.NodeTask {
		t.Errorf("of 3 and 0 %+v", got)
	}
	if got := numbers.Of([]int{2, 0}); !slices.Equal(got.Values, []float64{5, 6, 1, 2}) {
		t.Errorf("of 2 and 0 %g", got.Values)
	}
	all := classes.All([]float64{2}, 0)
	if !slices.Equal(all.Train, []int{0, 2, 3}) || all.Test != nil || all.Workers != 1 ||
		!slices.Equal(all.Grid, []float64{2}) {
		t.Errorf("%+v", all)
	}
}

func TestDecideIsWhatDecisionsSpeakFor(t *testing.T) {
	matrix := func(rows, columns int, x ...float64) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(x))
	}
	two := model.Decide(matrix(3, 1, -1, 0, 2), []int{0, 1}, 2)
	three := model.Decide(matrix(3, 3, 1, 1, 0, 0, 1, 2, -3, -1, -2), []int{0, 1, 2}, 3)
	if !slices.Equal(two.Classes, []int{0, 0, 1}) || !slices.Equal(three.Classes, []int{0, 2, 1}) {
		t.Errorf("classes %d of one decision, %d of three", two.Classes, three.Classes)
	}
	absent := model.Decide(matrix(2, 1, -1, 2), []int{0, 2}, 3)
	if want := []float64{1, model.NeverSeen, -1, -2, model.NeverSeen, 2}; !slices.Equal(absent.Classes, []int{0, 2}) ||
		!slices.Equal(absent.Decisions.Float64s(), want) {
		t.Errorf("without class 1 of three: %+v", absent)
	}
	for only, want := range []float64{model.NeverSeen, -model.NeverSeen} {
		alone := model.Decide(matrix(1, 1, 0), []int{only}, 2)
		if alone.Classes[0] != only || !slices.Equal(alone.Decisions.Float64s(), []float64{want}) {
			t.Errorf("of class %d of two alone: %+v", only, alone)
		}
	}
	some := three.Of([]int{2, 0})
	if some.Len() != 2 || !slices.Equal(some.Classes, []int{1, 0}) || some.Values != nil || some.Probabilities != nil ||
		!slices.Equal(some.Decisions.Float64s(), []float64{-3, -1, -2, 1, 1, 0}) {
		t.Errorf("%+v", some)
	}
	values := &model.Predictions{Values: model.Column([]float64{4, 5})}
	if values.Len() != 2 || values.Of([]int{1}).Values.Float64s()[0] != 5 {
		t.Errorf("%+v", values)
	}
}

func TestTruthIsByTheNamesOfClasses(t *testing.T) {
	d := molecules()
	other := *d
	other.ClassNames, other.Classes = []string{"1", "2"}, slices.Repeat([]int{0, 1, -1}, 20)
	h := model.HeadOf("wl", d)
	if got := h.Truth(&other); !slices.Equal(got[:3], []int{1, model.UnknownClass, model.NoClass}) {
		t.Errorf("truth %d", got[:3])
	}
}

// What is shared is computed once for all who ask at once, for each part of the work by itself; an error is not kept.
func TestSharedIsComputedOnce(t *testing.T) {
	type key struct{ n int }
	w := model.NewWork(molecules(), engine.NewCPU(1))
	part, same := w.InFold([]int{0, 1}), w.InFold([]int{0, 1})
	var computed atomic.Int64
	ask := func(w *model.Work, k key) int64 {
		v, err := model.Shared(w, k, func() (int64, error) { return computed.Add(1), nil })
		if err != nil {
			t.Error(err)
		}
		return v
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { ask(w, key{1}) })
	}
	all.Wait()
	if computed.Load() != 1 {
		t.Errorf("computed %d times", computed.Load())
	}
	if ask(part.Whole(), key{1}) != 1 || ask(w, key{2}) != 2 || ask(part, key{1}) != 3 || ask(same, key{1}) != 4 ||
		ask(part, key{1}) != 3 {
		t.Errorf("computed %d times by the whole, the parts and another key", computed.Load())
	}
	failed := errors.New("none yet")
	if _, err := model.Shared(w, key{3}, func() (int64, error) { return 0, failed }); err != failed {
		t.Errorf("error %v", err)
	}
	if ask(w, key{3}) != 5 {
		t.Error("an error is kept")
	}
}

func TestPartSeesItsGraphsAlone(t *testing.T) {
	w := model.NewWork(molecules(), engine.NewCPU(1))
	part := w.InFold([]int{3, 5})
	if w.Seen != nil || w.Blind || !slices.Equal(part.Seen, []int{3, 5}) || part.Blind || part.Data != w.Data {
		t.Errorf("%+v of %+v", part, w)
	}
	if whole := part.Whole(); whole.Seen != nil || !whole.Blind {
		t.Errorf("%+v", whole)
	}
	count := 0
	if err := w.Each(func(d *dataset.Dataset) error { count += d.NumGraphs(); return nil }); err != nil || count != 60 {
		t.Errorf("%d graphs, %v", count, err)
	}
}

func TestFitTakesOneValue(t *testing.T) {
	est := wl.Estimator{Options: wl.DefaultOptions(wl.Subtree), C: []float64{1, 2}}
	_, err := model.Fit(context.Background(), molecules(), est, nil)
	if err == nil || !strings.Contains(err.Error(), "2 values of C to choose from") {
		t.Errorf("error %v", err)
	}
	grid := est.Grid()
	if grid.Size() != 2 || grid.Value(0) != 1 ||
		!reflect.DeepEqual(grid.At(1), model.Grid{Name: "C", Values: []float64{2}}) {
		t.Errorf("%+v", grid)
	}
}

// A damaged file, one of an unknown kind and one that is none are errors that name it.
func TestFilesThatAreNone(t *testing.T) {
	est := wl.Estimator{Options: wl.DefaultOptions(wl.Subtree), C: []float64{1}}
	m, err := model.Fit(context.Background(), molecules(), est, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.grove")
	if err := model.Save(path, m); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{
		"cut": whole[:len(whole)/2], "flipped": flipped, "empty": nil, "longer": append(whole[:len(whole):len(whole)], 0),
	} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Load(path, nil); err == nil || !strings.Contains(err.Error(), "m.grove") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	m.About().Model = "nothing"
	if err := model.Save(path, m); err == nil || !strings.Contains(err.Error(), "not registered") {
		t.Errorf("error %v", err)
	}
}
