package cgmm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// Classifier is a trained model with a machine on its fingerprints.
type Classifier struct {
	model.Head
	*fingerprints
	machine *machine.VectorMachine
}

// Layers returns the number of layers.
func (c *Classifier) Layers() int { return c.layers.Layers() }

// Encoding implements [model.Model].
func (c *Classifier) Encoding() *dataset.Encoding { return c.encoding }

// states infers the states of all vertices of d.
func (c *Classifier) states(ctx context.Context, d *dataset.Dataset, progress model.Progress) (*States, error) {
	b, err := c.encoding.Apart(d)
	if err != nil {
		return nil, err
	}
	return c.layers.States(ctx, b, progress)
}

// predict classifies the graphs of some states.
func (c *Classifier) predict(s *States) (*model.Predictions, error) {
	x, err := s.Fingerprints(c.kind)
	if err != nil {
		return nil, err
	}
	return c.machine.Predict(x)
}

// Predict implements [model.Model].
func (c *Classifier) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	s, err := c.states(ctx, d, progress)
	if err != nil {
		return nil, err
	}
	return c.predict(s)
}

// Methods implements [model.Explainer].
func (c *Classifier) Methods() []model.Method { return []model.Method{model.States} }

// Explain implements [model.Explainer]: the most likely states.
func (c *Classifier) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	d = d.Select(examples)
	s, err := c.states(ctx, d, opt.Progress)
	if err != nil {
		return nil, err
	}
	said, err := c.predict(s)
	if err != nil {
		return nil, err
	}
	explained := make([]model.Explanation, len(examples))
	for g := range explained {
		explained[g].Graph, explained[g].Predicted = examples[g], said.Classes[g]
	}
	for l := range s.Layers() {
		all := s.Of(l)
		for g := range explained {
			from, to := s.batch.Vertices(g)
			layer := make([]int, to-from)
			for v, state := range all[from:to] {
				layer[v] = int(state)
			}
			explained[g].States = append(explained[g].States, layer)
		}
	}
	return explained, nil
}

// Profiles implements [model.Profiler] (the paper's figure 5): the mean frequency of every state, see
// [States.ClassMeans].
func (c *Classifier) Profiles(ctx context.Context, d *dataset.Dataset,
	progress model.Progress) ([]model.Profile, error) {
	if d.Classes == nil {
		return nil, nil
	}
	s, err := c.states(ctx, d, progress)
	if err != nil {
		return nil, err
	}
	profiles := make([]model.Profile, d.NumClasses())
	for k := range profiles {
		profiles[k].Class = d.ClassNames[k]
	}
	for l := range s.Layers() {
		means, err := s.ClassMeans(l, d.Classes, d.NumClasses())
		if err != nil {
			return nil, err
		}
		width := s.NumStates(l)
		for k := range profiles {
			profiles[k].Layers = append(profiles[k].Layers, means[k*width:(k+1)*width])
		}
	}
	return profiles, nil
}

// storedClassifier is what the model adds to its file.
type storedClassifier struct {
	Encoding    *dataset.Encoding      `json:"encoding"`
	Model       json.RawMessage        `json:"model"`
	Fingerprint Fingerprint            `json:"fingerprint"`
	Machine     *machine.StoredVectors `json:"machine"`
}

// Parts implements [model.Model].
func (c *Classifier) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := c.layers.MarshalJSON()
	if err != nil {
		return nil, nil, err
	}
	tensors := c.layers.Tensors()
	return storedClassifier{c.encoding, description, c.kind, c.machine.Store(tensors)}, tensors, nil
}

// loadClassifier reads the parts of a classifier.
func loadClassifier(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	if h.Task == model.NodeTask {
		return loadOnVertices(e, h, parts, f)
	}
	var s storedClassifier
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Machine == nil {
		return nil, fmt.Errorf("its machine is missing")
	}
	m, err := Load(e, s.Model, f)
	if err != nil {
		return nil, err
	}
	shown := &fingerprints{s.Encoding, m, s.Fingerprint}
	if err := shown.check(); err != nil {
		return nil, err
	}
	k, err := s.Machine.Load(h, f, m.DimOf(s.Fingerprint))
	if err != nil {
		return nil, err
	}
	return &Classifier{*h, shown, k}, nil
}
