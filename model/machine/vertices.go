package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// VertexVectors represents the vertices of graphs by vectors that were learned without targets.
type VertexVectors interface {
	model.Embedder
	// Encoding says what it looks at of vertices and arcs.
	Encoding() *dataset.Encoding
	// Reach returns how many arcs away a vertex sees.
	Reach() int
	// Parts returns what a model file must hold of it: a description, written as JSON, and tensors.
	Parts() (description any, tensors map[string]*tensor.Dense, err error)
}

// VertexOptions say what a machine sees of a vertex, and how it decides.
type VertexOptions struct {
	// OwnFeatures puts what the vertex itself shows beside its vector: its attributes, or its label as a one-hot row.
	OwnFeatures bool
	Kernel      svm.VectorKernel // the zero kernel is the linear one
}

// DeclareOwnFeatures declares the parameter of [VertexOptions].OwnFeatures.
func DeclareOwnFeatures(s *param.Set, values *[]bool) {
	s.Add(&param.Param{Value: param.List(values, param.ParseBool), Name: "own-features", Alone: "true",
		Usage: "`true,false` of a vertex: let the linear machine see its own attributes or label too, beside its vector"})
}

// OwnFeatures is what the line on a setting says of it.
func OwnFeatures(own bool) string {
	if own {
		return ", own features"
	}
	return ""
}

// Check reports options that do not go together.
func (o *VertexOptions) Check() error {
	if o.OwnFeatures && !linear(o.Kernel) {
		return fmt.Errorf("a vertex's own features are for linear machines, not for a kernel %s", o.Kernel.Kind)
	}
	return nil
}

// VertexLearner learns classes of vertices from their vectors. Every vector is divided by its length, so that the
// number of neighbours does not matter; own features are divided by theirs and stand behind it. Linear machines take
// these rows as they are (see [svm.FitPath]): the few vertices of a training part say little of the scale of a column.
type VertexLearner struct {
	rows   vertexRows
	head   model.Head
	x      *tensor.Dense
	kernel *Vectors // nil where the machine is linear
}

// OnVertices returns a learner on all vertices of the data for a model of the given name.
func OnVertices(
	ctx context.Context, w *model.Work, name string, vectors VertexVectors, o VertexOptions,
) (*VertexLearner, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	l := &VertexLearner{rows: vertexRows{vectors, o.OwnFeatures}, head: model.HeadOf(name, w.Data)}
	var err error
	if l.x, err = l.rows.of(ctx, w.Data, w.Progress); err != nil || linear(o.Kernel) {
		return l, err
	}
	l.kernel, err = OnVectors(l.x, o.Kernel, w.Engine)
	return l, err
}

// fit trains linear machines for every value of C: one for two classes, else each class against the rest.
func (l *VertexLearner) fit(ctx context.Context, t model.Trial) (*svm.Classifier, error) {
	if t.Known.Regression() {
		return nil, errNumbers
	}
	columns := l.x.Shape()[1]
	c := &svm.Classifier{C: t.Grid, Classes: split.Select(t.Known.Classes, t.Train),
		Scaler: &svm.Scaler{Mean: make([]float64, columns), Scale: slices.Repeat([]float64{1}, columns)}}
	slices.Sort(c.Classes)
	c.Classes = slices.Compact(c.Classes)
	positive := c.Classes
	if len(positive) < 3 {
		positive = positive[1:] // of two the second one speaks, a single one is always right
	}
	labels := make([]float64, len(t.Known.Classes))
	for _, class := range positive {
		for i, of := range t.Known.Classes {
			labels[i] = -1
			if of == class {
				labels[i] = 1
			}
		}
		path, err := svm.FitPath(ctx, l.x, t.Train, labels, t.Grid, svm.Options{Workers: t.Workers})
		if err != nil {
			return nil, fmt.Errorf("class %s against the rest: %w", t.Known.Names[class], err)
		}
		c.Problems = append(c.Problems, path)
	}
	return c, nil
}

// Learn implements [model.Learner].
func (l *VertexLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	if l.kernel != nil {
		return l.kernel.Learn(ctx, t)
	}
	c, err := l.fit(ctx, t)
	if err != nil {
		return nil, err
	}
	decisions, err := c.Decisions(l.x, t.Test)
	if err != nil {
		return nil, err
	}
	return said(decisions, c.Classes, len(t.Known.Names)), nil
}

// Model implements [model.Learner].
func (l *VertexLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	if l.kernel != nil {
		m, err := l.kernel.Fit(ctx, t)
		if err != nil {
			return nil, err
		}
		return &VertexMachine{l.head, l.rows, m, len(t.Train)}, nil
	}
	c, err := l.fit(ctx, t)
	if err != nil {
		return nil, err
	}
	m := &VectorMachine{Linear: c.Model(0), classes: len(t.Known.Names), workers: t.Workers}
	return &VertexMachine{l.head, l.rows, m, len(t.Train)}, nil
}

// VertexMachine classifies vertices by a machine on their vectors.
type VertexMachine struct {
	model.Head
	rows    vertexRows
	machine *VectorMachine
	trained int // vertices that the machine was trained on
}

// Encoding implements [model.Model].
func (m *VertexMachine) Encoding() *dataset.Encoding { return m.rows.Encoding() }

// Width implements [model.Embedder].
func (m *VertexMachine) Width() (columns int, dtype tensor.Dtype) { return m.rows.Width() }

// Embed implements [model.Embedder]: the vectors that the machine decides by, before they are divided by their length.
func (m *VertexMachine) Embed(
	ctx context.Context, d *dataset.Dataset, perVertex bool, progress model.Progress, visit func(*tensor.Dense) error,
) error {
	return m.rows.Embed(ctx, d, perVertex, progress, visit)
}

// Predict implements [model.Model].
func (m *VertexMachine) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	x, err := m.rows.of(ctx, d, progress)
	if err != nil {
		return nil, err
	}
	return m.machine.Predict(x)
}

// Methods implements [model.Explainer].
func (m *VertexMachine) Methods() []model.Method { return []model.Method{model.Importance} }

// Explain implements [model.Explainer]: see [model.Importance], here by leaving vertices out.
func (m *VertexMachine) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	decide := func(ctx context.Context, d *dataset.Dataset, class int) ([]float64, error) {
		x, err := m.rows.of(ctx, d, nil)
		if err != nil {
			return nil, err
		}
		if m.machine.Linear == nil {
			k, err := m.machine.kernel.Cross(x, m.machine.support, m.machine.workers)
			if err != nil {
				return nil, err
			}
			return m.machine.speaksFor(k, class)
		}
		said, err := m.machine.Predict(x)
		if err != nil {
			return nil, err
		}
		return towards(said, class), nil
	}
	return (&leavingOut{m, m.rows.Reach(), decide}).explain(ctx, d, examples, opt)
}

// storedVertices is what a machine on vertices adds to its model file.
type storedVertices struct {
	Vectors     json.RawMessage `json:"vectors"`
	OwnFeatures bool            `json:"own_features,omitempty"`
	Machine     *StoredVectors  `json:"machine"`
	Trained     int             `json:"trained"` // vertices
}

// Parts implements [model.Model].
func (m *VertexMachine) Parts() (any, map[string]*tensor.Dense, error) {
	description, tensors, err := m.rows.Parts()
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(description)
	return storedVertices{raw, m.rows.own, m.machine.Store(tensors), m.trained}, tensors, err
}

// LoadVertices reads the parts of a machine on vertices, the vectors by the given function.
func LoadVertices(
	h *model.Head, parts json.RawMessage, f *modelfile.File, vectors func(json.RawMessage) (VertexVectors, error),
) (*VertexMachine, error) {
	var s storedVertices
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Machine == nil {
		return nil, fmt.Errorf("its machine is missing")
	}
	v, err := vectors(s.Vectors)
	if err != nil {
		return nil, err
	}
	rows := vertexRows{v, s.OwnFeatures}
	m, err := s.Machine.Load(h, f, rows.columns())
	if err != nil {
		return nil, err
	}
	if s.Trained < 1 || s.Trained > math.MaxInt32 {
		return nil, fmt.Errorf("a machine that was trained on %d vertices", s.Trained)
	}
	if m.Linear != nil {
		if err := m.Linear.CheckTrained(s.Trained); err != nil {
			return nil, err
		}
	}
	return &VertexMachine{*h, rows, m, s.Trained}, nil
}
