package eval

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
)

// meanOf predicts the mean of the known numbers plus a step, which is its grid, and keeps its tasks.
type meanOf struct {
	steps []float64
	mu    sync.Mutex
	tasks []Task
	spoil float64
}

func (m *meanOf) String() string { return "mean" }
func (m *meanOf) Grid() Grid {
	if m.steps == nil {
		return Grid{}
	}
	return Grid{"step", m.steps}
}
func (m *meanOf) Learner(context.Context, []int) (Learner, error) { return m, nil }

func (m *meanOf) Learn(_ context.Context, t Task) ([]Targets, error) {
	m.mu.Lock()
	m.tasks = append(m.tasks, t)
	m.mu.Unlock()
	mean, _ := MeanStd(t.Known.Values)
	steps := t.Grid
	if len(steps) == 0 {
		steps = []float64{0}
	}
	out := make([]Targets, len(steps))
	for k, step := range steps {
		for range t.Test {
			out[k].Values = append(out[k].Values, mean+step+m.spoil)
		}
	}
	return out, nil
}

func numbers(t *testing.T, settings ...Setting) Problem {
	t.Helper()
	p := Problem{Settings: settings}
	for i := range 30 {
		p.Values = append(p.Values, 5+math.Sin(float64(i)))
	}
	var err error
	if p.Folds, err = Shuffled(30, 3, 2, 1); err != nil {
		t.Fatal(err)
	}
	p.Repeats = 2
	return p
}

// A model that predicts numbers directly goes through both protocols, with and without a grid.
func TestRegression(t *testing.T) {
	for name, protocol := range protocols {
		for _, metric := range []Metric{"", MetricMAE} {
			p := numbers(t, &meanOf{steps: []float64{-1, 0, 3}}, &meanOf{})
			p.Metric = metric
			o, err := protocol(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			want := MetricRMSE
			if metric != "" {
				want = metric
			}
			if o.Metric != want || o.Mean < 0.5 || o.Mean > 0.9 || len(o.Folds) != 6 {
				t.Errorf("%s by %q: %+v", name, metric, o)
			}
			for _, c := range o.Chosen {
				if c.Setting != 0 || c.Grid != "step" || c.Value != 0 {
					t.Errorf("%s: chose %+v, want the step 0 of the first setting", name, c)
				}
			}
		}
	}
}

// A learner gets the targets of its training part in order, and those alone; one part is held out.
func TestTasks(t *testing.T) {
	m := &meanOf{steps: []float64{0, 1}}
	p := numbers(t, m)
	p.Inner, p.HoldOut = 4, true
	if _, err := Nested(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(p.Folds); len(m.tasks) != want {
		t.Errorf("%d tasks, want %d: one to choose and one to test for every fold", len(m.tasks), want)
	}
	for i, task := range m.tasks {
		for k, g := range task.Train {
			if task.Known.Values[k] != p.Values[g] {
				t.Fatalf("task %d: target %g of graph %d, want %g", i, task.Known.Values[k], g, p.Values[g])
			}
		}
		if task.Known.Len() != len(task.Train) || i%2 == 0 && len(task.Test) != 5 {
			t.Errorf("task %d: %d targets of %d graphs, %d tested", i, task.Known.Len(), len(task.Train), len(task.Test))
		}
	}
}

func TestRegressionMistakesAreNamed(t *testing.T) {
	for want, change := range map[string]func(p *Problem){
		"graph 2, which has target NaN": func(p *Problem) { p.Values[2] = math.NaN() },
		"give one of the two":           func(p *Problem) { p.Classes = make([]int, 30) },
		"metric accuracy does not fit":  func(p *Problem) { p.Metric = MetricAccuracy },
		`metric "r2"`:                   func(p *Problem) { p.Metric = "r2" },
		"cannot learn numbers": func(p *Problem) {
			p.Settings = []Setting{linear(&noisy{classes: labels(30, 2)})}
		},
		"no values of step":                func(p *Problem) { p.Settings = []Setting{&meanOf{steps: []float64{}}} },
		"is NaN":                           func(p *Problem) { p.Settings = []Setting{&meanOf{spoil: math.NaN()}} },
		"fold 1 has 0 training and 1 test": func(p *Problem) { p.Folds[0] = Split{Test: []int{1}} },
	} {
		p := numbers(t, &meanOf{})
		change(&p)
		if _, err := Published(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestErrorsOfNumbers(t *testing.T) {
	if e := RMSE([]float64{1, 2}, []float64{1, 4}); math.Abs(e-math.Sqrt2) > 1e-15 {
		t.Errorf("rmse %g", e)
	}
	if e := MAE([]float64{1, 2}, []float64{1, 4}); e != 1 {
		t.Errorf("mae %g", e)
	}
	if !MetricMAE.better(1, 2) || MetricMAE.better(1, 1+1e-14) || !MetricAccuracy.better(2, 1) {
		t.Error("errors are the better the lower, accuracies the higher")
	}
}

// Items without a target are no matter where no fold holds them, and folds may overlap.
func TestUnknownTargetsOutsideTheFolds(t *testing.T) {
	p := numbers(t, &meanOf{})
	p.Repeats = 0
	p.Values[7], p.Item = math.NaN(), "vertex"
	p.Folds = []Split{{Train: []int{0, 1, 2}, Test: []int{3, 4}}, {Train: []int{0, 4}, Test: []int{3, 5}}}
	p.InnerFolds = [][]Split{{{Train: []int{0, 1}, Test: []int{8}}}, {{Train: []int{0}, Test: []int{9}}}}
	o, err := Nested(context.Background(), p)
	if err != nil || len(o.Folds) != 2 {
		t.Fatalf("outcome %+v, error %v", o, err)
	}
	p.InnerFolds[1][0].Test[0] = 7
	want := "fold 2: inner fold 1 holds vertex 7, which has target NaN"
	if _, err := Nested(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// tally counts how often it learns.
type tally struct{ learned *int }

func (tally) String() string                                    { return "tally" }
func (tally) Grid() Grid                                        { return Grid{} }
func (c tally) Learner(context.Context, []int) (Learner, error) { return c, nil }
func (c tally) Learn(_ context.Context, t Task) ([]Targets, error) {
	*c.learned++
	return []Targets{{Classes: make([]int, len(t.Test))}}, nil
}

func TestNothingIsLearnedOnInnerFoldsWhereThereIsNothingToChoose(t *testing.T) {
	learned := 0
	classes := []int{0, 1, 0, 1, 0, 1, 0, 1}
	folds, err := Stratified(classes, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Nested(context.Background(), Problem{Classes: classes, Folds: folds, Settings: []Setting{tally{&learned}}})
	if err != nil {
		t.Fatal(err)
	}
	if learned != 4 || !math.IsNaN(o.Chosen[0].Score) || o.Mean != 0.5 {
		t.Errorf("learned %d times on 4 folds, score %g, mean %g", learned, o.Chosen[0].Score, o.Mean)
	}
	raw, err := json.Marshal(Param{Options: 1, Metric: MetricAccuracy, Score: math.NaN()})
	if err != nil || string(raw) != `{"options":1}` {
		t.Errorf("%s, %v", raw, err)
	}
}
