package gckn

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// stored is the description of a model in a model file; its anchors are the tensors "anchors1", ....,
// or "path_anchors1", ....
type stored struct {
	Options Options     `json:"options"`
	Input   train.Input `json:"input"`
}

// MarshalJSON describes the model without its anchors.
func (m *Model) MarshalJSON() ([]byte, error) { return json.Marshal(stored{m.opt, m.input}) }

// Tensors returns what a model file must hold beside the description.
func (m *Model) Tensors() map[string]*tensor.Dense {
	tensors := make(map[string]*tensor.Dense, len(m.layers))
	for l, y := range m.layers {
		tensors[m.opt.anchorName(l)] = y.stored
	}
	return tensors
}

// anchorName names the tensor of the anchors of layer l. Those of whole paths, which are other vectors, have another
// name.
func (o *Options) anchorName(l int) string {
	if o.whole(l) {
		return fmt.Sprintf("path_anchors%d", l+1)
	}
	return fmt.Sprintf("anchors%d", l+1)
}

// Load makes a model from its description and the tensors of its file. It has the same bits as the one
// that was stored.
func Load(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Model, error) {
	var s stored
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, modelfile.Damaged(err)
	}
	return s.load(e, f)
}

// load makes a model of the description and the tensors of its file.
func (s *stored) load(e engine.Engine, f *modelfile.File) (*Model, error) {
	if err := s.Options.Check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if s.Input.Labels < 0 || s.Input.Attributes < 0 || s.Input.Dim() == 0 {
		return nil, modelfile.Damaged(fmt.Errorf("input %+v", s.Input))
	}
	m := newModel(e.Host(), s.Input, s.Options)
	for l := range s.Options.Layers {
		z, err := f.Tensor(s.Options.anchorName(l), 3)
		if err != nil {
			return nil, err
		}
		if want := m.anchorShape(l); !z.Shape().Eq(want) {
			return nil, modelfile.Damaged(fmt.Errorf("layer %d: anchors of shape %v, want %v", l+1, z.Shape(), want))
		}
		if err := m.checkAnchors(z); err != nil {
			return nil, modelfile.Damaged(fmt.Errorf("layer %d: %w", l+1, err))
		}
		if err := m.add(z); err != nil {
			return nil, err
		}
	}
	return m.moved(e)
}

// checkAnchors reports anchors that are of another dtype or no unit vectors. A vector may be shorter, see
// [autodiff.NormEps].
func (m *Model) checkAnchors(z *tensor.Dense) error {
	if z.Dtype() != m.opt.dtype() {
		return fmt.Errorf("anchors of %v, want %v", z.Dtype(), m.opt.dtype())
	}
	rows, err := hostRows(flat(z))
	if err != nil {
		return err
	}
	for _, row := range rows {
		squares := 0.0
		for _, v := range row {
			squares += v * v
		}
		if !(squares <= 1+1e-3) {
			return fmt.Errorf("an anchor of length %g, want 1", math.Sqrt(squares))
		}
	}
	return nil
}

// hostRows returns the rows of a matrix of any engine.
func hostRows(x *tensor.Dense) ([][]float64, error) {
	values, err := engine.Float64s(x)
	return slices.Collect(slices.Chunk(values, x.Shape()[1])), err
}

// matrixOf is the inverse of hostRows.
func matrixOf(rows [][]float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(slices.Concat(rows...)))
}
