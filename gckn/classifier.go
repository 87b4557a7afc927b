package gckn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// network is a fitted network with the encoding of the vertices that it was fitted on.
type network struct {
	encoding *dataset.Encoding
	fitted   *Model
}

// Encoding implements [model.Model].
func (n *network) Encoding() *dataset.Encoding { return n.encoding }

// Width implements [model.Embedder].
func (n *network) Width() (columns int, dtype tensor.Dtype) {
	return n.fitted.opt.Dim(), n.fitted.opt.dtype()
}

// Embed implements [model.Embedder].
func (n *network) Embed(
	ctx context.Context, d *dataset.Dataset, perVertex bool, progress model.Progress,
	visit func(rows *tensor.Dense) error,
) error {
	b, err := n.encoding.Apply(d)
	if err != nil {
		return err
	}
	return n.fitted.EachRun(ctx, b, perVertex, progress, visit)
}

// check returns an error where the encoding does not give the network what it wants.
func (n *network) check() error {
	if err := n.encoding.Check(); err != nil {
		return err
	}
	labels, attributes := n.encoding.Width()
	if in, want := n.fitted.Input(), (train.Input{Labels: labels, Attributes: attributes}); in != want {
		return fmt.Errorf("an encoding of %+v for a network that wants %+v", want, in)
	}
	return nil
}

// classifierModel turns graphs into classes: by a network and a linear classifier on what it puts out.
type classifierModel struct {
	model.Head
	network
	classifier *machine.VectorMachine
}

// Predict implements [model.Model].
func (m *classifierModel) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	x, err := m.fitted.Transform(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return m.classifier.Predict(x)
}

// storedClassifier is what a classifier adds to its model file; the tensors are those of the network.
type storedClassifier struct {
	Encoding   *dataset.Encoding `json:"encoding"`
	Network    json.RawMessage   `json:"network"`
	Classifier *svm.Model        `json:"classifier,omitempty"` // nil where anchors are all that was learned
}

// Parts implements [model.Model].
func (m *classifierModel) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.fitted.MarshalJSON()
	return storedClassifier{m.encoding, description, m.classifier.Linear}, m.fitted.Tensors(), err
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
	fitted, err := Load(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if s.Encoding == nil || (s.Classifier == nil) != (len(h.Classes) == 0) {
		return nil, fmt.Errorf("encoding or classifier is missing")
	}
	n := network{s.Encoding, fitted}
	if err := n.check(); err != nil {
		return nil, err
	}
	if s.Classifier == nil {
		return &anchorsModel{*h, n}, nil
	}
	classifier, err := machine.LoadLinear(h, s.Classifier, fitted.opt.Dim(), h.Training.Graphs)
	if err != nil {
		return nil, err
	}
	return &classifierModel{*h, n, classifier}, nil
}
