package treeg

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// Trained are trees that learned from a data set, with the encoding of its vertices: a [model.Model] that explains by
// [model.Importance] and writes its trees down.
type Trained struct {
	model.Head
	Trees    *Model
	encoding *dataset.Encoding
	directed bool // the graphs that it was trained on
}

// Encoding implements [model.Model].
func (m *Trained) Encoding() *dataset.Encoding { return m.encoding }

// asked returns d as the model sees it.
func (m *Trained) asked(d *dataset.Dataset) (*dataset.Dataset, error) {
	if m.Task == model.EdgeTask && d.Batch.Directed != m.directed && d.Batch.NumArcs() > 0 {
		return nil, fmt.Errorf("data set %s: the model of edges was trained on graphs that are directed: %t, these are: %t",
			d.Name, m.directed, d.Batch.Directed)
	}
	return m.Asks(d)
}

// Predict implements [model.Model]: probabilities of the classes, or values.
func (m *Trained) Predict(ctx context.Context, d *dataset.Dataset, _ model.Progress) (*model.Predictions, error) {
	d, err := m.asked(d)
	if err != nil {
		return nil, err
	}
	b, err := seenBatch(m.encoding, d, m.Task)
	if err != nil {
		return nil, err
	}
	return m.Trees.Predict(ctx, b)
}

// storedTrained is what the model adds to its file.
type storedTrained struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Directed bool              `json:"directed,omitempty"`
	Absent   []int             `json:"absent,omitempty"`
	Trees    json.RawMessage   `json:"trees"`
}

// Parts implements [model.Model].
func (m *Trained) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.Trees.MarshalJSON()
	return storedTrained{m.encoding, m.directed, m.Trees.absent, description}, nil, err
}

// loadTrained reads the parts of an ensemble.
func loadTrained(e engine.Engine, h *model.Head, parts json.RawMessage, _ *modelfile.File) (model.Model, error) {
	var s storedTrained
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	trees, err := Load(e, s.Trees)
	if err != nil {
		return nil, err
	}
	in := trees.Input()
	labels, attributes := s.Encoding.Width()
	if h.Task == model.EdgeTask {
		labels, attributes = 0, edgeAttributes(&in, labels, attributes)
	}
	classes := trees.NumClasses()
	switch {
	case in.Labels != labels || in.Attributes != attributes:
		return nil, fmt.Errorf("an encoding of %d labels and %d attributes for trees on %d and %d",
			labels, attributes, in.Labels, in.Attributes)
	case classes != len(h.Classes) || classes == 0 && len(h.Targets) != 1 ||
		(in.Level == Vertices) == (h.Task == model.GraphTask):
		return nil, fmt.Errorf("trees for %d classes on %d classes of a %s", classes, len(h.Classes), h.Task.Noun())
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(s.Absent))); len(distinct) < len(s.Absent) ||
		len(s.Absent) > 0 && (distinct[0] < 0 || distinct[len(distinct)-1] >= classes || len(distinct) == classes) {
		return nil, fmt.Errorf("absent classes %d of %d", s.Absent, classes)
	}
	trees.absent = s.Absent
	return &Trained{*h, trees, s.Encoding, s.Directed}, nil
}

// edgeAttributes returns how many attributes the line graph has of graphs whose vertices show so many labels or
// attributes. Only the trees know whether the weight of the arc is one more.
func edgeAttributes(in *Input, labels, attributes int) int {
	ends := 2 * max(labels, attributes)
	if in.Attributes == ends+1 {
		return ends + 1
	}
	return ends
}
