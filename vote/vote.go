// Package vote lets several models decide together: each has a vote, and the class with most votes wins; or each gives
// probabilities, and their mean counts. What grove train auto finds equally good, within what can be told, decides
// better together than the luckiest of them alone.
package vote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// name is that of the model and the kind of its files.
const name = "vote"

func init() {
	model.Register(model.Family{
		Title: "Vote", Kind: name,
		Models: []model.Name{{Name: name, Short: "several models, by most votes or the largest mean probability"}},
		Tasks:  []model.Task{model.GraphTask, model.NodeTask, model.EdgeTask}, Classes: true, Load: load,
	})
}

// Voters is a model made of several classifiers of the same classes, the one to trust most first.
type Voters struct {
	model.Head
	members  []model.Model
	sigmoids []model.Sigmoids // of every member, where the mean of the probabilities counts; else nil
}

// New returns the model in which the given ones vote, a class each. They are of the same task and classes; two are the
// fewest.
func New(members ...model.Model) (*Voters, error) { return newVoters(members, nil) }

// NewAverage returns the model in which the mean of the probabilities of the given ones counts, which sigmoids make of
// what each of them says. The members are as in [New].
func NewAverage(members []model.Model, sigmoids []model.Sigmoids) (*Voters, error) {
	if len(sigmoids) != len(members) {
		return nil, fmt.Errorf("sigmoids of %d models for %d", len(sigmoids), len(members))
	}
	return newVoters(members, sigmoids)
}

func newVoters(members []model.Model, sigmoids []model.Sigmoids) (*Voters, error) {
	if len(members) < 2 {
		return nil, errors.New("a vote of less than two models")
	}
	v := &Voters{Head: *members[0].About(), members: members, sigmoids: sigmoids}
	v.Model, v.Training = name, model.Training{Dataset: v.Training.Dataset, Graphs: v.Training.Graphs,
		Instructions: v.Training.Instructions}
	return v, v.check()
}

// check reports models that cannot vote together.
func (v *Voters) check() error {
	for i, m := range v.members {
		h := m.About()
		switch {
		case h.Model == name:
			return errors.New("a vote among votes")
		case len(h.Classes) == 0:
			return fmt.Errorf("%s has no classes to vote for", h.Model)
		case h.Task != v.Task || h.Target != v.Target || !slices.Equal(h.Classes, v.Classes):
			return fmt.Errorf("%s votes for %q of %s, others for %q of %s", h.Model, h.Classes, h.Task.Plural(), v.Classes,
				v.Task.Plural())
		}
		if v.sigmoids == nil {
			continue
		}
		if err := v.sigmoids[i].Check(len(h.Classes)); err != nil {
			return fmt.Errorf("%s: %w", h.Model, err)
		}
	}
	return nil
}

// Members returns the models, the one to trust most first.
func (v *Voters) Members() []model.Model { return slices.Clone(v.members) }

// Encoding implements [model.Model]: that of the first model.
func (v *Voters) Encoding() *dataset.Encoding { return v.members[0].Encoding() }

// Predict implements [model.Model], see [model.Vote] and [model.Average].
func (v *Voters) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	said := make([]*model.Predictions, len(v.members))
	for i, m := range v.members {
		of := func(stage string, done, total int) { progress.Report(m.About().Model+": "+stage, done, total) }
		var err error
		if said[i], err = m.Predict(ctx, d, of); err != nil {
			return nil, fmt.Errorf("%s: %w", m.About().Model, err)
		}
		if v.sigmoids != nil {
			said[i].Probabilities = v.sigmoids[i].Probabilities(said[i], len(v.Classes))
		}
	}
	if v.sigmoids != nil {
		return model.Average(said), nil
	}
	return model.Vote(said, len(v.Classes)), nil
}

// stored is what the model adds to its file: the models in it, whose tensors have the number of the model and a slash
// before their names.
type stored struct {
	Members []member `json:"members"`
}

type member struct {
	Kind     string          `json:"kind"`
	Model    json.RawMessage `json:"model"`
	Sigmoids model.Sigmoids  `json:"sigmoids,omitempty"`
}

// prefix is what the names of the tensors of a member begin with.
func prefix(member int) string { return fmt.Sprintf("%d/", member) }

// Parts implements [model.Model].
func (v *Voters) Parts() (any, map[string]*tensor.Dense, error) {
	s, all := stored{}, map[string]*tensor.Dense{}
	for i, m := range v.members {
		kind, description, tensors, err := model.Content(m)
		if err != nil {
			return nil, nil, err
		}
		one := member{Kind: kind, Model: description}
		if v.sigmoids != nil {
			one.Sigmoids = v.sigmoids[i]
		}
		s.Members = append(s.Members, one)
		for name, t := range tensors {
			all[prefix(i)+name] = t
		}
	}
	return s, all, nil
}

// load makes the model from the parts of a file.
func load(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	var s stored
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if len(s.Members) < 2 {
		return nil, errors.New("a vote of less than two models")
	}
	v := &Voters{Head: *h}
	for i, one := range s.Members {
		if one.Kind == name { // before it is read, so that no file makes this go deep
			return nil, errors.New("a vote among votes")
		}
		m, err := model.Decode(&modelfile.File{Kind: one.Kind, Model: one.Model, Tensors: f.TakeAll(prefix(i))}, e)
		if err != nil {
			return nil, fmt.Errorf("model %d of the vote: %w", i+1, err)
		}
		v.members = append(v.members, m)
		if one.Sigmoids != nil {
			v.sigmoids = append(v.sigmoids, one.Sigmoids)
		}
	}
	if n := len(v.sigmoids); n != 0 && n != len(v.members) {
		return nil, fmt.Errorf("sigmoids of %d models for %d", n, len(v.members))
	}
	return v, v.check()
}
