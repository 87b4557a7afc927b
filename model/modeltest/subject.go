package modeltest

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// Subject is a model that is checked.
type Subject struct {
	Name   string // registered
	Family *model.Family
	Engine engine.Engine // that it is fitted on
}

// Subjects returns the models that are registered and learn. A vote of others does not.
func Subjects(e engine.Engine) []*Subject {
	var all []*Subject
	for _, f := range model.Families() {
		if f.New == nil {
			continue
		}
		for _, m := range f.Models {
			all = append(all, &Subject{m.Name, f, e})
		}
	}
	return all
}

// seed is that of all fits.
const seed = 1

// setting is a parameter with its value.
type setting struct{ name, value string }

// small lists parameters that make a model small and its training short. Those that a family does not know are passed
// over.
func small(kind string) []setting {
	all := []setting{{"c", "1"}, {"estimators", "4"}, {"epochs", "2"}, {"filters", "8"}, {"path-size", "3"},
		{"samples", "2000"}, {"states", "4"}, {"validation", "0"}, {"patience", "0"}, {"scale", "each"}}
	switch kind {
	case "cgmm":
		return append(all, setting{"layers", "2"}, setting{"iterations", "10"})
	case "mpgk", "wl", "dwl-oa":
		return append(all, setting{"iterations", "2"})
	}
	return all
}

// Estimator returns a small estimator for some data, with further parameters.
func (s *Subject) Estimator(d *dataset.Dataset, further ...setting) (model.Estimator, error) {
	options := s.Family.New(s.Name)
	var set param.Set
	options.Declare(&set, model.Train)
	for _, p := range append(small(s.Family.Kind), further...) {
		if set.Lookup(p.name) == nil {
			continue
		}
		if err := set.Set(p.name, p.value); err != nil {
			return nil, err
		}
	}
	if err := options.Check(); err != nil {
		return nil, err
	}
	all, err := options.Estimators(model.NewWork(d, s.Engine), seed)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%d estimators of one value for each parameter", len(all))
	}
	return all[0], nil
}

// fit fits a small model.
func (s *Subject) fit(d *dataset.Dataset, further ...setting) (model.Model, error) {
	est, err := s.Estimator(d, further...)
	if err != nil {
		return nil, err
	}
	return model.Fit(context.Background(), d, est, s.Engine)
}

// predict fits a small model and returns what it says of other data.
func (s *Subject) predict(d, other *dataset.Dataset, further ...setting) (*model.Predictions, error) {
	m, err := s.fit(d, further...)
	if err != nil {
		return nil, err
	}
	return m.Predict(context.Background(), other, nil)
}

// on returns the subject with another engine.
func (s *Subject) on(e engine.Engine) *Subject { return &Subject{s.Name, s.Family, e} }
