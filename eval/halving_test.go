package eval

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grove-graph/grove/model"
)

// watched counts the trainings of a setting on inner folds and on training parts.
type watched struct {
	model.Estimator
	trainings *atomic.Int64
}

type watchedLearner struct {
	model.Learner
	trainings *atomic.Int64
}

func (c watched) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	l, err := c.Estimator.Learner(ctx, w)
	return watchedLearner{l, c.trainings}, err
}

func (c watchedLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	c.trainings.Add(1)
	return c.Learner.Learn(ctx, t)
}

// The settings that do badly on the first inner fold are not learned on the others, wherever the good ones stand, and
// the choice is that of the whole search. Neither depends on the number of workers.
func TestHalvingDropsWhatDoesBadly(t *testing.T) {
	for _, good := range []int{0, 9, 15} {
		noise := make([]float64, 16)
		for i := range noise {
			noise[i] = 3 + float64(i)/10
		}
		noise[good] = 0.25
		for _, anchors := range []bool{false, true} {
			var first *Outcome
			for _, workers := range []int{1, 3} {
				p := problem(t, 200, 2, noise...)
				p.FromTrain, p.Workers, p.Halving = anchors, workers, true
				trainings := make([]atomic.Int64, len(noise))
				for i := range p.Estimators {
					p.Estimators[i] = watched{p.Estimators[i], &trainings[i]}
				}
				o, err := Nested(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				all := int64(0)
				for i := range trainings {
					n := trainings[i].Load()
					if all += n; n < 5 || i == good && n != 30 {
						t.Errorf("setting %d of 16, of which %d is good, was trained %d times on 5 folds", i, good, n)
					}
				}
				if whole := int64(len(noise) * 25); all > whole*6/10 || !strings.Contains(o.Protocol, "halving") {
					t.Errorf("%d trainings, %d without halving; %s", all, whole, o.Protocol)
				}
				for f, c := range o.Chosen {
					if c.Setting != good {
						t.Errorf("fold %d chose setting %d, want %d", f+1, c.Setting, good)
					}
				}
				if first == nil {
					first = o
				} else if !reflect.DeepEqual(o.Predicted, first.Predicted) || !reflect.DeepEqual(o.Chosen, first.Chosen) {
					t.Errorf("%d workers chose and predicted something else", workers)
				}
			}
		}
	}
}

// A setting goes on where fewer than half of those that came as far, it among them, are better or came before it with
// the same score.
func TestHalvingKeepsTheBetterHalf(t *testing.T) {
	h := newHalving(5)
	if !reflect.DeepEqual(h.rungs, []int{1, 2, 4}) || newHalving(1).rungs != nil {
		t.Errorf("rungs %v", h.rungs)
	}
	for i, c := range []struct {
		score float64
		want  bool
	}{{0.5, true}, {0.5, false}, {0.6, true}, {0.4, false}, {0.55, true}, {0.5, false}, {0.7, true}} {
		if got := h.passes(0, MetricAccuracy, c.score); got != c.want {
			t.Errorf("setting %d with %g: %t", i, c.score, got)
		}
	}
	if n := halvedTrainings(5); n != 1+0.5+0.25*2+0.125 {
		t.Errorf("%g trainings of many settings", n)
	}
}

// Probabilities are calibrated on the folds that a setting has seen so far.
func TestHalvingByProbabilities(t *testing.T) {
	p := problem(t, 120, 2, 3, 2.5, 0.25, 3)
	p.Metric, p.Calibration, p.Halving, p.Targets.Names = MetricLogLoss, Platt, true, []string{"a", "b"}
	o, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for f, c := range o.Chosen {
		if c.Setting != 2 {
			t.Errorf("fold %d chose %+v", f+1, c)
		}
	}
}
