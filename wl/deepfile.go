package wl

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// storedDeep is the description of a deep kernel in a model file. Its tensors are those of its model, the weights of
// all colours and the coefficients of all graphs, a row for each problem, and the groups of all colours.
type storedDeep struct {
	Model   *Model      `json:"kernel"`
	Options DeepOptions `json:"options"`
	Classes []int       `json:"classes"`
	Bias    []float64   `json:"bias"`
}

const (
	tensorWeights      = "wl-weights"
	tensorCoefficients = "wl-coefficients"
	tensorGroups       = "wl-groups" // counted from 1, 0 for none; only with groups
)

// MarshalJSON describes the kernel without what is in its tensors.
func (d *Deep) MarshalJSON() ([]byte, error) {
	s := storedDeep{Model: d.model, Options: d.opt, Classes: d.classes}
	for _, p := range d.problems {
		s.Bias = append(s.Bias, p.bias)
	}
	return json.Marshal(s)
}

// Tensors returns what a model file must hold beside the description.
func (d *Deep) Tensors() map[string]*tensor.Dense {
	tensors := d.model.Tensors()
	var weights, coef []float64
	for _, p := range d.problems {
		weights, coef = append(weights, slices.Concat(p.weights...)...), append(coef, p.coef...)
	}
	n := len(d.problems)
	tensors[tensorWeights] = tensor.New(tensor.WithShape(n, len(weights)/n), tensor.WithBacking(weights))
	tensors[tensorCoefficients] = tensor.New(tensor.WithShape(n, len(coef)/n), tensor.WithBacking(coef))
	if d.group != nil {
		var groups []float64
		for _, g := range slices.Concat(d.group...) {
			groups = append(groups, float64(g+1))
		}
		tensors[tensorGroups] = wholeNumbers(groups)
	}
	return tensors
}

// LoadDeep makes a deep kernel from its description and the tensors of its file. It computes the same bits as the
// one that was stored.
func LoadDeep(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Deep, error) {
	var s struct {
		storedDeep
		Model json.RawMessage `json:"kernel"`
	}
	if err := json.Unmarshal(description, &s); err != nil {
		return nil, fmt.Errorf("damaged model file: %w", err)
	}
	m, err := Load(e, s.Model, f)
	if err != nil {
		return nil, err
	}
	d, err := loadDeep(m, &s.storedDeep, f)
	if err != nil {
		return nil, fmt.Errorf("damaged model file: %w", err)
	}
	d.prepare()
	return d, nil
}

func loadDeep(m *Model, s *storedDeep, f *modelfile.File) (*Deep, error) {
	d := &Deep{model: m, opt: s.Options, classes: s.Classes}
	if err := d.opt.Check(); err != nil {
		return nil, err
	}
	problems := len(s.Classes)
	if problems == 2 {
		problems = 1
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(s.Classes)))
	if len(s.Classes) < 2 || !slices.Equal(sorted, s.Classes) || len(s.Bias) != problems || m.opt.Kernel != Assignment {
		return nil, fmt.Errorf("weights of kernel %s for the classes %v with %d biases", m.opt.Kernel, s.Classes, len(s.Bias))
	}
	nodes := 0
	for _, h := range m.train {
		nodes += h.columns
	}
	weights, err := readMatrix(f, tensorWeights, problems, nodes)
	if err != nil {
		return nil, err
	}
	if nodes > 0 && slices.Min(weights) < 0 {
		return nil, fmt.Errorf("%s: a negative weight", tensorWeights)
	}
	coef, err := readMatrix(f, tensorCoefficients, problems, m.NumGraphs())
	if err != nil {
		return nil, err
	}
	for k := range problems {
		d.problems = append(d.problems, problem{
			weights: byRound(m, func(node int) float64 { return weights[k*nodes+node] }),
			coef:    coef[k*m.NumGraphs() : (k+1)*m.NumGraphs()],
			bias:    s.Bias[k],
		})
	}
	if d.opt.Groups == 0 {
		return d, nil
	}
	groups, err := readNumbers(f, tensorGroups)
	if err != nil {
		return nil, err
	}
	if len(groups.left) != nodes || nodes > 0 && slices.Max(groups.left) > uint64(d.opt.Groups) {
		return nil, fmt.Errorf("%s: %d numbers, want one up to %d for each of %d colours",
			tensorGroups, len(groups.left), d.opt.Groups, nodes)
	}
	d.group = byRound(m, func(node int) int32 { return int32(groups.left[node]) - 1 })
	return d, nil
}

// readMatrix returns the elements of a Float64 matrix of the given shape, which are finite.
func readMatrix(f *modelfile.File, name string, rows, columns int) ([]float64, error) {
	t, err := f.Tensor(name, 2)
	if err != nil {
		return nil, err
	}
	if t.Dtype() != tensor.Float64 || t.Shape()[0] != rows || t.Shape()[1] != columns {
		return nil, fmt.Errorf("%s: %v %v, want float64 and %d x %d", name, t.Dtype(), t.Shape(), rows, columns)
	}
	for _, v := range t.Float64s() {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: %g", name, v)
		}
	}
	return t.Float64s(), nil
}
