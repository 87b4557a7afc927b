package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// Majority predicts the most frequent class of the training, of equally frequent ones the first, or the mean of each
// number. It looks at no graph.
type Majority struct{}

// Name implements [model.Estimator].
func (Majority) Name() string { return majorityName }

// String implements [model.Estimator].
func (Majority) String() string { return "most frequent class, or mean" }

// Params implements [model.Estimator].
func (s Majority) Params() any { return s }

// Grid implements [model.Estimator].
func (Majority) Grid() model.Grid { return model.Grid{} }

// Sees implements [model.Estimator]: nothing.
func (Majority) Sees(w *model.Work) (*dataset.Encoding, error) {
	return w.Whole().FitEncoding(dataset.NoFeatures)
}

// Learner implements [model.Estimator].
func (s Majority) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	encoding, err := s.Sees(w)
	if err != nil {
		return nil, err
	}
	return &majorityLearner{model.HeadOf(majorityName, w.Data), encoding}, ctx.Err()
}

type majorityLearner struct {
	head     model.Head
	encoding *dataset.Encoding
}

// Learn implements [model.Learner].
func (l *majorityLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	m, err := l.count(&t)
	if err != nil {
		return nil, err
	}
	return []*model.Predictions{m.say(len(t.Test))}, ctx.Err()
}

// Model implements [model.Learner].
func (l *majorityLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	m, err := l.count(&t)
	if err != nil {
		return nil, err
	}
	return m, ctx.Err()
}

// count returns the shares of the classes in a training part, or the means of the numbers.
func (l *majorityLearner) count(t *model.Trial) (*majorityModel, error) {
	if len(t.Train) == 0 {
		return nil, fmt.Errorf("%s: no example with a target to learn from", majorityName)
	}
	n, width := float64(len(t.Train)), t.Known.Width()
	m := &majorityModel{Head: l.head, encoding: l.encoding, means: make([]float64, width)}
	for _, i := range t.Train {
		if t.Known.Regression() {
			for k := range m.means {
				m.means[k] += t.Known.Values[i*width+k] / n
			}
		} else {
			m.means[t.Known.Classes[i]]++
		}
	}
	if !t.Known.Regression() {
		for k := range m.means {
			m.means[k] /= n
		}
	}
	return m, nil
}

// majorityModel says the same of all examples.
type majorityModel struct {
	model.Head
	encoding *dataset.Encoding
	means    []float64 // of each number, or the share of each class
}

// Encoding implements [model.Model].
func (m *majorityModel) Encoding() *dataset.Encoding { return m.encoding }

// Predict implements [model.Model]: the shares of the classes are their probabilities.
func (m *majorityModel) Predict(
	ctx context.Context, d *dataset.Dataset, _ model.Progress,
) (*model.Predictions, error) {
	d, err := m.Asks(d)
	if err != nil {
		return nil, err
	}
	return m.say(examples(m.Task, d)), ctx.Err()
}

// say predicts so many examples.
func (m *majorityModel) say(examples int) *model.Predictions {
	x := tensor.New(tensor.WithShape(examples, len(m.means)), tensor.WithBacking(slices.Repeat(m.means, examples)))
	if len(m.Classes) == 0 {
		return &model.Predictions{Values: x}
	}
	classes := slices.Repeat([]int{model.ArgMax(m.means)}, examples)
	return &model.Predictions{Classes: classes, Probabilities: x}
}

// storedMajority is what the model adds to its file.
type storedMajority struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Means    []float64         `json:"means"`
}

// Parts implements [model.Model].
func (m *majorityModel) Parts() (any, map[string]*tensor.Dense, error) {
	return storedMajority{m.encoding, m.means}, nil, nil
}

func loadMajority(h *model.Head, parts json.RawMessage) (model.Model, error) {
	var s storedMajority
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	sum := 0.0
	for _, v := range s.Means {
		if sum += v; len(h.Classes) > 0 && !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("a share of %g of a class", v)
		}
	}
	switch want := max(len(h.Classes), len(h.Targets), 1); {
	case len(s.Means) != want:
		return nil, fmt.Errorf("%d means or shares for %d classes or numbers", len(s.Means), want)
	case len(h.Classes) > 0 && !(math.Abs(sum-1) < 1e-9), math.IsNaN(sum), math.IsInf(sum, 0):
		return nil, fmt.Errorf("shares or means of sum %g", sum)
	}
	return &majorityModel{*h, s.Encoding, s.Means}, nil
}
