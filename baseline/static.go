package baseline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/trees"
)

// maxSteps bounds the walks and means that trees see.
const maxSteps = 8

// staticFlags are the options of static by name. Lists are a grid to choose from.
type staticFlags struct {
	base          trees.Options
	rounds        []int
	rates         []float64
	depths, steps []int
	colours       int
}

// defaultSteps is how far the walks and means reach.
const defaultSteps = 2

func newStaticFlags() *staticFlags {
	o := trees.Default()
	return &staticFlags{o, []int{25, 50, 100, 200}, []float64{o.Rate}, []int{o.Depth}, []int{defaultSteps}, 0}
}

// Declare implements [model.Options].
func (f *staticFlags) Declare(s *param.Set, _ model.Verb) {
	s.Ints(&f.rounds, "estimators", 1, param.Many, "`N,...` rounds of boosting to choose from")
	s.Floats(&f.rates, "learning-rate", param.Tiny, 1000, "`R,...` share of a tree that is added")
	s.Ints(&f.depths, "max-depth", 0, 30, "`N,...` splits from the root of a tree to a leaf, at most")
	s.Ints(&f.steps, "steps", 0, maxSteps,
		"`N,...` steps along arcs that the features reach: longest walks that are counted, and for vertices means of means")
	s.Int(&f.colours, "colours", 0, maxColours,
		"`N` columns for the colours of vertices, what is around them in as many steps; 0: none. Of molecules with their "+
			"attributes these are circular fingerprints")
	s.Int(&f.base.MinLeaf, "min-leaf", 1, param.Many, "`N` examples of a leaf, at least")
	s.Float(&f.base.Lambda, "lambda", 0, param.Huge, "`L` penalty of large leaves")
	s.Float(&f.base.Subsample, "subsample", param.Tiny, 1, "`S` share of the examples that a round draws")
	s.Int(&f.base.Bins, "bins", 2, 256, "`N` of a feature, between which thresholds lie")
}

// Check implements [model.Options].
func (f *staticFlags) Check() error { return param.Wrap(f.base.Check()) }

// Estimators implements [model.Options]. Those of the same steps share the features, and one fit serves all rounds.
func (f *staticFlags) Estimators(_ *model.Work, seed uint64) (all []model.Estimator, err error) {
	o := f.base
	o.Seed = seed
	rounds := slices.Compact(slices.Sorted(slices.Values(f.rounds)))
	o.Rounds = rounds[len(rounds)-1]
	for _, steps := range f.steps {
		for _, o.Depth = range f.depths {
			for _, o.Rate = range f.rates {
				all = append(all, Static{Options: o, Steps: steps, Colours: f.colours, Rounds: rounds})
			}
		}
	}
	return all, nil
}

// Static is boosted decision trees on numbers that are counted once of every example.
type Static struct {
	Options trees.Options
	Steps   int   // along arcs that the features reach
	Colours int   // columns for the colours of vertices
	Rounds  []int // to choose from, ascending; nil: those of the options
}

// Name implements [model.Estimator].
func (s Static) Name() string { return staticName }

// String implements [model.Estimator].
func (s Static) String() string {
	text := fmt.Sprintf("depth %d, rate %g, steps %d", s.Options.Depth, s.Options.Rate, s.Steps)
	if s.Colours > 0 {
		text += fmt.Sprintf(", %d colours", s.Colours)
	}
	return text
}

// Params implements [model.Estimator].
func (s Static) Params() any {
	return struct {
		trees.Options
		Steps   int `json:"steps"`
		Colours int `json:"colours,omitempty"`
	}{s.Options, s.Steps, s.Colours}
}

// Grid implements [model.Estimator]. The first rounds of a fit are those of a fit of fewer.
func (s Static) Grid() model.Grid {
	g := model.Grid{Name: "estimators"}
	for _, n := range s.Rounds {
		g.Values = append(g.Values, float64(n))
	}
	if s.Rounds == nil {
		g.Values = []float64{float64(s.Options.Rounds)}
	}
	return g
}

// Sees implements [model.Estimator].
func (s Static) Sees(w *model.Work) (*dataset.Encoding, error) {
	return encodingOf(w, nil)
}

// countedTable are the features of all examples.
type countedTable struct {
	counted *counted
	table   *trees.Table
}

// sharedTable is the key of the features of all examples.
type sharedTable struct{ steps, colours, workers int }

// Learner implements [model.Estimator]: the features of all examples.
func (s Static) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if err := s.Options.Check(); err != nil {
		return nil, param.Wrap(err)
	}
	if s.Steps < 0 || s.Steps > maxSteps {
		return nil, param.Errorf("steps", s.Steps, "want 0 to %d", maxSteps)
	}
	if s.Colours < 0 || s.Colours > maxColours {
		return nil, param.Errorf("colours", s.Colours, "want 0 to %d", maxColours)
	}
	if err := w.HasVertices(); err != nil {
		return nil, err
	}
	whole := w.Whole()
	c, err := model.Shared(whole, sharedTable{s.Steps, s.Colours, w.Engine.Workers()}, func() (*countedTable, error) {
		defer w.Spent.Transforming(time.Now())
		f, err := newCounted(whole, s.Steps, s.Colours)
		if err != nil {
			return nil, err
		}
		t, err := f.table(whole, w.Engine.Workers())
		return &countedTable{f, t}, err
	})
	if err != nil {
		return nil, err
	}
	return &staticLearner{s, c, w, model.HeadOf(staticName, w.Data)}, ctx.Err()
}

type staticLearner struct {
	estimator Static
	seen      *countedTable
	work      *model.Work
	head      model.Head
}

// options are those of the largest number of trees that a trial asks for.
func (l *staticLearner) options(t *model.Trial) trees.Options {
	o := l.estimator.Options
	if len(t.Grid) > 0 {
		o.Rounds = int(slices.Max(t.Grid))
	}
	return o
}

// fit boosts the trees of a trial, as many as it asks for at most.
func (l *staticLearner) fit(ctx context.Context, t *model.Trial, progress model.Progress) (*trees.Model, error) {
	o := l.options(t)
	targets := trees.Targets{Classes: t.Known.Classes, Values: t.Known.Values, Outputs: t.Known.Width(), Train: t.Train}
	if targets.Classes != nil {
		targets.NumClasses = len(t.Known.Names)
	}
	return trees.Fit(ctx, l.seen.table, targets, o, t.Workers, func(done, total int) {
		progress.Report("boost", done, total)
		if t.Progress != nil {
			t.Progress(done, total)
		}
	})
}

// Learn implements [model.Learner].
func (l *staticLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	m, err := l.fit(ctx, &t, nil)
	if err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, max(len(t.Grid), 1))
	for k := range said {
		rounds := m.Rounds()
		if len(t.Grid) > 0 {
			rounds = int(t.Grid[k])
		}
		said[k] = predictions(m, m.Scores(l.seen.table, t.Test, rounds, t.Workers), len(t.Test), &l.head)
	}
	return said, nil
}

// Model implements [model.Learner].
func (l *staticLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	defer l.work.Spent.Fitting(time.Now())
	m, err := l.fit(ctx, &t, l.work.Progress)
	if err != nil {
		return nil, err
	}
	return &staticModel{l.head, l.seen.counted, m, l.options(&t)}, nil
}
