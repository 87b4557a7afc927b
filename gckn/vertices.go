package gckn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// vertexVectors gives the representation of vertices before global pooling.
type vertexVectors struct{ *network }

// Reach implements [machine.VertexVectors].
func (v vertexVectors) Reach() int { return v.fitted.opt.reach() }

// Parts implements [machine.VertexVectors].
func (v vertexVectors) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := v.fitted.MarshalJSON()
	return storedNetwork{v.encoding, description}, v.fitted.Tensors(), err
}

// sharedNetwork is the key of a network that was fitted on all graphs.
type sharedNetwork string

// onVertices learns from the vertices of all graphs, which belong to every part: it has seen those of the test, but no
// class of them. Estimators that differ in the machine alone share a network.
func (s Estimator) onVertices(ctx context.Context, w *model.Work) (model.Learner, error) {
	key := sharedNetwork(fmt.Sprintf("%#v %s", s.Options, s.Features))
	n, err := model.Shared(w, key, func() (*network, error) {
		n, _, err := s.fit(ctx, w)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	return machine.OnVertices(ctx, w, s.Name(), vertexVectors{n}, machine.VertexOptions{OwnFeatures: s.OwnFeatures})
}

// loadOnVertices reads the parts of a machine on vertices.
func loadOnVertices(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	return machine.LoadVertices(h, parts, f, func(description json.RawMessage) (machine.VertexVectors, error) {
		var s storedNetwork
		if err := modelfile.Unmarshal(description, &s); err != nil {
			return nil, err
		}
		fitted, err := Load(e, s.Network, f)
		if err != nil {
			return nil, err
		}
		n := &network{s.Encoding, fitted}
		return vertexVectors{n}, n.check()
	})
}
