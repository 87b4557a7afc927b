package modeltest

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// hiddenClasses turns the classes of what is not learned from, of graphs and of vertices.
func hiddenClasses(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	for _, d := range []*dataset.Dataset{train, ofVertices(train)} {
		if s.Family.Check(s.Name, d) != nil {
			continue
		}
		var part, rest []int
		for i := range model.TargetsOf(d).Len() {
			if i%3 == 2 {
				rest = append(rest, i)
			} else {
				part = append(part, i)
			}
		}
		turned := *d
		turned.Classes, turned.VertexClasses = slices.Clone(d.Classes), slices.Clone(d.VertexClasses)
		for _, i := range rest {
			if d.Task.PerVertex() {
				turned.VertexClasses[i] = 1 - d.VertexClasses[i]
			} else {
				turned.Classes[i] = 1 - d.Classes[i]
			}
		}
		want, err := learnedFrom(s, d, part, rest)
		if err != nil {
			return err
		}
		got, err := learnedFrom(s, &turned, part, rest)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("each %s: it depends on classes that are hidden", model.TaskOf(d).Noun())
		}
	}
	return nil
}

// learnedFrom returns the classes that a learner predicts for the rest from a part.
func learnedFrom(s *Subject, d *dataset.Dataset, part, rest []int) ([]int, error) {
	est, err := s.Estimator(d)
	if err != nil {
		return nil, err
	}
	l, err := est.Learner(context.Background(), model.NewWork(d, s.Engine).InFold(part))
	if err != nil {
		return nil, err
	}
	said, err := l.Learn(context.Background(), model.Trial{Train: part, Known: model.TargetsOf(d).Only(part), Test: rest,
		Grid: est.Grid().Values, Workers: 1})
	if err != nil {
		return nil, err
	}
	return said[0].Classes, nil
}
