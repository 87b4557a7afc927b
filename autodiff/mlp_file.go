package autodiff

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// storedMLP is the description of an MLP in a model file; its parameters are the tensors below.
type storedMLP struct {
	Options MLPOptions `json:"options"`
	Input   Affine     `json:"input"`
	Output  Affine     `json:"output"`
}

// mlpTensors are the names of the parameters in a model file.
var mlpTensors = [4]string{"mlp-weight-1", "mlp-bias-1", "mlp-weight-2", "mlp-bias-2"}

// MarshalJSON describes the network without its weights.
func (n *MLP) MarshalJSON() ([]byte, error) { return json.Marshal(storedMLP{n.opt, n.input, n.output}) }

// Tensors returns what a model file must hold beside the description.
func (n *MLP) Tensors() map[string]*tensor.Dense {
	tensors := map[string]*tensor.Dense{}
	for i, w := range n.net {
		tensors[mlpTensors[i]] = w
	}
	return tensors
}

// LoadMLP makes a network from its description and the tensors of its file. It predicts the same bits as the one that
// was stored.
func LoadMLP(e engine.Engine, description json.RawMessage, f *modelfile.File) (*MLP, error) {
	var s storedMLP
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if err := s.Options.Check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	n := &MLP{engine: e.Host(), opt: s.Options, input: s.Input, output: s.Output}
	for _, a := range []Affine{s.Input, s.Output} {
		if err := a.check(); err != nil {
			return nil, modelfile.Damaged(err)
		}
	}
	h, d, k := s.Options.Hidden, n.Inputs(), n.Outputs()
	for i, shape := range []tensor.Shape{{h, d}, {1, h}, {k, h}, {1, k}} {
		w, err := f.Tensor(mlpTensors[i], 2)
		if err != nil {
			return nil, err
		}
		if !w.Shape().Eq(shape) || w.Dtype() != tensor.Float32 {
			return nil, modelfile.Damaged(fmt.Errorf("%s of shape %v and type %v, want %v of float32",
				mlpTensors[i], w.Shape(), w.Dtype(), shape))
		}
		for _, v := range w.Float32s() {
			if !(math.Abs(float64(v)) <= largestWeight) {
				return nil, modelfile.Damaged(fmt.Errorf("%s holds %g", mlpTensors[i], v))
			}
		}
		n.net[i] = tensor.New(tensor.WithEngine(n.engine), tensor.WithShape(shape...), tensor.WithBacking(w.Float32s()))
	}
	return n, nil
}

// largestWeight bounds the weights between standardised columns: with larger ones a loss overflows long before.
const largestWeight = 1e20

// leastDeviation bounds the deviation of a column that is not constant, as a share of its mean: among 2^31 numbers one
// may be off by a unit in the last place.
const leastDeviation = 1e-21

func (a Affine) check() error {
	if len(a.Mean) == 0 || len(a.Mean) != len(a.Scale) {
		return fmt.Errorf("%d means and %d scales", len(a.Mean), len(a.Scale))
	}
	for j, s := range a.Scale {
		if !(s > 0) || math.IsInf(s, 0) || math.IsNaN(a.Mean[j]) || math.IsInf(a.Mean[j], 0) ||
			s != 1 && s < leastDeviation*math.Abs(a.Mean[j]) {
			return fmt.Errorf("column %d has mean %g and scale %g", j, a.Mean[j], s)
		}
	}
	return nil
}
