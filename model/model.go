package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Model is a trained model of any family. It is safe for concurrent use.
type Model interface {
	// About says which model it is and what it predicts.
	About() *Head
	// Encoding says what the model looks at of the vertices and arcs of a data set.
	Encoding() *dataset.Encoding
	// Predict says what the model thinks of every example of d, as [Head.Asks] sees it. What it says of an example
	// does not depend on the others, to the last bit.
	Predict(ctx context.Context, d *dataset.Dataset, progress Progress) (*Predictions, error)
	// Parts returns what the file of the model holds beside the head: a description, written as JSON, and tensors.
	Parts() (description any, tensors map[string]*tensor.Dense, err error)
}

// Embedder represents graphs, or their vertices, by vectors: a model, or what an [Encoder] gives.
type Embedder interface {
	// Width returns the number of columns and the type of the rows.
	Width() (columns int, dtype tensor.Dtype)
	// Embed calls visit with the rows of consecutive graphs of d, or with perVertex of consecutive vertices; they are
	// good until it returns, so that the whole matrix need not fit in memory.
	Embed(ctx context.Context, d *dataset.Dataset, perVertex bool, progress Progress,
		visit func(rows *tensor.Dense) error) error
}

// Encoder is an [Estimator] that represents graphs or vertices without their targets.
type Encoder interface {
	// Encoder learns a representation from the graphs that w shows.
	Encoder(ctx context.Context, w *Work, perVertex bool) (Embedder, error)
}

// Grammer is a [Learner] whose model rests on a kernel between graphs.
type Grammer interface {
	// KernelMatrix returns the kernel matrix of the graphs of the data set, N x N of Float64. Where weights are
	// learned, they are learned from the known targets.
	KernelMatrix(ctx context.Context, known *Targets) (*tensor.Dense, error)
}

// GramRows returns rows of a kernel matrix, or of some of its columns: those of the whole, to the last bit.
type GramRows func(ctx context.Context, rows []int) (*tensor.Dense, error)

// RowGrammer is an [Estimator] that computes rows of the matrix of [Grammer] without the others.
type RowGrammer interface {
	// GramRows prepares for the graphs of the data set, and of the columns for the given ones, nil for all.
	GramRows(ctx context.Context, w *Work, columns []int) (GramRows, error)
}

// Matrix returns the vectors of all graphs of d, or of all vertices, as the rows of a Float64 matrix.
func Matrix(ctx context.Context, e Embedder, d *dataset.Dataset, perVertex bool) (*tensor.Dense, error) {
	columns, _ := e.Width()
	var all []float64
	err := e.Embed(ctx, d, perVertex, nil, func(rows *tensor.Dense) error {
		values, err := engine.Float64s(rows)
		all = append(all, values...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(len(all)/max(columns, 1), columns), tensor.WithBacking(all)), nil
}

// Head is what all model files have in common.
type Head struct {
	Model    string   `json:"model"`             // its registered name
	Task     Task     `json:"task"`              // what it predicts something of
	Classes  []string `json:"classes,omitempty"` // by class index
	Targets  []string `json:"targets,omitempty"` // what it predicts in a regression, in place of classes
	Target   string   `json:"target,omitempty"`  // what the classes are called, where data may have several targets
	Training Training `json:"training"`

	Molecules *dataset.Molecules `json:"molecules,omitempty"` // how the molecules it learned from were read
}

// HeadOf returns the head of a model of the given name that learns the targets of a data set.
func HeadOf(name string, d *dataset.Dataset) Head {
	h := Head{Model: name, Task: TaskOf(d), Molecules: d.Molecules}
	if t := TargetsOf(d); t.Regression() {
		h.Targets = t.Names
	} else {
		h.Classes, h.Target = t.Names, d.Target
	}
	return h
}

// About implements [Model].
func (h *Head) About() *Head { return h }

// Training says how a model came to be. Accuracies are in percent, errors in the units of the target.
type Training struct {
	Dataset    string   `json:"dataset"`
	Graphs     int      `json:"n_graphs"`
	Setting    string   `json:"setting"`
	Seed       uint64   `json:"seed"`
	Value      *float64 `json:"value,omitempty"` // of the setting's grid, C for instance
	ChosenBy   string   `json:"chosen_by,omitempty"`
	Accuracy   *float64 `json:"training_accuracy,omitempty"`
	RMSE       *float64 `json:"training_rmse,omitempty"`
	Validation *float64 `json:"cross_validated,omitempty"` // nothing where there was no choice

	Instructions string `json:"instructions,omitempty"` // that the processor computed with; models from before do not say
}

// check returns an error where the head is none of a model of the family.
func (h *Head) check(f *Family) error {
	switch {
	case !slices.Contains(f.Tasks, h.Task):
		return fmt.Errorf("a task of kind %q", h.Task)
	case !slices.ContainsFunc(f.Models, func(m Name) bool { return m.Name == h.Model }):
		return fmt.Errorf("a model %q of kind %s", h.Model, f.Kind)
	case h.Training.Graphs < 1:
		return fmt.Errorf("a training on %d graphs", h.Training.Graphs)
	case slices.Contains(h.Classes, ""):
		return errors.New("a class without a name")
	case len(h.Classes) == 0 && len(h.Targets) == 0 && !f.Bare:
		return errors.New("neither classes nor targets to predict")
	case len(slices.Compact(slices.Sorted(slices.Values(h.Classes)))) < len(h.Classes):
		return fmt.Errorf("a class is there twice: %q", h.Classes)
	}
	return nil
}

// Asks returns d as the model sees it: by its edges where the model was trained on edges, which need no labels, and of
// several targets with the one that the model predicts.
func (h *Head) Asks(d *dataset.Dataset) (*dataset.Dataset, error) {
	if h.Task == EdgeTask && d.Task != dataset.EdgeClassification {
		return d.ByEdge()
	}
	if d.TargetClasses != nil {
		target := h.Target
		if h.Targets != nil {
			target = h.Targets[0]
		}
		if k := slices.Index(d.TargetNames, target); k >= 0 && (h.Classes != nil || d.HoldsNumbers(k)) {
			return d.WithTarget(k, h.Classes == nil), nil
		}
	}
	return d, nil
}

// Classes of examples that the model does not know.
const (
	UnknownClass = -1 // a class that the model never saw
	NoClass      = -2
)

// Truth returns the class of every example of d as an index of h.Classes: [UnknownClass] where the model knows no class
// of this name, [NoClass] where the example has none. It is nil where d does not classify what the model does.
func (h *Head) Truth(d *dataset.Dataset) []int {
	t := TargetsOf(d)
	if t.Classes == nil || h.Classes == nil || t.Task != h.Task {
		return nil
	}
	truth := make([]int, len(t.Classes))
	for i, c := range t.Classes {
		if truth[i] = NoClass; c >= 0 {
			truth[i] = slices.Index(h.Classes, t.Names[c]) // -1 is UnknownClass
		}
	}
	return truth
}
