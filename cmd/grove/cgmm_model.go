package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// cgmmModel is a trained model with a machine on its fingerprints.
type cgmmModel struct {
	head
	encoding    *dataset.Encoding
	model       *cgmm.Model
	fingerprint cgmm.Fingerprint
	machine     *vectorMachine
}

// predict implements predictor.
func (m *cgmmModel) predict(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*predictions, error) {
	b, err := m.encoding.Apart(d)
	if err != nil {
		return nil, err
	}
	states, err := m.model.States(ctx, b, report)
	if err != nil {
		return nil, err
	}
	x, err := states.Fingerprints(m.fingerprint)
	if err != nil {
		return nil, err
	}
	return m.machine.predict(x)
}

// unknownLabels implements predictor.
func (m *cgmmModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// width implements rowStream.
func (m *cgmmModel) width() (columns int, dtype tensor.Dtype) {
	return m.model.DimOf(m.fingerprint), tensor.Float64
}

// each implements rowStream.
func (m *cgmmModel) each(
	ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int),
	visit func(*tensor.Dense) error,
) error {
	b, err := m.encoding.Apart(d)
	if err != nil {
		return err
	}
	each := m.model.EachRun
	if perVertex {
		each = m.model.EachVertexRun
	}
	return each(ctx, b, m.fingerprint, report, func(_ int, x *tensor.Dense) error { return visit(x) })
}

// storedCGMM is what the model adds to its file.
type storedCGMM struct {
	Encoding    *dataset.Encoding `json:"encoding"`
	Model       json.RawMessage   `json:"model"`
	Fingerprint cgmm.Fingerprint  `json:"fingerprint"`
	Machine     *storedVectors    `json:"machine"`
}

// parts implements predictor.
func (m *cgmmModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	tensors := m.model.Tensors()
	return storedCGMM{m.encoding, description, m.fingerprint, m.machine.store(tensors)}, tensors, nil
}

// loadCGMM reads the parts of a contextual graph Markov model.
func loadCGMM(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedCGMM
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil || s.Machine == nil {
		return nil, fmt.Errorf("its encoding or its machine is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	model, err := cgmm.Load(e, s.Model, f)
	if err != nil {
		return nil, err
	}
	if want, have := model.Input(), cgmm.InputFor(s.Encoding); fmt.Sprint(want) != fmt.Sprint(have) {
		return nil, fmt.Errorf("an encoding of %+v for a model that wants %+v", have, want)
	}
	if err := s.Fingerprint.Check(model.Layers()); err != nil {
		return nil, err
	}
	m := &cgmmModel{head: *h, encoding: s.Encoding, model: model, fingerprint: s.Fingerprint}
	if m.machine, err = s.Machine.load(h, f, model.DimOf(s.Fingerprint)); err != nil {
		return nil, err
	}
	return m, nil
}
