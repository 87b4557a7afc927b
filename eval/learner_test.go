package eval

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// meanOf predicts the mean of the known numbers plus a step, which is its grid, and keeps its tasks.
type meanOf struct {
	steps []float64
	mu    sync.Mutex
	tasks []model.Trial
	spoil float64
}

func (*meanOf) Name() string                                            { return "mean" }
func (*meanOf) Params() any                                             { return nil }
func (*meanOf) Sees(*model.Work) (*dataset.Encoding, error)             { return nil, nil }
func (*meanOf) Model(context.Context, model.Trial) (model.Model, error) { panic("not asked for") }
func (m *meanOf) String() string                                        { return "mean" }
func (m *meanOf) Grid() model.Grid {
	if m.steps == nil {
		return model.Grid{}
	}
	return model.Grid{Name: "step", Values: m.steps}
}
func (m *meanOf) Learner(context.Context, *model.Work) (model.Learner, error) { return m, nil }

func (m *meanOf) Learn(_ context.Context, t model.Trial) ([]*model.Predictions, error) {
	m.mu.Lock()
	m.tasks = append(m.tasks, t)
	m.mu.Unlock()
	mean, _ := MeanStd(split.Select(t.Known.Values, t.Train))
	steps := t.Grid
	if len(steps) == 0 {
		steps = []float64{0}
	}
	out := make([]*model.Predictions, len(steps))
	for k, step := range steps {
		out[k] = &model.Predictions{Values: model.Column(slices.Repeat([]float64{mean + step + m.spoil}, len(t.Test)))}
	}
	return out, nil
}

func numbers(t *testing.T, settings ...model.Estimator) Problem {
	t.Helper()
	p := Problem{Work: nowhere(), Targets: &model.Targets{}, Estimators: settings}
	for i := range 30 {
		p.Targets.Values = append(p.Targets.Values, 5+math.Sin(float64(i)))
	}
	var err error
	if p.Folds, err = split.Shuffled(30, 3, 2, 1); err != nil {
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

// A learner gets the targets of its training part, and those alone; one part is held out.
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
		known := task.Known.Known()
		if !slices.Equal(known, task.Train) || i%2 == 0 && len(task.Test) != 5 {
			t.Errorf("task %d: targets of %v, trained on %v, %d tested", i, known, task.Train, len(task.Test))
		}
		for _, g := range known {
			if task.Known.Values[g] != p.Targets.Values[g] {
				t.Fatalf("task %d: target %g of graph %d, want %g", i, task.Known.Values[g], g, p.Targets.Values[g])
			}
		}
	}
}

func TestRegressionMistakesAreNamed(t *testing.T) {
	for want, change := range map[string]func(p *Problem){
		"graph 2, which has target NaN": func(p *Problem) { p.Targets.Values[2] = math.NaN() },
		"2 numbers of each graph":       func(p *Problem) { p.Targets.Names = []string{"a", "b"} },
		"metric accuracy is one of cla": func(p *Problem) { p.Metric = MetricAccuracy },
		`metric "r3"`:                   func(p *Problem) { p.Metric = "r3" },
		"no probabilities to calibrate": func(p *Problem) { p.Calibration = Platt },
		"cannot learn numbers": func(p *Problem) {
			p.Estimators = []model.Estimator{linear(&noisy{classes: labels(30, 2)})}
		},
		"no values of step": func(p *Problem) {
			p.Estimators = []model.Estimator{&meanOf{steps: []float64{}}}
		},
		"is NaN":                           func(p *Problem) { p.Estimators = []model.Estimator{&meanOf{spoil: math.NaN()}} },
		"fold 1 has 0 training and 1 test": func(p *Problem) { p.Folds[0] = split.Fold{Test: []int{1}} },
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
	if !MetricMAE.Better(1, 2) || MetricMAE.Better(1, 1+1e-14) || !MetricAccuracy.Better(2, 1) {
		t.Error("errors are the better the lower, accuracies the higher")
	}
}

// Items without a target are no matter where no fold holds them, and folds may overlap.
func TestUnknownTargetsOutsideTheFolds(t *testing.T) {
	p := numbers(t, &meanOf{})
	p.Repeats = 0
	p.Targets.Values[7], p.Targets.Task = math.NaN(), model.NodeTask
	p.Folds = []split.Fold{{Train: []int{0, 1, 2}, Test: []int{3, 4}}, {Train: []int{0, 4}, Test: []int{3, 5}}}
	p.InnerFolds = [][]split.Fold{{{Train: []int{0, 1}, Test: []int{8}}}, {{Train: []int{0}, Test: []int{9}}}}
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

func (tally) Name() string                                                  { return "tally" }
func (tally) Params() any                                                   { return nil }
func (tally) Sees(*model.Work) (*dataset.Encoding, error)                   { return nil, nil }
func (tally) Model(context.Context, model.Trial) (model.Model, error)       { panic("not asked for") }
func (tally) String() string                                                { return "tally" }
func (tally) Grid() model.Grid                                              { return model.Grid{} }
func (c tally) Learner(context.Context, *model.Work) (model.Learner, error) { return c, nil }
func (c tally) Learn(_ context.Context, t model.Trial) ([]*model.Predictions, error) {
	*c.learned++
	return []*model.Predictions{{Classes: make([]int, len(t.Test))}}, nil
}

func TestNothingIsLearnedOnInnerFoldsWhereThereIsNothingToChoose(t *testing.T) {
	learned := 0
	classes := []int{0, 1, 0, 1, 0, 1, 0, 1}
	folds, err := split.Stratified(classes, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Nested(context.Background(), Problem{Work: nowhere(), Targets: &model.Targets{Classes: classes},
		Folds: folds, Estimators: []model.Estimator{tally{&learned}}})
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
