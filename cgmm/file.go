package cgmm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// stored is the description of a model in a model file; its parameters are the tensors.
type stored struct {
	Options Options        `json:"options"`
	Input   Input          `json:"input"`
	Shift   []float64      `json:"shift,omitempty"` // of the real attributes
	Scale   []float64      `json:"scale,omitempty"`
	History []LayerHistory `json:"history"` // one for each layer
}

// MarshalJSON describes the model without its parameters.
func (m *Model) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{m.opt, m.input, m.standard.shift, m.standard.scale, m.history})
}

// Tensors returns what a model file must hold beside the description: the parameters of every layer.
func (m *Model) Tensors() map[string]*tensor.Dense {
	tensors := map[string]*tensor.Dense{}
	for l, y := range m.layers {
		for _, p := range y.parameters(l) {
			tensors[p.name] = tensor.New(tensor.WithShape(p.shape...), tensor.WithBacking(*p.values))
		}
	}
	return tensors
}

// parameter is a place where a layer keeps parameters, and the tensor that holds them in a file.
type parameter struct {
	name   string
	shape  []int
	values *[]float64
	least  float64 // that a value may be
}

// parameters lists those of a layer, whose number counts from 0.
func (y *layer) parameters(number int) []parameter {
	name := func(what string) string { return fmt.Sprintf("cgmm-%d-%s", number+1, what) }
	c, looks := y.states, len(y.below)
	all := []parameter{
		{name("layer-weights"), []int{looks}, &y.layerWeight, 0},
		{name("arc-weights"), []int{looks, y.arcs}, &y.arcWeight, 0},
		{name("transition"), []int{y.columns(), c}, &y.transition, 0},
		{name("marginal"), []int{c}, &y.marginal, 0},
	}
	if symbols := y.emission.symbols; symbols > 0 {
		all = append(all, parameter{name("emission-1"), []int{symbols, c}, &y.emission.discrete, 0})
	}
	if dims := y.emission.dims; dims > 0 {
		all = append(all, parameter{name("mean"), []int{c, dims}, &y.emission.mean, math.Inf(-1)},
			parameter{name("variance"), []int{c, dims}, &y.emission.variance, minVariance})
	}
	return all
}

// Load makes a model from its description and the tensors of its file. It has the same bits as the one that
// was stored. Memory is only taken for what the file holds.
func Load(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Model, error) {
	var s stored
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, modelfile.Damaged(err)
	}
	m := &Model{opt: s.Options, input: s.Input, standard: standard{s.Shift, s.Scale}, engine: e, history: s.History}
	if err := m.check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	for l := range s.History {
		previous, below := m.previous()
		y := newLayer(&m.input, m.opt.States, previous, below)
		for _, p := range y.parameters(l) {
			if err := p.read(f); err != nil {
				return nil, err
			}
		}
		if err := y.check(); err != nil {
			return nil, modelfile.Damaged(fmt.Errorf("layer %d: %w", l+1, err))
		}
		m.layers = append(m.layers, y)
	}
	return m, nil
}

// check reports what is wrong with the description of a model.
func (m *Model) check() error {
	if err := m.opt.Check(); err != nil {
		return err
	}
	if err := m.input.check(); err != nil {
		return err
	}
	dims := m.input.Attributes
	if len(m.standard.shift) != dims || len(m.standard.scale) != dims {
		return fmt.Errorf("%d shifts and %d scales for %d real attributes", len(m.standard.shift), len(m.standard.scale),
			dims)
	}
	for d, scale := range m.standard.scale {
		shift := m.standard.shift[d]
		if !(scale > 0) || math.IsInf(scale, 0) || math.IsNaN(shift) || math.IsInf(shift, 0) ||
			scale != 1 && scale < leastDeviation*math.Abs(shift) {
			return fmt.Errorf("attribute %d has mean %g and deviation %g", d, shift, scale)
		}
	}
	if len(m.history) < 1 || len(m.history) > m.opt.Layers {
		return fmt.Errorf("%d layers of at most %d", len(m.history), m.opt.Layers)
	}
	return nil
}

// maxDeviation bounds standardised attributes, which are at most the root of the number of vertices.
const maxDeviation = 1 << 16

// check reports means and variances that standardised attributes do not have, and probabilities that do not add up to
// 1.
func (y *layer) check() error {
	one := func(what string, p []float64) error {
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		if !(math.Abs(sum-1) <= 1e-9) {
			return fmt.Errorf("%s of sum %g", what, sum)
		}
		return nil
	}
	for i, mean := range y.emission.mean {
		if v := y.emission.variance[i]; math.Abs(mean) > maxDeviation || v > maxDeviation*maxDeviation {
			return fmt.Errorf("a state of mean %g and variance %g of standardised attributes", mean, v)
		}
	}
	err := cmp.Or(one("weights of layers", y.layerWeight), one("a marginal", y.marginal))
	for l := range y.below {
		err = cmp.Or(err, one("weights of arcs", y.arcWeight[l*y.arcs:(l+1)*y.arcs]))
	}
	for c := range y.columns() {
		err = cmp.Or(err, one("a transition", y.transition[c*y.states:(c+1)*y.states]))
	}
	column := make([]float64, y.emission.symbols)
	for i := range y.states {
		for k := range column {
			column[k] = y.emission.discrete[k*y.states+i]
		}
		if len(column) > 0 {
			err = cmp.Or(err, one("an emission", column))
		}
	}
	return err
}

// read takes the values of a parameter from a file.
func (p parameter) read(f *modelfile.File) error {
	t, err := f.Tensor(p.name, len(p.shape))
	if err != nil {
		return err
	}
	if !t.Shape().Eq(tensor.Shape(p.shape)) || t.Dtype() != tensor.Float64 {
		return modelfile.Damaged(fmt.Errorf("tensor %q of %v has shape %v, want float64 of shape %v",
			p.name, t.Dtype(), t.Shape(), p.shape))
	}
	*p.values = t.Float64s()
	for _, v := range *p.values {
		if !(v >= p.least) || math.IsInf(v, 0) {
			return modelfile.Damaged(fmt.Errorf("tensor %q holds %g", p.name, v))
		}
	}
	return nil
}
