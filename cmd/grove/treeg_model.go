package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg"
	"gorgonia.org/tensor"
)

// treegModel is an ensemble of trees with the encoding of the vertices.
type treegModel struct {
	head
	encoding *dataset.Encoding
	directed bool // the graphs that it was trained on
	model    *treeg.Model
}

// treesBatch returns the graphs of d as trees see them: missing attributes stay missing, and where d asks about edges
// they are the line graphs, whose vertices are the edges.
func treesBatch(e *dataset.Encoding, d *dataset.Dataset) (*graph.Batch, error) {
	b, err := e.Apply(d.MissingAsNaN())
	if err != nil || taskOf(d) != edgeTask {
		return b, err
	}
	line, _, err := b.LineGraph()
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", d.Name, err)
	}
	return line, nil
}

// predict implements predictor: probabilities of the classes, or values.
func (m *treegModel) predict(ctx context.Context, d *dataset.Dataset, _ func(string, int, int)) (*predictions, error) {
	if m.Task == edgeTask && d.Batch.Directed != m.directed && d.Batch.NumArcs() > 0 {
		return nil, fmt.Errorf("data set %s: the model of edges was trained on graphs that are directed: %t, these are: %t",
			d.Name, m.directed, d.Batch.Directed)
	}
	b, err := treesBatch(m.encoding, d)
	if err != nil {
		return nil, err
	}
	scores, err := m.model.Scores(ctx, b)
	if err != nil {
		return nil, err
	}
	if m.model.NumClasses() == 0 {
		return &predictions{values: column(scores)}, nil
	}
	classes, err := m.model.ClassesOf(scores)
	if err != nil {
		return nil, err
	}
	probabilities, err := m.model.ProbabilitiesOf(scores)
	if err != nil {
		return nil, err
	}
	shape := tensor.WithShape(len(classes), m.model.NumClasses())
	return &predictions{classes: classes, probabilities: tensor.New(shape, tensor.WithBacking(probabilities))}, nil
}

// unknownLabels implements predictor.
func (m *treegModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// storedTreeG is what the model adds to its file.
type storedTreeG struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Directed bool              `json:"directed,omitempty"`
	Trees    json.RawMessage   `json:"trees"`
}

// parts implements predictor.
func (m *treegModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	return storedTreeG{m.encoding, m.directed, description}, m.model.Tensors(), err
}

// loadTreeG reads the parts of an ensemble.
func loadTreeG(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedTreeG
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	model, err := treeg.Load(e, s.Trees, f)
	if err != nil {
		return nil, err
	}
	in := model.Input()
	labels, attributes := s.Encoding.Width()
	if attributes > 0 {
		labels = 0
	}
	if h.Task == edgeTask {
		labels, attributes = 0, edgeAttributes(in, labels, attributes)
	}
	classes := model.NumClasses()
	switch {
	case in.Labels != labels || in.Attributes != attributes:
		return nil, fmt.Errorf("an encoding of %d labels and %d attributes for trees on %d and %d",
			labels, attributes, in.Labels, in.Attributes)
	case classes != len(h.Classes) || classes == 0 && len(h.Targets) != 1 ||
		(in.Level == treeg.Vertices) == (h.Task == graphTask):
		return nil, fmt.Errorf("trees for %d classes on %d classes of a %s", classes, len(h.Classes), h.Task.noun())
	}
	return &treegModel{*h, s.Encoding, s.Directed, model}, nil
}

// edgeAttributes returns how many attributes the line graph has of graphs whose vertices show so many labels or
// attributes. Only the trees know whether the weight of the arc is one more.
func edgeAttributes(in treeg.Input, labels, attributes int) int {
	ends := 2 * max(labels, attributes)
	if in.Attributes == ends+1 {
		return ends + 1
	}
	return ends
}
