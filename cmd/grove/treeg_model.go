package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg"
	"gorgonia.org/tensor"
)

// treegModel is an ensemble of trees with the encoding of the vertices.
type treegModel struct {
	head
	encoding *dataset.Encoding
	model    *treeg.Model
}

// predict implements predictor: probabilities of the classes, or values.
func (m *treegModel) predict(ctx context.Context, d *dataset.Dataset, _ func(string, int, int)) (*predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	scores, err := m.model.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	if m.model.NumClasses() == 0 {
		return &predictions{values: column(scores), columns: predictedColumns(m.Targets)}, nil
	}
	classes, err := m.model.ClassesOf(scores)
	if err != nil {
		return nil, err
	}
	probabilities, err := m.model.ProbabilitiesOf(scores)
	if err != nil {
		return nil, err
	}
	columns := make([]string, m.model.NumClasses())
	for c := range columns {
		columns[c] = "probability " + m.Classes[c]
	}
	shape := tensor.WithShape(len(classes), len(columns))
	return &predictions{classes, tensor.New(shape, tensor.WithBacking(probabilities)), columns}, nil
}

// unknownLabels implements predictor.
func (m *treegModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// storedTreeG is what the model adds to its file.
type storedTreeG struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Trees    json.RawMessage   `json:"trees"`
}

// parts implements predictor.
func (m *treegModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	return storedTreeG{m.encoding, description}, m.model.Tensors(), err
}

// loadTreeG reads the parts of an ensemble.
func loadTreeG(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedTreeG
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	model, err := treeg.Load(e, s.Trees, f)
	if err != nil {
		return nil, err
	}
	in := model.Input()
	labels, attributes := s.Encoding.Width()
	if attributes > 0 {
		labels = 0
	}
	classes := model.NumClasses()
	switch {
	case in.Labels != labels || in.Attributes != attributes:
		return nil, fmt.Errorf("an encoding of %d labels and %d attributes for trees on %d and %d",
			labels, attributes, in.Labels, in.Attributes)
	case classes != len(h.Classes) || classes == 0 && len(h.Targets) != 1 ||
		(in.Level == treeg.Vertices) != (h.Task == nodeTask):
		return nil, fmt.Errorf("trees for %d classes on %d classes of a %s", classes, len(h.Classes), h.Task.noun())
	}
	return &treegModel{*h, s.Encoding, model}, nil
}
