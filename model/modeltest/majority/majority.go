// Package majority predicts the class that most examples have: a family of models in one file, which tests add to a
// program by importing it.
package majority

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

const name = "majority"

func init() {
	model.Register(model.Family{
		Title: "majority", Kind: name, Inner: "5", Classes: true,
		Models: []model.Name{{Name: name, Short: "the most frequent class, whatever the graph"}},
		Verbs:  []model.Verb{model.Eval, model.Train},
		Tasks:  []model.Task{model.GraphTask, model.NodeTask},
		New:    func(string) model.Options { return new(options) },
		Load:   load,
	})
}

// options are the options by name: which class counts how much.
type options struct{ last bool }

// Declare implements [model.Options].
func (o *options) Declare(s *param.Set, _ model.Verb) {
	s.Bool(&o.last, "last-of-equal", "of classes that are equally frequent, predict the last one")
}

// Check implements [model.Options].
func (o *options) Check() error { return nil }

// Estimators implements [model.Options].
func (o *options) Estimators(*model.Work, uint64) ([]model.Estimator, error) {
	return []model.Estimator{Estimator{LastOfEqual: o.last}}, nil
}

// Estimator counts classes.
type Estimator struct {
	LastOfEqual bool // of classes that are equally frequent predict the last one, not the first
}

// Name implements [model.Estimator].
func (e Estimator) Name() string { return name }

// String implements [model.Estimator].
func (e Estimator) String() string { return "most frequent class" }

// Params implements [model.Estimator].
func (e Estimator) Params() any { return e }

// Grid implements [model.Estimator].
func (e Estimator) Grid() model.Grid { return model.Grid{} }

// Sees implements [model.Estimator]: nothing.
func (e Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	return dataset.FitEncoding(w.Data, dataset.NoFeatures, nil)
}

// Learner implements [model.Estimator].
func (e Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	encoding, err := e.Sees(w)
	if err != nil {
		return nil, err
	}
	return &learner{e, encoding, model.HeadOf(name, w.Data)}, ctx.Err()
}

type learner struct {
	estimator Estimator
	encoding  *dataset.Encoding
	head      model.Head
}

// Learn implements [model.Learner].
func (l *learner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	m, err := l.count(t)
	if err != nil {
		return nil, err
	}
	return []*model.Predictions{m.say(len(t.Test))}, ctx.Err()
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	m, err := l.count(t)
	if err != nil {
		return nil, err
	}
	return m, ctx.Err()
}

// count returns the model of the most frequent class of t.Train.
func (l *learner) count(t model.Trial) (*Model, error) {
	if len(t.Train) == 0 {
		return nil, fmt.Errorf("%s: nothing to learn from", name)
	}
	sizes, class := make([]int, len(t.Known.Names)), 0
	for _, i := range t.Train {
		sizes[t.Known.Classes[i]]++
	}
	for c, n := range sizes {
		if n > sizes[class] || n == sizes[class] && l.estimator.LastOfEqual {
			class = c
		}
	}
	return &Model{l.head, l.encoding, class}, nil
}

// Model predicts one class.
type Model struct {
	model.Head
	encoding *dataset.Encoding
	class    int
}

// Encoding implements [model.Model].
func (m *Model) Encoding() *dataset.Encoding { return m.encoding }

// Predict implements [model.Model].
func (m *Model) Predict(
	ctx context.Context, d *dataset.Dataset, _ model.Progress,
) (*model.Predictions, error) {
	examples := d.NumGraphs()
	if m.Task == model.NodeTask {
		examples = d.Batch.NumVertices()
	}
	return m.say(examples), ctx.Err()
}

// say predicts the class of so many examples.
func (m *Model) say(examples int) *model.Predictions {
	p := &model.Predictions{Classes: make([]int, examples)}
	for i := range p.Classes {
		p.Classes[i] = m.class
	}
	return p
}

// stored is what the file of a model holds.
type stored struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Class    int               `json:"class"`
}

// Parts implements [model.Model].
func (m *Model) Parts() (any, map[string]*tensor.Dense, error) {
	return stored{m.encoding, m.class}, nil, nil
}

func load(_ engine.Engine, h *model.Head, parts json.RawMessage, _ *modelfile.File) (model.Model, error) {
	var s stored
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil || s.Class < 0 || s.Class >= len(h.Classes) {
		return nil, fmt.Errorf("class %d of %d, or no encoding", s.Class, len(h.Classes))
	}
	return &Model{*h, s.Encoding, s.Class}, s.Encoding.Check()
}
