package eval

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
)

// After pass number p the predictions of graphs with an index below 5 p are right, up to pass 4, after
// which they become worse again.
func TestEpochs(t *testing.T) {
	classes := labels(40, 2)
	var mu sync.Mutex
	var passes []int
	e := Epochs{Name: "made up", Most: 6,
		Train: func(_ context.Context, seen []int, task Task, most int) ([]Targets, error) {
			mu.Lock()
			defer mu.Unlock()
			passes = append(passes, most)
			if !slices.Equal(seen, task.Train) && len(task.Train) == 30 {
				t.Errorf("seen %v, trained on %v", seen, task.Train)
			}
			out := make([]Targets, most)
			for p := range out {
				right := 10 * (p + 1)
				if p > 3 {
					right = 5
				}
				for _, g := range task.Test {
					class := classes[g]
					if g >= right {
						class = 1 - class
					}
					out[p].Classes = append(out[p].Classes, class)
				}
			}
			return out, nil
		}}
	folds, err := Stratified(classes, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Classes: classes, Folds: folds, Settings: []Setting{e}, FromTrain: true, HoldOut: true}
	o, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := Choice{Name: "made up", Grid: "epochs", Value: 4, Score: 1}
	if o.Chosen[0] != want || o.Mean != 1 || len(o.Curves[0].Mean) != 6 {
		t.Errorf("published %+v", o)
	}
	passes = nil
	if o, err = Nested(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	for _, c := range o.Chosen {
		if c.Value < 1 || c.Value > 4 || c.Score < 0.5 {
			t.Errorf("nested chose %+v", c)
		}
	}
	// One training with all passes to choose by and one with the chosen number for every fold.
	slices.Sort(passes)
	if len(passes) != 8 || passes[4] != 6 || passes[0] > 4 {
		t.Errorf("passes %v", passes)
	}

	e.Most = 0
	p.Settings = []Setting{e}
	if _, err := Published(context.Background(), p); err == nil ||
		!strings.Contains(err.Error(), "no values of epochs") {
		t.Errorf("no epochs: %v", err)
	}
	e.Most, e.Train = 3, func(context.Context, []int, Task, int) ([]Targets, error) { return nil, nil }
	p.Settings = []Setting{e}
	if _, err := Published(context.Background(), p); err == nil ||
		!strings.Contains(err.Error(), "after 0 epochs, want 3") {
		t.Errorf("no predictions: %v", err)
	}
}
