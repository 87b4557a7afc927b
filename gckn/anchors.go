package gckn

import (
	"context"
	"errors"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// anchorsModel is a network whose anchors were learned without targets, with nothing on top.
type anchorsModel struct {
	model.Head
	network
}

// Predict implements [model.Model]: it is an error.
func (m *anchorsModel) Predict(context.Context, *dataset.Dataset, model.Progress) (*model.Predictions, error) {
	return nil, errors.New("anchors without a classifier predict nothing: grove embed represents graphs by them, and " +
		"grove train " + m.Model + supervisedSuffix + " --from goes on from them")
}

// Parts implements [model.Model].
func (m *anchorsModel) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.fitted.MarshalJSON()
	return storedClassifier{Encoding: m.encoding, Network: description}, m.fitted.Tensors(), err
}

// Unsupervised implements [model.Unsupervised].
func (s Estimator) Unsupervised(ctx context.Context, w *model.Work) (model.Model, error) {
	n, _, err := s.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	return &anchorsModel{model.Head{Model: s.Name(), Task: model.GraphTask}, *n}, nil
}
