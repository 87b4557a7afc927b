package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// supervisedModel is a network that was trained end to end, with the encoding of its vertices.
type supervisedModel struct {
	head
	encoding *dataset.Encoding
	model    *gckn.Supervised
	stored   *storedGraphs // that it was just trained on, if not in memory
}

// predict implements predictor.
func (m *supervisedModel) predict(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*predictions, error) {
	if m.stored != nil && d == m.stored.head {
		return m.predictStored(ctx)
	}
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	outputs, err := m.model.Outputs(ctx, b, report)
	if err != nil {
		return nil, err
	}
	if m.model.Regression() {
		return &predictions{values: outputs}, nil
	}
	decisions := outputs
	if len(m.Classes) == 2 {
		decisions = margins(outputs)
	}
	said := byDecision(decisions)
	said.probabilities = m.model.Probabilities(outputs)
	return said, nil
}

// margins returns how far the second of two columns is above the first.
func margins(logits *tensor.Dense) *tensor.Dense {
	x := logits.Float64s()
	margins := make([]float64, len(x)/2)
	for i := range margins {
		margins[i] = x[2*i+1] - x[2*i]
	}
	return column(margins)
}

// every returns the numbers from 0 to n-1.
func every(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// unknownLabels implements predictor.
func (m *supervisedModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// width implements rowStream.
func (m *supervisedModel) width() (columns int, dtype tensor.Dtype) {
	return (&network{m.encoding, m.model.Model()}).width()
}

// each implements rowStream.
func (m *supervisedModel) each(
	ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int),
	visit func(*tensor.Dense) error,
) error {
	return (&network{m.encoding, m.model.Model()}).each(ctx, d, perVertex, report, visit)
}

// storedSupervised is what a network that was trained end to end adds to its model file.
type storedSupervised struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Network  json.RawMessage   `json:"network"`
}

// parts implements predictor.
func (m *supervisedModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	return storedSupervised{m.encoding, description}, m.model.Tensors(), err
}

// loadSupervised reads the parts of a network that was trained end to end.
func loadSupervised(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedSupervised
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	model, err := gckn.LoadSupervised(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if err := checkEncoding(s.Encoding, model.Model().Input()); err != nil {
		return nil, err
	}
	outputs, what := len(h.Classes), "classes"
	if model.Regression() {
		outputs, what = len(h.Targets), "targets"
	}
	if have := len(model.Classifier().Bias); have != outputs || model.Vertices() != (h.Task == nodeTask) ||
		model.Regression() != (len(h.Classes) == 0) {
		return nil, fmt.Errorf("a network of %d outputs on %d %s of a %s", have, outputs, what, h.Task.noun())
	}
	return &supervisedModel{*h, s.Encoding, model, nil}, nil
}
