package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// linearFlags are the options of linear by name.
type linearFlags struct {
	machine.Constants
	statistics []Statistic
	scales     []Scale
}

// Scale says how features are brought to a common scale before the penalty on their weights.
type Scale string

// The scales.
const (
	EachScale Scale = "each" // every feature is divided by its deviation
	OneScale  Scale = "one"  // all are divided by the largest deviation: a rare word counts little
)

func newLinearFlags() *linearFlags {
	return &linearFlags{statistics: []Statistic{AllStatistics}, scales: []Scale{EachScale, OneScale}}
}

// Declare implements [model.Options].
func (f *linearFlags) Declare(s *param.Set, _ model.Verb) {
	param.Choices(s, &f.statistics, "statistics",
		[]Statistic{AllStatistics, OfLabels, OfAttributes, OfSizes, OfDegrees, OfArcLabels},
		"what is summed and averaged over the vertices of a graph; sizes, degrees and arc-labels look at arcs, and count "+
			"for graphs alone; all: what the data have")
	param.Choices(s, &f.scales, "scale", []Scale{EachScale, OneScale},
		"each: every feature is divided by its deviation; one: all by the largest, so that what varies little counts little")
	f.Constants.Declare(s, "10^-4, 10^-3, ..., 10^2")
}

// Check implements [model.Options].
func (f *linearFlags) Check() error {
	if len(f.statistics) > 1 {
		for _, s := range f.statistics {
			if s == AllStatistics {
				return param.Errorf("statistics", nil, "%s stands alone: leave it out, or the others", AllStatistics)
			}
		}
	}
	_, err := f.Values()
	return err
}

// Estimators implements [model.Options].
func (f *linearFlags) Estimators(*model.Work, uint64) ([]model.Estimator, error) {
	values, err := f.Values()
	if err != nil {
		return nil, err
	}
	var all []model.Estimator
	for _, scale := range f.scales {
		all = append(all, Linear{Statistics: f.statistics, Scale: scale, C: values})
	}
	return all, nil
}

// Linear is a linear machine on features without arcs. Classes are told apart by support vector machines with the
// squared hinge loss ([svm.FitClassifier]); numbers y are predicted by ridge regression, the minimum of
//
//	1/2 |W|^2 + C sum_i 1/2 |W z_i + b - y_i|^2,
//
// z_i the features and y_i the numbers standardised on the training part. What a feature is divided by is chosen
// ([Scale]).
type Linear struct {
	Statistics []Statistic // nil: all that the data have
	Scale      Scale       // "" is EachScale
	C          []float64   // to choose from, ascending; nil: 10^-4, 10^-3, ..., 10^2
}

// Name implements [model.Estimator].
func (s Linear) Name() string { return linearName }

// String implements [model.Estimator].
func (s Linear) String() string {
	var names []string
	for _, x := range s.Statistics {
		names = append(names, string(x))
	}
	return fmt.Sprintf("statistics %s, scale %s", cmp.Or(strings.Join(names, "+"), string(AllStatistics)),
		cmp.Or(s.Scale, EachScale))
}

// Params implements [model.Estimator].
func (s Linear) Params() any {
	return struct {
		Statistics []Statistic `json:"statistics"`
		Scale      Scale       `json:"scale"`
	}{s.Statistics, cmp.Or(s.Scale, EachScale)}
}

// Grid implements [model.Estimator].
func (s Linear) Grid() model.Grid {
	return machine.Grid(s.C, []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100})
}

// Sees implements [model.Estimator].
func (s Linear) Sees(w *model.Work) (*dataset.Encoding, error) {
	return encodingOf(w, s.Statistics)
}

// Learner implements [model.Estimator]: the features of all examples.
func (s Linear) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	defer w.Spent.Transforming(time.Now())
	if err := w.HasVertices(); err != nil {
		return nil, err
	}
	whole := w.Whole()
	f, err := newBag(whole, s.Statistics)
	if err != nil {
		return nil, err
	}
	x, err := f.rows(whole)
	if err != nil {
		return nil, err
	}
	vectors, err := machine.OnVectors(x, svm.VectorKernel{}, w.Engine)
	if err != nil {
		return nil, err
	}
	vectors.OneScale = s.Scale == OneScale
	return &linearLearner{vectors, x, f, model.HeadOf(linearName, w.Data)}, ctx.Err()
}

type linearLearner struct {
	vectors *machine.Vectors
	x       *tensor.Dense
	bag     *bag
	head    model.Head
}

// Learn implements [model.Learner].
func (l *linearLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	if !t.Known.Regression() {
		return l.vectors.Learn(ctx, t)
	}
	fitted, err := l.ridge(ctx, &t)
	if err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, len(fitted))
	for k, m := range fitted {
		values, err := m.Outputs(l.x, t.Test)
		if err != nil {
			return nil, err
		}
		said[k] = &model.Predictions{Values: values}
	}
	return said, nil
}

// Model implements [model.Learner].
func (l *linearLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	m := &linearModel{Head: l.head, bag: l.bag, examples: len(t.Train)}
	if !t.Known.Regression() {
		var err error
		m.classifier, err = l.vectors.Fit(ctx, t)
		return m, err
	}
	fitted, err := l.ridge(ctx, &t)
	if err != nil {
		return nil, err
	}
	m.regressor = fitted[0]
	return m, nil
}

// ridge fits the numbers of a trial for every C.
func (l *linearLearner) ridge(ctx context.Context, t *model.Trial) ([]*svm.Linear, error) {
	if len(t.Train) == 0 {
		return nil, fmt.Errorf("%s: no example with a target to learn from", linearName)
	}
	width, rows := t.Known.Width(), len(t.Train)
	x, y := make([]float64, 0, rows*l.bag.columns()), make([]float64, 0, rows*width)
	for _, i := range t.Train {
		x = append(x, l.x.Float64s()[i*l.bag.columns():(i+1)*l.bag.columns()]...)
		y = append(y, t.Known.Values[i*width:(i+1)*width]...)
	}
	means, scales := standardise(x, l.bag.columns(), l.vectors.OneScale)
	centres, units := standardise(y, width, false)
	z := tensor.New(tensor.WithShape(rows, l.bag.columns()), tensor.WithBacking(x))
	out := make([]*svm.Linear, len(t.Grid))
	for k, c := range t.Grid {
		m, err := svm.FitLinear(ctx, z, nil, svm.LinearProblem{Loss: svm.Squared, Outputs: width, Values: y, Decay: 1 / c,
			Workers: t.Workers})
		if err != nil {
			return nil, err
		}
		for o, w := range m.Weight { // of features and numbers as they are
			m.Bias[o] = m.Bias[o]*units[o] + centres[o]
			for j := range w {
				w[j] *= units[o] / scales[j]
				m.Bias[o] -= w[j] * means[j]
			}
		}
		out[k] = m
	}
	return out, nil
}

// constantShare is the share of its mean within which a column counts as constant: rounding.
const constantShare = 1e-14

// standardise brings the columns of a matrix to mean 0 and deviation 1, with one scale to a largest deviation of 1.
func standardise(x []float64, columns int, oneScale bool) (means, scales []float64) {
	means, scales = make([]float64, columns), make([]float64, columns)
	rows := float64(len(x) / columns)
	for i, v := range x {
		means[i%columns] += v / rows
	}
	for i, v := range x {
		scales[i%columns] += (v - means[i%columns]) * (v - means[i%columns]) / rows
	}
	largest := 0.0
	for c, s := range scales {
		if scales[c] = math.Sqrt(s); scales[c] <= constantShare*math.Abs(means[c]) {
			scales[c] = 0
		}
		largest = max(largest, scales[c])
	}
	for c, s := range scales {
		if s == 0 {
			scales[c] = 1
		} else if oneScale {
			scales[c] = largest
		}
	}
	for i := range x {
		x[i] = (x[i] - means[i%columns]) / scales[i%columns]
	}
	return means, scales
}
