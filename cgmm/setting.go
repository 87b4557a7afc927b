package cgmm

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Setting is one choice of options on one data set, the unit of model selection: it represents all graphs
// by a model fitted on some of them.
type Setting struct {
	Data      *dataset.Dataset
	Features  dataset.Features
	ArcLabels bool // tell arcs apart by their labels, where they have any
	Options   Options
	Accuracy  Accuracy // the criterion of a pool and of patience, but for its classes
	Engine    engine.Engine
	Progress  Progress
}

// Encoding turns any data set into what a model was fitted on. It is part of a model file.
type Encoding struct {
	Vertices  *dataset.Encoding `json:"vertices"`
	ArcLabels []string          `json:"arc_labels,omitempty"` // code of each arc label id; nil: arcs are alike
}

// Apply returns the graphs of d as the model wants them: labels and arc labels numbered as in the data that
// it was fitted on, attributes on the same scale. Labels and attributes stay apart.
func (e *Encoding) Apply(d *dataset.Dataset) (*graph.Batch, error) {
	if e.ArcLabels != nil {
		d, _ = d.AlignArcLabels(e.ArcLabels)
	}
	vertices := *e.Vertices
	if vertices.Features != dataset.AttributesAndLabels {
		return vertices.Apply(d)
	}
	vertices.Labels, vertices.Features = nil, dataset.AttributeFeatures
	b, err := vertices.Apply(d)
	if err != nil {
		return nil, err
	}
	labels := *e.Vertices
	labels.Standardisation, labels.Features = nil, dataset.LabelFeatures
	labelled, err := labels.Apply(d)
	if err != nil {
		return nil, err
	}
	both := *b
	both.Labels, both.NumLabels = labelled.Labels, labelled.NumLabels
	return &both, nil
}

// FitEncoding learns an encoding from the graphs in train, or from all of them where train is nil.
func (s *Setting) FitEncoding(train []int) (*Encoding, error) {
	vertices, err := dataset.FitEncoding(s.Data, s.Features, train)
	if err != nil {
		return nil, err
	}
	e := &Encoding{Vertices: vertices}
	if s.ArcLabels && s.Data.Batch.ArcLabels != nil {
		e.ArcLabels = s.Data.ArcLabelNames
	}
	return e, nil
}

// Input returns what a model on encoded vertices wants.
func (e *Encoding) Input() Input {
	in := Input{Labels: len(e.Vertices.Labels), ArcLabels: len(e.ArcLabels)}
	if e.Vertices.Standardisation != nil {
		in.Attributes = len(e.Vertices.Standardisation.Mean)
	}
	return in
}

// Fit fits a model on the graphs in train, or on all of them where train is nil, and returns it with the
// encoding of the vertices. Candidates of a pool are chosen by the classes of the graphs in train; where
// train is nil no class is looked at, and the likelihood chooses.
func (s *Setting) Fit(ctx context.Context, train []int) (*Encoding, *Model, error) {
	e, m, _, err := s.fit(ctx, train)
	return e, m, err
}

// Represent returns the fingerprints of all graphs of the data set, NumGraphs x Dim, by the model that
// [Setting.Fit] fits.
func (s *Setting) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	_, m, b, err := s.fit(ctx, train)
	if err != nil {
		return nil, err
	}
	return m.Transform(ctx, b, s.Progress)
}

func (s *Setting) fit(ctx context.Context, train []int) (*Encoding, *Model, *graph.Batch, error) {
	e, err := s.FitEncoding(train)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := e.Apply(s.Data)
	if err != nil {
		return nil, nil, nil, err
	}
	fitOn, training := all, Training{Progress: s.Progress}
	if train != nil {
		fitOn = all.Select(train)
	}
	opt := s.Options
	switch {
	case opt.Pool == 1 && opt.Patience == 0:
	case train == nil:
		opt.Patience = 0
	case s.Data.Classes == nil:
		return nil, nil, nil, fmt.Errorf("data set %s: a pool of candidates is chosen by classes, and its graphs have none", s.Data.Name)
	default:
		criterion := s.Accuracy
		criterion.Classes = make([]int, len(train))
		for i, g := range train {
			criterion.Classes[i] = s.Data.Classes[g]
		}
		training.Criterion = criterion
	}
	m, err := Fit(ctx, s.Engine, fitOn, e.Input(), opt, training)
	return e, m, all, err
}

// String lists the options that a search varies.
func (s *Setting) String() string { return s.Options.String() }
