package eval

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
)

// shared is a CPU that says of itself that it can compute for several models at once.
type shared struct{ *engine.CPU }

func (s shared) Beside() (engine.Engine, func() error, error) {
	return s, func() error { return nil }, nil
}

func (s shared) WithWorkers(n int) engine.Engine { return shared{s.CPU.WithWorkers(n).(*engine.CPU)} }

// crowded is an estimator that trains side by side with others and counts how many do. With a room it needs the memory
// of so many.
type crowded struct {
	*meanOf
	at, most *atomic.Int64
	room     int64
}

func (crowded) SideBySide() {}

func (c crowded) Learner(context.Context, *model.Work) (model.Learner, error) { return c, nil }

func (c crowded) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	at := c.at.Add(1)
	defer c.at.Add(-1)
	c.most.Store(max(c.most.Load(), at))
	time.Sleep(time.Millisecond)
	if c.room > 0 && at > c.room {
		return nil, fmt.Errorf("the %d.: %w", at, engine.ErrOutOfMemory)
	}
	return c.meanOf.Learn(ctx, t)
}

// Trainings side by side have the outcome of trainings one after another, also where some have to wait for the memory.
func TestTrainingsSideBySide(t *testing.T) {
	for name, protocol := range protocols {
		for _, settings := range []int{1, 3} {
			for _, room := range []int64{0, 2} {
				var want *Outcome
				for _, e := range []engine.Engine{engine.NewCPU(1), shared{engine.NewCPU(1)}} {
					var at, most atomic.Int64
					var all []model.Estimator
					for s := range settings {
						all = append(all, crowded{&meanOf{steps: []float64{-1, 0, 3}, spoil: float64(s-1) / 8}, &at, &most, room})
					}
					p := numbers(t, all...)
					p.Work, p.FromTrain = model.NewWork(p.Work.Data, e), true
					done, pieces := 0, settings*len(p.Folds)
					if name == "published" {
						pieces = settings*len(p.Folds)/p.Repeats + len(p.Folds)/p.Repeats // the second repeat has the chosen one
					}
					p.Progress = func(n, _ int, _ string) { done = n }
					o, err := protocol(context.Background(), p)
					if err != nil {
						t.Fatal(name, err)
					}
					o.Represent, o.Select = 0, 0
					_, together := e.(shared)
					if want == nil {
						want = o
					} else if !reflect.DeepEqual(o, want) {
						t.Errorf("%s of %d settings: %+v side by side, %+v one after another", name, settings, o, want)
					}
					if n := most.Load(); together != (n > 1) || n > trainingsAbreast || done != pieces {
						t.Errorf("%s of %d settings on %T: %d trainings at a time, %d reported", name, settings, e, n, done)
					}
				}
			}
		}
	}
}

// A training that needs more memory than there is, even alone, ends the evaluation.
func TestTooLittleMemoryForOne(t *testing.T) {
	var at, most atomic.Int64
	at.Store(1)
	p := numbers(t, crowded{&meanOf{}, &at, &most, 1})
	p.Work, p.FromTrain = model.NewWork(p.Work.Data, shared{engine.NewCPU(1)}), true
	if _, err := Published(context.Background(), p); !errors.Is(err, engine.ErrOutOfMemory) {
		t.Error(err)
	}
}
