package gckn

import (
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// storedSupervised is the description of a supervised model in a model file; its tensors are those of
// the network and "weight" (outputs x Dim) and "bias" (1 x outputs).
type storedSupervised struct {
	Options    SupervisedOptions `json:"options"`
	Input      Input             `json:"input"`
	Vertices   bool              `json:"vertices"`
	Regression bool              `json:"regression"`
	Best       int               `json:"epoch"`
}

// MarshalJSON describes the model without its tensors.
func (s *Supervised) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedSupervised{s.opt, s.model.input, s.vertices, s.regression, s.best})
}

// Tensors returns what a model file must hold beside the description.
func (s *Supervised) Tensors() map[string]*tensor.Dense {
	tensors := s.model.Tensors()
	tensors["weight"] = matrixOf(s.classifier.Weight)
	tensors["bias"] = matrixOf([][]float64{s.classifier.Bias})
	return tensors
}

// LoadSupervised makes a model from its description and the tensors of its file. It predicts with the same
// bits as the one that was stored.
func LoadSupervised(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Supervised, error) {
	var d storedSupervised
	if err := json.Unmarshal(description, &d); err != nil {
		return nil, modelfile.Damaged(err)
	}
	network, err := json.Marshal(stored{d.Options.Network, d.Input})
	if err != nil {
		return nil, err
	}
	s := &Supervised{opt: d.Options, vertices: d.Vertices, regression: d.Regression, best: d.Best}
	if s.model, err = Load(e, network, f); err != nil {
		return nil, err
	}
	weight, err := f.Tensor("weight", 2)
	if err != nil {
		return nil, err
	}
	bias, err := f.Tensor("bias", 2)
	if err != nil {
		return nil, err
	}
	if dim := s.model.opt.Dim(); weight.Shape()[1] != dim || !bias.Shape().Eq(tensor.Shape{1, weight.Shape()[0]}) {
		return nil, modelfile.Damaged(fmt.Errorf("classifier of shape %v with bias %v for a network of dimension %d",
			weight.Shape(), bias.Shape(), dim))
	}
	s.classifier = &svm.Linear{}
	if s.classifier.Weight, err = hostRows(weight); err != nil {
		return nil, err
	}
	rows, err := hostRows(bias)
	if err != nil {
		return nil, err
	}
	s.classifier.Bias = rows[0]
	if err := s.classifier.Check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	return s, nil
}
