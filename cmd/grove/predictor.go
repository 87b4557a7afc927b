package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
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

// check returns an error where the head is none of a model of the family.
func (h *head) check(f *family) error {
	switch {
	case h.Task != graphTask && h.Task != nodeTask && (h.Task != edgeTask || f.kind != treegFamily().kind):
		return fmt.Errorf("a task of kind %q", h.Task)
	case !slices.ContainsFunc(f.models, func(m modelName) bool { return m.name == h.Model }):
		return fmt.Errorf("a model %q of kind %s", h.Model, f.kind)
	case h.Training.Graphs < 1:
		return fmt.Errorf("a training on %d graphs", h.Training.Graphs)
	case slices.Contains(h.Classes, ""):
		return errors.New("a class without a name")
	case len(h.Classes) == 0 && len(h.Targets) == 0:
		return errors.New("neither classes nor targets to predict")
	case len(slices.Compact(slices.Sorted(slices.Values(h.Classes)))) < len(h.Classes):
		return fmt.Errorf("a class is there twice: %q", h.Classes)
	}
	return nil
}

// checkClasses returns an error where a classifier does not tell apart all classes of the head, each once.
func (h *head) checkClasses(classes []int) error {
	if sorted := slices.Sorted(slices.Values(classes)); !slices.Equal(sorted, every(len(h.Classes))) {
		return fmt.Errorf("a classifier of the classes %v for %d names of classes", classes, len(h.Classes))
	}
	return nil
}

// checkLinear returns an error where a linear classifier is none of the head's classes, or not one that was trained on
// as many graphs as the head says.
func (h *head) checkLinear(m *svm.Model) error {
	if err := m.CheckTrained(h.Training.Graphs); err != nil {
		return err
	}
	return h.checkClasses(m.Classes)
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

	Instructions string `json:"instructions,omitempty"` // that the processor computed with; models from before do not say
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
		p, err := family.read(f, e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, modelfile.Damaged(err))
		}
		return p, nil
	}
	return nil, fmt.Errorf("%s: a model of kind %q, which this program does not know", path, f.Kind)
}

// read makes a model of the family from the content of a file.
func (f family) read(from *modelfile.File, e engine.Engine) (predictor, error) {
	var s storedModel
	if err := modelfile.Unmarshal(from.Model, &s); err != nil {
		return nil, err
	}
	if err := s.Head.check(&f); err != nil {
		return nil, err
	}
	p, err := f.load(e, &s.Head, s.Parts, from)
	if err != nil {
		return nil, err
	}
	return p, from.Left()
}

// predictions are what a model says of the examples of a data set. Its matrices are of Float64 with a row for each
// example; which of them there are depends on the model.
type predictions struct {
	classes []int // of each example, an index of the head's classes; nil in a regression

	// decisions are the decision values of a classifier: with two classes one, which speaks for the second where it
	// is positive, else one for each class, of which the largest wins.
	decisions *tensor.Dense
	// probabilities are those of all classes, of sum 1: the largest wins.
	probabilities *tensor.Dense
	// values are the predicted targets of a regression.
	values *tensor.Dense
}

// byDecision returns the predictions that decision values speak for, of equal ones for the first.
func byDecision(decisions *tensor.Dense) *predictions {
	if decisions.Shape()[1] > 1 {
		return &predictions{classes: gckn.Classes(decisions), decisions: decisions}
	}
	classes := make([]int, decisions.Shape()[0])
	for i, v := range decisions.Float64s() {
		if v > 0 {
			classes[i] = 1
		}
	}
	return &predictions{classes: classes, decisions: decisions}
}

// len returns the number of examples.
func (p *predictions) len() int {
	if p.values != nil {
		return p.values.Shape()[0]
	}
	return len(p.classes)
}

// of returns the classes, or the values of a regression, of some examples.
func (p *predictions) of(examples []int) *predictions {
	if p.classes != nil {
		return &predictions{classes: pick(p.classes, examples)}
	}
	return &predictions{values: pickRows(p.values, examples)}
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
