package modeltest

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// absentClass takes the graphs of one class after another out of the training, of two classes and of three. What is
// left of two is a single class, which may be refused.
func absentClass(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	for _, names := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
		d := *train
		d.Classes, d.ClassNames = make([]int, d.NumGraphs()), names
		for g := range d.Classes {
			d.Classes[g] = g / 2 % len(names)
		}
		for absent := range names {
			if err := s.without(&d, absent); err != nil {
				return fmt.Errorf("class %d of %d: %w", absent, len(names), err)
			}
		}
	}
	return nil
}

// without learns from some graphs of d, none of them of a class, and asks about the others.
func (s *Subject) without(d *dataset.Dataset, absent int) error {
	est, err := s.Estimator(d)
	if err != nil {
		return err
	}
	ctx, t := context.Background(), model.Trial{Grid: est.Grid().Values, Workers: 1}
	for g, class := range d.Classes {
		if g%4 == 3 {
			t.Test = append(t.Test, g)
		} else if class != absent {
			t.Train = append(t.Train, g)
		}
	}
	t.Known = model.TargetsOf(d).Only(t.Train)
	learner, err := est.Learner(ctx, model.NewWork(d, s.Engine))
	if err != nil {
		return err
	}
	said, err := learner.Learn(ctx, t)
	if err != nil && len(d.ClassNames) == 2 {
		return oneLine(err)
	}
	if err != nil {
		return err
	}
	asked := d.Select(t.Test)
	t.Test = nil
	m, err := learner.Model(ctx, t)
	if err != nil {
		return err
	}
	m.About().Training.Graphs = d.NumGraphs()
	again, err := loaded(m, s.Engine)
	if err != nil {
		return err
	}
	var first *model.Predictions
	for _, of := range []model.Model{m, again} {
		p, err := of.Predict(ctx, asked, nil)
		if err != nil {
			return err
		}
		if first == nil {
			first = p
		}
		if err := sameBits(p, first); err != nil {
			return err
		}
		for i, c := range p.Classes {
			if c != said[0].Classes[i] {
				return fmt.Errorf("example %d is of class %d to the learner, of %d to the model", i, said[0].Classes[i], c)
			}
		}
	}
	for _, p := range []*model.Predictions{said[0], first} {
		if err := neverSaid(p, absent, len(d.ClassNames)); err != nil {
			return err
		}
	}
	return nil
}

// neverSaid returns an error where predictions do not have the columns of so many classes, or not the values that are
// stated for one that is absent.
func neverSaid(p *model.Predictions, absent, classes int) error {
	for i, c := range p.Classes {
		if c == absent || c < 0 || c >= classes {
			return fmt.Errorf("example %d is predicted to be of class %d of %d", i, c, classes)
		}
	}
	decision, column, width := model.NeverSeen, absent, classes
	if classes == 2 { // one column speaks for the second class
		column, width = 0, 1
		if absent == 0 {
			decision = -decision
		}
	}
	for _, m := range []struct {
		name          string
		x             *tensor.Dense
		width, column int
		want          float64
	}{{"decisions", p.Decisions, width, column, decision}, {"probabilities", p.Probabilities, classes, absent, 0}} {
		if m.x == nil {
			continue
		}
		if m.x.Shape()[1] != m.width {
			return fmt.Errorf("%s in %d columns, want %d", m.name, m.x.Shape()[1], m.width)
		}
		for i := m.column; i < len(m.x.Float64s()); i += m.width {
			if got := m.x.Float64s()[i]; got != m.want {
				return fmt.Errorf("%s: %g of example %d for the class that is absent, want %g", m.name, got, i/m.width, m.want)
			}
		}
	}
	return nil
}
