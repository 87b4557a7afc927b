package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// linearModel is a linear machine on a bag of vertices.
type linearModel struct {
	model.Head
	bag        *bag
	examples   int                    // of the training
	classifier *machine.VectorMachine // nil where numbers are predicted
	regressor  *svm.Linear
}

// Encoding implements [model.Model].
func (m *linearModel) Encoding() *dataset.Encoding { return m.bag.Encoding }

// Predict implements [model.Model].
func (m *linearModel) Predict(
	ctx context.Context, d *dataset.Dataset, _ model.Progress,
) (*model.Predictions, error) {
	d, err := m.Asks(d)
	if err != nil {
		return nil, err
	}
	x, err := m.bag.rows(model.NewWork(d, nil))
	if err != nil {
		return nil, err
	}
	if m.classifier != nil {
		return m.classifier.Predict(x)
	}
	values, err := m.regressor.Outputs(x, nil)
	if err != nil {
		return nil, err
	}
	return &model.Predictions{Values: values}, ctx.Err()
}

// storedLinear is what the model adds to its file.
type storedLinear struct {
	Encoding   *dataset.Encoding `json:"encoding"`
	Sees       *bag              `json:"sees"`
	Examples   int               `json:"examples"` // of the training
	Classifier *svm.Model        `json:"classifier,omitempty"`
	Regressor  *svm.Linear       `json:"regressor,omitempty"`
}

// Parts implements [model.Model].
func (m *linearModel) Parts() (any, map[string]*tensor.Dense, error) {
	s := storedLinear{Encoding: m.bag.Encoding, Sees: m.bag, Examples: m.examples, Regressor: m.regressor}
	if m.classifier != nil {
		s.Classifier = m.classifier.Linear
	}
	return s, nil, nil
}

func loadLinear(h *model.Head, parts json.RawMessage) (model.Model, error) {
	var s storedLinear
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	s.Sees.Encoding = s.Encoding
	if err := s.Sees.check(h.Task); err != nil {
		return nil, err
	}
	m, columns := &linearModel{Head: *h, bag: s.Sees, examples: s.Examples, regressor: s.Regressor}, s.Sees.columns()
	switch {
	case (s.Classifier == nil) == (s.Regressor == nil) || (s.Classifier == nil) != (len(h.Classes) == 0):
		return nil, fmt.Errorf("want either a classifier of %d classes or a regressor", len(h.Classes))
	case s.Examples < 1:
		return nil, fmt.Errorf("a machine that was trained on %d examples", s.Examples)
	case s.Classifier != nil:
		var err error
		m.classifier, err = machine.LoadLinear(h, s.Classifier, columns, s.Examples)
		return m, err
	}
	if err := s.Regressor.Check(); err != nil {
		return nil, err
	}
	if outputs := len(s.Regressor.Weight); outputs != max(len(h.Targets), 1) || len(s.Regressor.Weight[0]) != columns {
		return nil, fmt.Errorf("a regressor of %d numbers on %d features for %d on %d", outputs,
			len(s.Regressor.Weight[0]), len(h.Targets), columns)
	}
	return m, nil
}

// Methods implements [model.Explainer]. It is nil where vertices, edges or numbers are predicted.
func (m *linearModel) Methods() []model.Method {
	if m.classifier == nil || m.Task != model.GraphTask {
		return nil
	}
	return []model.Method{model.Contributions}
}

// Explain implements [model.Explainer]: the decision is a sum over the vertices of a graph, each with its own label,
// attributes and arcs, but for the constant, which they share.
func (m *linearModel) Explain(
	ctx context.Context, d *dataset.Dataset, graphs []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	const by = "%s is explained by contributions; leave it out"
	switch c := m.classifier; {
	case m.Methods() == nil:
		return nil, fmt.Errorf("%s predicts something of a %s; classes of graphs are explained", m.Model, what(m))
	case opt.Method != "" && opt.Method != model.Contributions:
		return nil, param.Errorf("method", opt.Method, by, m.Model)
	case opt.Colours > 0:
		return nil, param.Errorf("colours", opt.Colours, by, m.Model)
	case len(c.Linear.Weights) == 0:
		only := m.Classes[c.Linear.Classes[0]]
		return nil, fmt.Errorf("the model knows only class %s: there is no decision to explain", only)
	}
	d = d.Select(graphs)
	said, err := m.Predict(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	b, err := m.bag.seen(d)
	if err != nil {
		return nil, err
	}
	out := make([]model.Explanation, len(graphs))
	for i, g := range graphs {
		known := m.classifier.Linear.Classes
		x := model.Explanation{Graph: g, Predicted: said.Classes[i], Toward: said.Classes[i], Against: -1}
		problem := slices.Index(known, x.Predicted)
		if len(known) == 2 {
			x.Toward, x.Against, problem = known[1], known[0], 0
		}
		weights, constant := m.classifier.Linear.Raw(problem)
		x.Contributions = m.bag.split(b, i, weights)
		x.AddConstant(constant)
		out[i] = x
		opt.Progress.Report("explain", i+1, len(graphs))
	}
	return out, ctx.Err()
}

// what names what a model without explanations predicts.
func what(m *linearModel) string {
	if m.Task == model.GraphTask {
		return "number"
	}
	return m.Task.Noun()
}
