package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// predictor is a trained model of any family, as a file keeps it.
type predictor interface {
	// about says which model it is and what it predicts.
	about() *head
	// predict says what the model thinks of every example of d.
	predict(ctx context.Context, d *dataset.Dataset, report func(stage string, done, total int)) (*predictions, error)
	// unknownLabels returns the labels of d that the model never saw.
	unknownLabels(d *dataset.Dataset) []string
	// parts returns what the model file holds beside the head.
	parts() (description any, tensors map[string]*tensor.Dense, err error)
}

// head is what all model files have in common.
type head struct {
	Model    string   `json:"model"`             // as the command line names it
	Task     task     `json:"task"`              // what it predicts something of
	Classes  []string `json:"classes,omitempty"` // by class index
	Targets  []string `json:"targets,omitempty"` // what it predicts in a regression, in place of classes
	Training training `json:"training"`
}

func (h *head) about() *head { return h }

// checkClasses returns an error where a part of the model speaks of a class without a name.
func (h *head) checkClasses(classes []int) error {
	for _, c := range classes {
		if c < 0 || c >= len(h.Classes) {
			return fmt.Errorf("class %d of the classifier has no name", c)
		}
	}
	return nil
}

// decisionColumns names the decision values of a classifier of the given classes: one value that speaks for the
// second of two classes, or one for each class.
func (h *head) decisionColumns(classes []int) []string {
	if len(classes) <= 2 {
		return []string{"decision"}
	}
	columns := make([]string, len(classes))
	for i, c := range classes {
		columns[i] = "decision " + h.Classes[c]
	}
	return columns
}

// training says how a model came to be. Accuracies are in percent, errors in the units of the target.
type training struct {
	Dataset    string   `json:"dataset"`
	Graphs     int      `json:"n_graphs"`
	Setting    string   `json:"setting"`
	Seed       uint64   `json:"seed"`
	Value      *float64 `json:"value,omitempty"` // of the setting's grid, C for instance
	ChosenBy   string   `json:"chosen_by,omitempty"`
	Accuracy   *float64 `json:"training_accuracy,omitempty"`
	RMSE       *float64 `json:"training_rmse,omitempty"`
	Validation *float64 `json:"cross_validated,omitempty"` // nothing where there was no choice
}

// storedModel is the description of a model in its file.
type storedModel struct {
	Head  head            `json:"head"`
	Parts json.RawMessage `json:"parts"`
}

// save writes a model to a file of its family's kind.
func save(path string, p predictor) error {
	description, tensors, err := p.parts()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(description)
	if err != nil {
		return err
	}
	return modelfile.Write(path, familyOf(p.about().Model).kind, storedModel{*p.about(), raw}, tensors)
}

// load reads the model file that --model names. The model predicts the same bits as the one that was
// saved.
func load(path string, e engine.Engine) (predictor, error) {
	p, err := read(path, e)
	if err != nil {
		return nil, fmt.Errorf("--model %w (grove train writes model files)", err)
	}
	return p, nil
}

func read(path string, e engine.Engine) (predictor, error) {
	f, err := modelfile.Read(path)
	if err != nil {
		return nil, err
	}
	for _, family := range families() {
		if family.kind != f.Kind {
			continue
		}
		var s storedModel
		if err := json.Unmarshal(f.Model, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, modelfile.Damaged(err))
		}
		if t := s.Head.Task; t != graphTask && t != nodeTask && (t != edgeTask || family.kind != treegFamily().kind) {
			return nil, fmt.Errorf("%s: %w", path, modelfile.Damaged(fmt.Errorf("a task of kind %q", t)))
		}
		p, err := family.load(e, &s.Head, s.Parts, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, modelfile.Damaged(err))
		}
		return p, nil
	}
	return nil, fmt.Errorf("%s: a model of kind %q, which this program does not know", path, f.Kind)
}

// predictions are what a model says of the examples of a data set.
type predictions struct {
	classes []int // of each example, an index of the head's classes; nil in a regression

	// values has a row for each example: decision values, or the predicted targets in a regression.
	values  *tensor.Dense
	columns []string // what the columns of values are
}

// of returns the classes, or the values of a regression, of some examples.
func (p *predictions) of(examples []int) *predictions {
	if p.classes != nil {
		return &predictions{classes: pick(p.classes, examples)}
	}
	some := &predictions{columns: p.columns}
	width := p.values.Shape()[1]
	values := make([]float64, 0, len(examples)*width)
	for _, i := range examples {
		values = append(values, p.values.Float64s()[i*width:(i+1)*width]...)
	}
	some.values = tensor.New(tensor.WithShape(len(examples), width), tensor.WithBacking(values))
	return some
}

// truth returns the class of every example of d as an index of the head's classes: -1 where the model
// knows no class of this name, -2 where the example has none. It is nil where d does not classify what
// the model does.
func (h *head) truth(d *dataset.Dataset) []int {
	var classes []int
	switch {
	case h.Task == graphTask && d.Task == dataset.GraphClassification:
		classes = d.Classes
	case h.Task == nodeTask && d.Task == dataset.NodeClassification:
		classes = d.VertexClasses
	case h.Task == edgeTask && d.Task == dataset.EdgeClassification:
		classes = d.EdgeClasses
	}
	if classes == nil || h.Classes == nil {
		return nil
	}
	index := map[string]int{}
	for i, name := range h.Classes {
		index[name] = i
	}
	out := make([]int, len(classes))
	for g, c := range classes {
		out[g] = noClass
		if c < 0 {
			continue
		}
		out[g] = unknownClass
		if i, ok := index[d.ClassNames[c]]; ok {
			out[g] = i
		}
	}
	return out
}

const (
	unknownClass = -1
	noClass      = -2
)

// column returns numbers as a matrix of one column.
func column(values []float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(values), 1), tensor.WithBacking(values))
}

// predictedColumns names the columns of a regression.
func predictedColumns(targets []string) []string {
	columns := make([]string, len(targets))
	for i, name := range targets {
		columns[i] = "predicted " + name
	}
	return columns
}
