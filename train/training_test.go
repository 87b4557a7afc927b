package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// molecules returns a training on twelve molecules of two classes in turns, and its options.
func molecules(t *testing.T) (*Training, *Options) {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 12})
	if err != nil {
		t.Fatal(err)
	}
	input, err := InputOf(d.Batch)
	if err != nil {
		t.Fatal(err)
	}
	targets := &model.Targets{Task: model.GraphTask, Names: []string{"a", "b"}, Classes: make([]int, 12)}
	for i := range targets.Classes {
		targets.Classes[i] = i % 2
	}
	return &Training{Examples: Examples{InMemory(d.Batch), input, targets}},
		&Options{Epochs: 3, BatchSize: 4, Rate: 0.01, MaxLoss: 1e4}
}

// What cannot be trained is refused in one line.
func TestRefuses(t *testing.T) {
	attributes := func(value float64) func(*Training, *Options) {
		return func(x *Training, _ *Options) {
			b := *x.Examples.Whole()
			b.Attributes, b.AttributeDim = make([]float64, 2*b.NumVertices()), 2
			b.Attributes[5] = value
			x.Examples.Graphs, x.Examples.Input = InMemory(&b), Input{Attributes: 2}
		}
	}
	for want, change := range map[string]func(*Training, *Options){
		"attribute 1 of vertex 2 is NaN": attributes(math.NaN()),
		"is NaN or infinite":             attributes(math.Inf(1)),
		"item 2 has class 7":             func(x *Training, _ *Options) { x.Examples.Targets.Classes[2] = 7 },
		"classes or targets of 11 items": func(x *Training, _ *Options) {
			x.Examples.Targets.Classes = x.Examples.Targets.Classes[1:]
		},
		"either classes or targets":       func(x *Training, _ *Options) { x.Examples.Targets.Values = make([]float64, 24) },
		"the training part is empty":      func(x *Training, _ *Options) { x.Train = []int{} },
		"the validation part is empty":    func(x *Training, _ *Options) { x.Validation = []int{} },
		"in the validation and in the tr": func(x *Training, _ *Options) { x.Train, x.Validation = []int{1, 2}, []int{2} },
		"holds item 3 twice":              func(x *Training, _ *Options) { x.Train = []int{3, 3} },
		"holds item 99 of 12":             func(x *Training, _ *Options) { x.Validation = []int{99} },
		"item 12 of 12 is to be":          func(x *Training, _ *Options) { x.Unseen = []int{12} },
		"holds item 4, which has no class": func(x *Training, _ *Options) {
			x.Train, x.Examples.Targets.Classes[4] = []int{4}, -1
		},
		"want labels or attributes":     func(x *Training, _ *Options) { x.Examples.Input = Input{} },
		"the squared loss does not fit": func(_ *Training, o *Options) { o.Loss = autodiff.Squared },
		`loss "hinge"`:                  func(_ *Training, o *Options) { o.Loss = "hinge" },
		"weights of 3 classes":          func(_ *Training, o *Options) { o.ClassWeights = []float64{1, 1, 1} },
		"weight 0 of class 1":           func(_ *Training, o *Options) { o.ClassWeights = []float64{1, 0} },
		"batches of -1":                 func(_ *Training, o *Options) { o.BatchSize = -1 },
		"rate 0":                        func(_ *Training, o *Options) { o.Rate = 0 },
	} {
		x, o := molecules(t)
		change(x, o)
		if _, err := New(*x, *o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with: %s", err, want)
		}
	}
}

// What a training leaves open is filled in: the loss by the targets, the training part by what is labelled and not held
// out; a batch size of 0 is left to the family.
func TestOpenSettings(t *testing.T) {
	x, o := molecules(t)
	x.Validation, x.Examples.Targets.Classes[5], o.BatchSize = []int{0, 3}, -1, 0
	r, err := New(*x, *o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Train, []int{1, 2, 4, 6, 7, 8, 9, 10, 11}) || r.Options.Loss != autodiff.CrossEntropy ||
		r.Options.BatchSize != 0 || x.Train != nil || o.Loss != "" {
		t.Errorf("training %v with %+v", r.Train, r.Options)
	}
	if got := r.Targets([]int{5, 6}); got.Classes != nil || got.Values != nil {
		t.Errorf("targets of an item without a class: %+v", got)
	}
	r.Options.ClassWeights = []float64{2, 3}
	got := r.Targets([]int{3, 6})
	if !slices.Equal(got.Classes, []int32{1, 0}) || !slices.Equal(got.Weights, []float64{3, 2}) {
		t.Errorf("targets %+v", got)
	}
}

// A checkpoint belongs to data, parts and options, but for those that may change when a training goes on.
func TestIdentity(t *testing.T) {
	of := func(change func(*Training, *Options)) map[string]string {
		t.Helper()
		x, o := molecules(t)
		change(x, o)
		r, err := New(*x, *o)
		if err != nil {
			t.Fatal(err)
		}
		return r.identity(r.Options.Lasting())
	}
	want := of(func(*Training, *Options) {})
	for _, c := range []struct {
		changed string
		change  func(*Training, *Options)
	}{
		{"", func(_ *Training, o *Options) { o.Epochs, o.Patience, o.MaxLoss = 9, 5, 2 }},
		{"", func(x *Training, _ *Options) { x.Unseen = []int{1} }},
		{"options", func(_ *Training, o *Options) { o.Decay = 1 }},
		{"parts", func(x *Training, _ *Options) { x.Train = []int{1, 2} }},
		{"data", func(x *Training, _ *Options) { x.Examples.Targets.Classes[0] = 1 }},
	} {
		for name, value := range of(c.change) {
			if (value != want[name]) != (name == c.changed) {
				t.Errorf("%s is another one: %t, want a change of %q alone", name, value != want[name], c.changed)
			}
		}
	}
}

// All classes have the same share of the loss.
func TestBalancedWeights(t *testing.T) {
	got := BalancedWeights([]int{0, 0, 0, 1, -1}, 3)
	if want := []float64{4. / 9, 4. / 3, 1}; !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
}
