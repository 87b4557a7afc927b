package gckn

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// storedSupervised is the description of a supervised model in a model file; its tensors are those of
// the network and "weight" (outputs x Dim) and "bias" (1 x outputs).
type storedSupervised struct {
	Options    SupervisedOptions `json:"options"`
	Input      train.Input       `json:"input"`
	Vertices   bool              `json:"vertices"`
	Regression bool              `json:"regression"`
	Best       int               `json:"epoch"`
}

// MarshalJSON describes the model without its tensors.
func (s *Supervised) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedSupervised{s.Options, s.Model.input, s.Vertices, s.Regression, s.Best})
}

// Tensors returns what a model file must hold beside the description.
func (s *Supervised) Tensors() map[string]*tensor.Dense {
	tensors := s.Model.Tensors()
	tensors["weight"] = matrixOf(s.Classifier.Weight)
	tensors["bias"] = matrixOf([][]float64{s.Classifier.Bias})
	return tensors
}

// LoadSupervised makes a model from its description and the tensors of its file. It predicts with the same
// bits as the one that was stored.
func LoadSupervised(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Supervised, error) {
	var d storedSupervised
	if err := modelfile.Unmarshal(description, &d); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if err := d.check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	s := &Supervised{Options: d.Options, Vertices: d.Vertices, Regression: d.Regression, Best: d.Best}
	var err error
	if s.Model, err = (&stored{d.Options.Network, d.Input}).load(e, f); err != nil {
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
	if dim := s.Model.opt.Dim(); weight.Shape()[1] != dim || !bias.Shape().Eq(tensor.Shape{1, weight.Shape()[0]}) {
		return nil, modelfile.Damaged(fmt.Errorf("classifier of shape %v with bias %v for a network of dimension %d",
			weight.Shape(), bias.Shape(), dim))
	}
	s.Classifier = &svm.Linear{}
	if s.Classifier.Weight, err = hostRows(weight); err != nil {
		return nil, err
	}
	rows, err := hostRows(bias)
	if err != nil {
		return nil, err
	}
	s.Classifier.Bias = rows[0]
	if err := s.Classifier.Check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if weight.Dtype() != tensor.Float64 || bias.Dtype() != tensor.Float64 {
		return nil, modelfile.Damaged(fmt.Errorf("classifier of %v with bias of %v, want float64", weight.Dtype(),
			bias.Dtype()))
	}
	for _, row := range append(s.Classifier.Weight, s.Classifier.Bias) {
		for _, w := range row {
			if !s.Regression && math.Abs(w) > largestWeight && w != model.NeverSeen {
				return nil, modelfile.Damaged(fmt.Errorf("a weight of %g in the classifier", w))
			}
		}
	}
	return s, nil
}

// largestWeight bounds the weights of a classifier: with larger ones a loss overflows long before.
const largestWeight = 1e20

// check reports what cannot be the description of a model.
func (d *storedSupervised) check() error {
	if err := d.Options.Check(); err != nil {
		return err
	}
	if squared := d.Options.Loss == autodiff.Squared; d.Regression && d.Options.Loss != "" && !squared {
		return fmt.Errorf("loss %s of a regression", d.Options.Loss)
	}
	if d.Best < 0 || d.Best > d.Options.Epochs {
		return fmt.Errorf("epoch %d of %d", d.Best, d.Options.Epochs)
	}
	return nil
}
