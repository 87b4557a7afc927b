package wl

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// storedDeep is the description of a deep kernel in a model file. Its tensors are those of its model, the weights of
// all colours, and the groups of all colours.
type storedDeep struct {
	Model   *Model      `json:"kernel"`
	Options DeepOptions `json:"options"`
}

const (
	tensorWeights = "wl-weights" // a row; older files have one for each class against the rest, whose mean counts
	tensorGroups  = "wl-groups"  // counted from 1, 0 for none; only with groups
)

// MarshalJSON describes the kernel without what is in its tensors.
func (d *Deep) MarshalJSON() ([]byte, error) { return json.Marshal(storedDeep{d.model, d.opt}) }

// Tensors returns what a model file must hold beside the description.
func (d *Deep) Tensors() map[string]*tensor.Dense {
	tensors := d.model.Tensors()
	weights := slices.Concat(d.model.weights...)
	tensors[tensorWeights] = tensor.New(tensor.WithShape(1, len(weights)), tensor.WithBacking(weights))
	if d.group != nil {
		var groups wholeNumbers
		for _, g := range slices.Concat(d.group...) {
			groups.add(uint64(g + 1))
		}
		tensors[tensorGroups] = groups.vector()
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
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, modelfile.Damaged(err)
	}
	m, err := Load(e, s.Model, f)
	if err != nil {
		return nil, err
	}
	d, err := loadDeep(m, &s.storedDeep, f)
	if err != nil {
		return nil, modelfile.Damaged(err)
	}
	return d, nil
}

func loadDeep(m *Model, s *storedDeep, f *modelfile.File) (*Deep, error) {
	if err := s.Options.Check(); err != nil {
		return nil, err
	}
	if m.opt.Kernel != Assignment {
		return nil, fmt.Errorf("weights of kernel %s", m.opt.Kernel)
	}
	nodes := 0
	for _, h := range m.train {
		nodes += h.columns
	}
	weights, err := readWeights(f, nodes)
	if err != nil {
		return nil, err
	}
	d := newDeep(m, s.Options, func(node int) float64 { return weights[node] })
	if err := s.Options.checkWeights(weights, m.self(m.train)); err != nil || d.opt.Groups == 0 {
		return d, err
	}
	groups, err := readNumbers(f, tensorGroups)
	if err != nil {
		return nil, err
	}
	if len(groups.left) != nodes || nodes > 0 && slices.Max(groups.left) > uint64(d.opt.Groups) {
		return nil, fmt.Errorf("%s: %d numbers, want one up to %d for each of %d colours",
			tensorGroups, len(groups.left), d.opt.Groups, nodes)
	}
	shared := map[uint64]float64{}
	for node, w := range weights {
		if known, there := shared[groups.left[node]]; there && known != w || groups.left[node] == 0 && w != 0 {
			return nil, fmt.Errorf("%s: colour %d has another weight than its group", tensorWeights, node)
		}
		shared[groups.left[node]] = w
	}
	d.group = byRound(m, func(node int) int32 { return int32(groups.left[node]) - 1 })
	return d, nil
}

// checkWeights reports weights that EasyMKL does not give, of graphs with the given self-values under uniform ones.
// Those of scaled kernels are divided by their mean diagonals, which are not less than the share of one vertex of one
// graph.
func (o *DeepOptions) checkWeights(weights, self []float64) error {
	sum, most := 0.0, 1.0
	for _, w := range weights {
		sum, most = sum+w, max(most, w)
	}
	if !(sum > 0) || most > float64(len(self))*slices.Max(append(self, 1)) ||
		o.Groups == 0 && o.Norm == mkl.SumOne && !o.Scale && math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("%s: weights of sum %g, the largest of them %g", tensorWeights, sum, most)
	}
	return nil
}

// readWeights returns the means of the columns of the weights, which are finite and not negative.
func readWeights(f *modelfile.File, columns int) ([]float64, error) {
	t, err := f.Tensor(tensorWeights, 2)
	if err != nil {
		return nil, err
	}
	rows := t.Shape()[0]
	if t.Dtype() != tensor.Float64 || rows < 1 || t.Shape()[1] != columns {
		return nil, fmt.Errorf("%s: %v %v, want float64 and a row of %d", tensorWeights, t.Dtype(), t.Shape(), columns)
	}
	mean := make([]float64, columns)
	for i, w := range t.Float64s() {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("%s: %g, want weights that are not negative", tensorWeights, w)
		}
		mean[i%columns] += w / float64(rows)
	}
	return mean, nil
}
