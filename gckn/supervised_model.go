package gckn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// supervisedModel is a network that was trained end to end, with the encoding of its vertices.
type supervisedModel struct {
	model.Head
	network
	trained *Supervised
}

// Predict implements [model.Model].
func (m *supervisedModel) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	return m.trained.Predict(ctx, b, progress)
}

// storedNetwork is what a network that was trained end to end adds to its model file.
type storedNetwork struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Network  json.RawMessage   `json:"network"`
}

// Parts implements [model.Model].
func (m *supervisedModel) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.trained.MarshalJSON()
	return storedNetwork{m.encoding, description}, m.trained.Tensors(), err
}

// loadNetwork reads the parts of a network that was trained end to end.
func loadNetwork(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	var s storedNetwork
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	trained, err := LoadSupervised(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	n := network{s.Encoding, trained.Model}
	if err := n.check(); err != nil {
		return nil, err
	}
	outputs, what := len(h.Classes), "classes"
	if trained.Regression {
		outputs, what = len(h.Targets), "targets"
	}
	if have := len(trained.Classifier.Bias); have != outputs || trained.Vertices != (h.Task == model.NodeTask) ||
		trained.Regression != (len(h.Classes) == 0) {
		return nil, fmt.Errorf("a network of %d outputs on %d %s of a %s", have, outputs, what, h.Task.Noun())
	}
	return &supervisedModel{*h, n, trained}, nil
}

// Epochs implements [model.Trained].
func (m *supervisedModel) Epochs() []model.Epoch { return train.Epochs(m.trained.Records) }
