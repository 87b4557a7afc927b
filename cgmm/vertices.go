package cgmm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// vertexShares gives the shares of vertices in the fingerprints of their graphs.
type vertexShares struct{ *fingerprints }

// Encoding implements [machine.VertexVectors].
func (v vertexShares) Encoding() *dataset.Encoding { return v.encoding }

// Reach implements [machine.VertexVectors]: a layer sees the neighbours' states below, bigrams those beside.
func (v vertexShares) Reach() int { return v.layers.Layers() }

// storedShares is what a model file holds of them.
type storedShares struct {
	Encoding    *dataset.Encoding `json:"encoding"`
	Model       json.RawMessage   `json:"model"`
	Fingerprint Fingerprint       `json:"fingerprint"`
}

// Parts implements [machine.VertexVectors].
func (v vertexShares) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := v.layers.MarshalJSON()
	return storedShares{v.encoding, description, v.kind}, v.layers.Tensors(), err
}

// onVertices learns from the vertices of all graphs, which belong to every part.
func (s Estimator) onVertices(ctx context.Context, w *model.Work) (model.Learner, error) {
	if w.Seen != nil {
		w = w.Whole()
	}
	g, err := s.grow(ctx, w, false)
	if err != nil {
		return nil, err
	}
	defer w.Spent.Transforming(time.Now())
	return machine.OnVertices(ctx, w, name, vertexShares{g.fingerprints(&s)},
		machine.VertexOptions{OwnFeatures: s.OwnFeatures, Kernel: s.Classifier})
}

// loadOnVertices reads the parts of a machine on vertices.
func loadOnVertices(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	return machine.LoadVertices(h, parts, f, func(description json.RawMessage) (machine.VertexVectors, error) {
		var s storedShares
		if err := modelfile.Unmarshal(description, &s); err != nil {
			return nil, err
		}
		m, err := Load(e, s.Model, f)
		if err != nil {
			return nil, err
		}
		shown := &fingerprints{s.Encoding, m, s.Fingerprint}
		return vertexShares{shown}, shown.check()
	})
}
