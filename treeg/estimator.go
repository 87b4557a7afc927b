package treeg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/rounds"
)

// Estimator is one choice of options for the graphs, vertices or edges of a data set. Edges are the vertices of line
// graphs, of level [Vertices].
type Estimator struct {
	Options  Options          // of the level that the data set asks about; start from [Defaults]
	Features dataset.Features // of the vertices; default all that the data have: attributes as they are, and labels
	Rounds   []int            // numbers of estimators to choose from, which one fit serves; nil: that of the options

	// Checkpoint is that of [FitStored], for the model of all graphs; "" for none. It is an error for graphs in memory.
	Checkpoint string

	// Static, unless nil, compares: the same trees on [StaticFeatures] along walks up to this length, in place of walks
	// and subsets. There is no model of it.
	Static *int

	longest int // walk of the estimators that share walks with this one
}

// Name implements [model.Estimator].
func (s Estimator) Name() string { return modelName }

// String implements [model.Estimator].
func (s Estimator) String() string {
	o, size := s.fitted(), ""
	if s.Rounds == nil {
		size = fmt.Sprintf(" of %d", o.Estimators)
	}
	sees := fmt.Sprintf("walks to %d, ancestors to %d", o.MaxLength, o.MaxDistance)
	if s.Static != nil {
		sees = fmt.Sprintf("static features to %d", *s.Static)
	}
	return fmt.Sprintf("%s%s, rate %g, %s, leaves %d, depth %d, %d in a leaf",
		o.Ensemble, size, o.LearningRate, sees, o.MaxLeaves, o.MaxDepth, o.MinLeaf)
}

// Params implements [model.Estimator].
func (s Estimator) Params() any {
	return struct {
		Options
		Static *int `json:"static,omitempty"`
	}{s.fitted(), s.Static}
}

// Grid implements [model.Estimator]. The first rounds of a fit are those of a fit of fewer.
func (s Estimator) Grid() model.Grid {
	if s.Rounds == nil {
		return model.Grid{}
	}
	g := model.Grid{Name: "estimators"}
	for _, n := range s.Rounds {
		g.Values = append(g.Values, float64(n))
	}
	return g
}

// fitted returns the options of the largest ensemble, on what the trees see.
func (s Estimator) fitted() Options {
	o := s.Options
	if len(s.Rounds) > 0 {
		o.Estimators = slices.Max(s.Rounds)
	}
	if s.Static != nil {
		return o.OnStatic()
	}
	return o
}

// walked returns the options of the walks from all vertices.
func (s Estimator) walked() Options {
	o := s.Options
	if s.Static != nil {
		o.MaxLength = *s.Static
	}
	return o
}

// levelOf returns what has a target in a data set.
func levelOf(d *dataset.Dataset) Level {
	if model.TaskOf(d) == model.GraphTask {
		return Graphs
	}
	return Vertices // edges are the vertices of a line graph
}

// check reports options that make no sense for targets of a level.
func (s Estimator) check(level Level) error {
	walked, fitted := s.walked(), s.fitted()
	if err := walked.Check(); err != nil {
		return err
	}
	if err := fitted.Check(); err != nil {
		return err
	}
	if walked.Level != level {
		return fmt.Errorf("options of level %q where each %s has a target: start from Defaults of level %q",
			walked.Level, level, level)
	}
	if s.Rounds == nil {
		return nil
	}
	if len(s.Rounds) == 0 || slices.Min(s.Rounds) < 1 {
		return fmt.Errorf("rounds %d to choose from: want some, each from 1 on", s.Rounds)
	}
	return s.nested()
}

// nested returns an error where the first rounds of a fit are not those of a fit of fewer.
func (s Estimator) nested() error {
	switch o := &s.Options; {
	case o.Ensemble == Single:
		return fmt.Errorf("a single tree has no rounds to choose from")
	case o.Ensemble == Boosting && (o.Patience > 0 || o.Scheme == Reference):
		return fmt.Errorf("boosting with patience or by the reference scheme has no rounds to choose from: " +
			"take an estimator for each number")
	}
	return nil
}

// Sees implements [model.Estimator]: by default attributes and labels as they are, the constant alone where there are
// none.
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	if err := s.check(levelOf(w.Data)); err != nil {
		return nil, param.Wrap(err)
	}
	features := s.features(w.Data)
	fit := func() (*dataset.Encoding, error) { return dataset.FitEncoding(w.Data.MissingAsNaN(), features, nil) }
	if w.Store != nil {
		fit = func() (*dataset.Encoding, error) {
			return rounds.Keep(w.Rounds, func() (*dataset.Encoding, error) {
				return dataset.FitStoredEncoding(w.Store, features, nil)
			})
		}
	}
	encoding, err := fit()
	if err != nil {
		return nil, param.Errorf("features", features, "%w", err)
	}
	return encoding, nil
}

// features returns those of the vertices of d.
func (s Estimator) features(d *dataset.Dataset) dataset.Features {
	if s.Features != dataset.AutoFeatures && s.Features != "" {
		return s.Features
	}
	labels, attributes := d.Batch.Labels != nil, d.Batch.AttributeDim > 0
	switch {
	case labels && attributes:
		return dataset.RawAttributesAndLabels
	case attributes:
		return dataset.RawAttributes
	case labels:
		return dataset.LabelFeatures
	}
	return dataset.NoFeatures
}

// walkedData are the walks of a data set with the encoding of its vertices.
type walkedData struct {
	encoding *dataset.Encoding
	data     *Data
}

// sharedWalks is the key of the walks of all graphs. Fits take the workers of the engine that made the walks.
type sharedWalks struct {
	level            Level
	features         dataset.Features
	directions       Directions
	relations        Relations
	means, constant  bool
	length           int
	cycles, isStatic bool
	workers          int
}

// walks returns the longest walks of all estimators that share them, or the static features.
func (s Estimator) walks(ctx context.Context, w *model.Work) (*walkedData, error) {
	o := s.walked()
	if s.Static == nil {
		o.MaxLength = max(o.MaxLength, s.longest)
	}
	key := sharedWalks{o.Level, s.features(w.Data), o.Directions, o.Relations, o.MeanSteps, o.Constant,
		o.MaxLength, slices.Contains(o.Walks, Cycle), s.Static != nil, w.Engine.Workers()}
	return model.Shared(w, key, func() (*walkedData, error) {
		defer w.Spent.Transforming(time.Now())
		encoding, err := s.Sees(w)
		if err != nil {
			return nil, err
		}
		b, err := seenBatch(encoding, w.Data, model.TaskOf(w.Data))
		if err != nil {
			return nil, err
		}
		if s.Static != nil {
			if b, err = StaticFeatures(ctx, w.Engine, b, o); err != nil {
				return nil, err
			}
			o = s.fitted()
		}
		data, err := Prepare(ctx, w.Engine, b, o)
		return &walkedData{encoding, data}, err
	})
}

// seenBatch returns the graphs of d as trees see them: missing attributes stay missing, and where edges are asked about
// they are the line graphs, whose vertices are the edges.
func seenBatch(e *dataset.Encoding, d *dataset.Dataset, task model.Task) (*graph.Batch, error) {
	b, err := e.Apply(d.MissingAsNaN())
	if err != nil || task != model.EdgeTask {
		return b, err
	}
	line, _, err := b.LineGraph()
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", d.Name, err)
	}
	return line, nil
}
