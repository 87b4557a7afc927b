package eval

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/grove-graph/grove/model"
)

// clocked is a setting by a clock that only its own work moves.
type clocked struct {
	meanOf
	now              *time.Time
	represent, learn time.Duration
	watched          int // steps of a training that are reported
	mu               sync.Mutex
}

func (c *clocked) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.now = c.now.Add(c.represent)
	return c, nil
}

func (c *clocked) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	c.mu.Lock()
	spent := c.learn * time.Duration(max(len(t.Grid), 1))
	for step := range c.watched {
		t.Progress(step, c.watched)
		*c.now = c.now.Add(spent / time.Duration(c.watched))
	}
	if c.watched == 0 {
		*c.now = c.now.Add(spent)
	}
	c.mu.Unlock()
	return c.meanOf.Learn(ctx, t)
}

// gridC makes the grid one of C.
type gridC struct{ *clocked }

func (c gridC) Grid() model.Grid { return model.Grid{Name: "C", Values: c.steps} }

func (c gridC) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	_, err := c.clocked.Learner(ctx, w)
	return c, err
}

func TestForecastIsTheTimeThatIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		settings  int
		steps     []float64
		watched   int
		fromTrain bool
	}{
		"one setting without a grid": {settings: 1},
		"a grid":                     {settings: 1, steps: []float64{-1, 0, 1, 2}},
		"settings with a grid":       {settings: 3, steps: []float64{-1, 0}, fromTrain: true},
		"a training that is watched": {settings: 1, steps: []float64{-1, 0, 1, 2}, watched: 20, fromTrain: true},
	} {
		for protocol, evaluate := range protocols {
			now := time.Unix(0, 0)
			p := numbers(t)
			for range c.settings {
				p.Estimators = append(p.Estimators, gridC{&clocked{
					meanOf: meanOf{steps: c.steps}, now: &now, represent: 3 * time.Second, learn: time.Second, watched: c.watched,
				}})
			}
			if c.steps == nil {
				p.Estimators[0] = p.Estimators[0].(gridC).clocked
			}
			p.FromTrain, p.now = c.fromTrain, func() time.Time { return now }
			var left time.Duration
			var at time.Time
			calls := 0
			p.Forecast = func(d time.Duration) { left, at, calls = d, now, calls+1 }
			if _, err := evaluate(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			if took := now.Sub(at); calls != 1 || left < took*3/4 || left > took*4/3 {
				t.Errorf("%s, %s: %d forecasts, the last of %v, took %v", protocol, name, calls, left, took)
			}
			if c.watched > 0 && at.Sub(time.Unix(0, 0)) > 5*time.Second {
				t.Errorf("%s, %s: the forecast comes after %v", protocol, name, at.Sub(time.Unix(0, 0)))
			}
		}
	}
}
