package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// CrossValidate measures estimators by nested cross-validation with k folds, stratified by class: in every fold the
// estimator, and the value of its grid, is chosen inside the training part ([Nested]).
func CrossValidate(
	ctx context.Context, d *dataset.Dataset, k int, seed uint64, estimators ...model.Estimator,
) (*Outcome, error) {
	t := model.TargetsOf(d)
	folds, err := Folds(t, k, 1, seed)
	if err != nil {
		return nil, err
	}
	workers := runtime.GOMAXPROCS(0)
	p := Problem{
		Work: model.NewWork(d, engine.NewCPU(workers)), Targets: t, Folds: folds, Estimators: estimators, FromTrain: true,
		Seed: seed, Workers: workers,
	}
	return Nested(ctx, p)
}

// Fit chooses among estimators and the values of their grids by 5-fold cross-validation, and fits the best one on all
// examples of a data set that have a target.
func Fit(ctx context.Context, d *dataset.Dataset, seed uint64, estimators ...model.Estimator) (model.Model, error) {
	workers := runtime.GOMAXPROCS(0)
	w := model.NewWork(d, engine.NewCPU(workers))
	chosen, err := Choose(ctx, w, estimators, Choosing{Seed: seed, Workers: workers})
	if err != nil {
		return nil, err
	}
	m, err := model.FitWork(ctx, w, estimators[chosen.Setting], chosen.Values())
	if err != nil {
		return nil, err
	}
	m.About().Training.Seed, m.About().Training.ChosenBy = seed, chosen.By
	return m, nil
}

// Choosing says how to choose among estimators.
type Choosing struct {
	Folds int // default 5, at most one for each example
	// On is the number of graphs that are enough to choose by: of more a sample is drawn, with the shares that classes
	// have of all. Default [EnoughGraphs], negative for all. Values of a constant such as C are taken as they are.
	On      int
	Metric  Metric // default accuracy of classes, RMSE of numbers
	Seed    uint64
	Workers int
	// Validated measures by cross-validation even where there is nothing to choose, so that there is a score to compare
	// with that of other models.
	Validated bool
	Progress  func(done, total int, text string)
	Forecast  func(left time.Duration)
}

// EnoughGraphs is the number of graphs that settings are chosen on where there are more: an accuracy of 75 % has a
// standard error of 0.3 %, and choosing takes a time that does not grow with the graphs.
const EnoughGraphs = 20_000

// Chosen is what was chosen on all examples, or on enough of them.
type Chosen struct {
	Choice
	By     string // how, in words; "" where nothing was left to choose
	Metric Metric
	Std    float64 // of the score over the folds, NaN where nothing was left to choose
	Curves []Curve // of all settings; nil where nothing was left to choose
	Select time.Duration
}

// Values returns the value of the grid as a list, empty where the grid is.
func (c *Chosen) Values() []float64 {
	if c.Grid == "" {
		return nil
	}
	return []float64{c.Value}
}

// Choose chooses an estimator and a value of its grid by cross-validation on the examples of some work, see
// [Choosing].On. Where there is nothing to choose nothing is computed.
func Choose(ctx context.Context, w *model.Work, estimators []model.Estimator, by Choosing) (*Chosen, error) {
	t := model.TargetsOf(w.Data)
	p := Problem{
		Work: w, Targets: t, Estimators: estimators, FromTrain: true, Workers: by.Workers, Progress: by.Progress,
		Forecast: by.Forecast, Metric: by.Metric, Validated: by.Validated,
	}
	chosen := &Chosen{Metric: cmp.Or(by.Metric, MetricAccuracy), Std: math.NaN()}
	if by.Metric == "" && t.Regression() {
		chosen.Metric = MetricRMSE
	}
	if len(estimators) == 0 {
		return nil, fmt.Errorf("no estimators to choose from")
	}
	if grid := estimators[0].Grid(); len(estimators) == 1 && grid.Size() == 1 && !by.Validated {
		chosen.Choice = Choice{Name: estimators[0].String(), Grid: grid.Name, Value: grid.Value(0), Score: math.NaN()}
		if grid.Name != "" {
			chosen.By = "given"
		}
		return chosen, nil
	}
	if by.Folds == 0 {
		by.Folds = 5
	}
	known := len(t.Known())
	sampled := false
	if n := cmp.Or(by.On, EnoughGraphs); t.Task == model.GraphTask && n > 0 && known > n {
		some, err := enough(w, sampleOf{n, by.Seed})
		if err != nil {
			return nil, err
		}
		p.Work, t, known, sampled = some, model.TargetsOf(some.Data), n, true
		p.Targets = t
	}
	parts := min(by.Folds, known)
	if parts < 2 {
		return nil, param.Errorf("", nil, "%d %s cannot be cross-validated to choose among settings: "+
			"give every option, such as C, one value", known, t.Task.Noun())
	}
	var err error
	if p.Folds, err = Folds(t, parts, 1, by.Seed); err != nil {
		return nil, err
	}
	o, err := Published(ctx, p)
	if err != nil {
		return nil, err
	}
	chosen.Choice, chosen.Std, chosen.Curves, chosen.Select = o.Chosen[0], o.Std, o.Curves, o.Select
	var among []string
	if n := estimators[chosen.Setting].Grid().Size(); n > 1 {
		among = append(among, fmt.Sprintf("%d values", n))
	}
	if len(estimators) > 1 {
		among = append(among, fmt.Sprintf("%d settings", len(estimators)))
	}
	chosen.By = fmt.Sprintf("%d-fold cross-validation", parts)
	if sampled {
		chosen.By += fmt.Sprintf(" of %d graphs", known)
	}
	if among != nil {
		chosen.By = fmt.Sprintf("chosen among %s by %s", strings.Join(among, " and "), chosen.By)
	}
	return chosen, nil
}

// sampleOf is the key of the work on a sample of the graphs.
type sampleOf struct {
	graphs int
	seed   uint64
}

// sampleStream is the stream of random numbers that a sample is drawn by.
const sampleStream = 0x5a4d

// enough returns the work on a sample of the graphs of w that have a target.
func enough(w *model.Work, s sampleOf) (*model.Work, error) {
	return model.Shared(w.Whole(), s, func() (*model.Work, error) {
		t := model.TargetsOf(w.Data)
		known := t.Known()
		rand.New(rand.NewPCG(s.seed, sampleStream)).Shuffle(len(known), func(i, j int) {
			known[i], known[j] = known[j], known[i]
		})
		if t.Classes != nil { // evenly from the classes, one behind the other
			slices.SortStableFunc(known, func(a, b int) int { return t.Classes[a] - t.Classes[b] })
		}
		drawn := make([]int, s.graphs)
		for i := range drawn {
			drawn[i] = known[i*len(known)/s.graphs]
		}
		slices.Sort(drawn)
		return w.Of(drawn)
	})
}
