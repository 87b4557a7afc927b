package cgmm

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
)

// Setting is one choice of options on one data set, the unit of model selection: it fits a model on some
// of the graphs.
type Setting struct {
	Data      *dataset.Dataset
	Features  dataset.Features
	ArcLabels bool // tell arcs apart by their labels, where they have any
	Options   Options
	Accuracy  Accuracy // the criterion of a pool and of patience, but for its classes
	Engine    engine.Engine
	Progress  Progress

	Checkpoint string // of [Training]; for one fit at a time
}

// InputFor returns the input of a model on the vertices that [dataset.Encoding.Apart] gives.
func InputFor(e *dataset.Encoding) Input {
	in := Input{Labels: len(e.Labels), Attributes: e.Attributes, ArcLabels: len(e.ArcLabels)}
	if e.Standardisation != nil {
		in.Attributes = len(e.Standardisation.Mean)
	}
	return in
}

// Fit fits a model on the graphs in train, or on all of them where train is nil, and returns it with the
// encoding whose [dataset.Encoding.Apart] it takes graphs from. Candidates of a pool are chosen by the classes
// of the graphs in train; where train is nil no class is looked at, and the likelihood chooses.
func (s *Setting) Fit(ctx context.Context, train []int) (*dataset.Encoding, *Model, error) {
	e, err := dataset.FitEncoding(s.Data, s.Features, train)
	if err != nil {
		return nil, nil, err
	}
	if s.ArcLabels {
		e.KeepArcLabels(s.Data)
	}
	graphs, err := e.Apart(s.Data)
	if err != nil {
		return nil, nil, err
	}
	training := Training{Progress: s.Progress, Checkpoint: s.Checkpoint}
	if train != nil {
		graphs = graphs.Select(train)
	}
	opt := s.Options
	switch {
	case opt.Pool == 1 && opt.Patience == 0:
	case train == nil:
		opt.Patience = 0
	case s.Data.Classes == nil:
		return nil, nil, fmt.Errorf("data set %s: a pool is chosen by classes, and its graphs have none", s.Data.Name)
	default:
		criterion := s.Accuracy
		criterion.Classes = make([]int, len(train))
		for i, g := range train {
			criterion.Classes[i] = s.Data.Classes[g]
		}
		training.Criterion = criterion
	}
	m, err := Fit(ctx, s.Engine, graphs, InputFor(e), opt, training)
	return e, m, err
}
