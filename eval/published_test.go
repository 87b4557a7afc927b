package eval

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/grove-graph/grove/model"
)

// remembering counts the predictions of several settings that are still held.
type remembering struct {
	*meanOf
	made *[]weak.Pointer[model.Predictions]
	held *int // most at a time
}

func (r *remembering) Learner(context.Context, *model.Work) (model.Learner, error) { return r, nil }

func (r *remembering) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	runtime.GC()
	alive := 0
	for _, p := range *r.made {
		if p.Value() != nil {
			alive++
		}
	}
	*r.held = max(*r.held, alive)
	all, err := r.meanOf.Learn(ctx, t)
	for _, p := range all {
		*r.made = append(*r.made, weak.Make(p))
	}
	return all, err
}

// A search holds the predictions of the setting that is best so far and of the one that is at work, however many
// settings there are.
func TestSearchForgetsWhatIsNotBest(t *testing.T) {
	var made []weak.Pointer[model.Predictions]
	held, steps := 0, []float64{0, 0.5, 1}
	var settings []model.Estimator
	for i := range 40 {
		settings = append(settings, &remembering{&meanOf{steps: steps, spoil: float64(50-i) / 10}, &made, &held})
	}
	p := numbers(t, settings...)
	p.Workers = 1
	folds := len(p.Folds) / p.Repeats
	o, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if c := o.Chosen[0]; c.Setting != len(settings)-1 || c.Value != 0 {
		t.Errorf("chose %+v, want the last setting", c)
	}
	// Three settings: the best, the one at work, and one that a register or a stack still shows.
	if most := 3 * folds * len(steps); held > most {
		t.Errorf("%d predictions of %d are held at a time, at most %d are wanted", held, len(made), most)
	}
}
