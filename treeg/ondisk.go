package treeg

import (
	"context"
	"errors"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/rounds"
)

// storedGraphs are the graphs of a store as trees see them.
type storedGraphs struct {
	*dataset.Shards
	encoding *dataset.Encoding
}

// Select implements [GraphReader].
func (g storedGraphs) Select(graphs []int) (*graph.Batch, error) {
	d, err := g.Shards.Select(graphs)
	if err != nil {
		return nil, err
	}
	return g.encoding.Apply(d)
}

// of calls visit with some graphs, all where there is no list, in their order, some at a time.
func (g storedGraphs) of(graphs []int, visit func(*graph.Batch) error) error {
	return g.EachOf(graphs, func(d *dataset.Dataset) error {
		b, err := g.encoding.Apply(d)
		if err != nil {
			return err
		}
		return visit(b)
	})
}

// InRounds implements [model.InRounds].
func (s Estimator) InRounds() error {
	if o := s.fitted(); s.Static != nil || !o.Streams(&graph.Batch{}) {
		return errNoParts
	}
	return nil
}

// errNoParts says what trees cannot be grown of parts of the graphs.
var errNoParts = errors.New("trees grow by histograms of parts where they are boosted by newton steps without a " +
	"stop, arcs of all types count as one and unweighted, and vertices have labels alone")

// onDisk returns a learner whose graphs stay on disk, nil where these options want them in memory.
func (s Estimator) onDisk(w *model.Work) (model.Learner, error) {
	shards, ok := w.Store.(*dataset.Shards)
	if !ok {
		return nil, nil
	}
	encoding, err := s.Sees(w)
	if err != nil {
		return nil, err
	}
	empty, err := encoding.Apply(shards.Head())
	if err != nil {
		return nil, err
	}
	wide, o := w.Engine.Capabilities().Wide, s.fitted()
	switch streams := s.Static == nil && o.Streams(empty); {
	case wide && w.Rounds != nil:
		return nil, param.Errorf("device", nil, "trees grow by histograms of parts on a CPU alone")
	case !streams && w.Rounds != nil:
		return nil, param.Errorf("data", nil, "%w", errNoParts)
	case wide || !streams:
		return nil, nil
	}
	return &diskLearner{s, w, storedGraphs{shards, encoding}, empty}, nil
}

// diskLearner learns from graphs that stay on disk.
type diskLearner struct {
	estimator Estimator
	work      *model.Work
	graphs    storedGraphs
	empty     *graph.Batch
}

func (l *diskLearner) fit(
	ctx context.Context, t *model.Trial, by *rounds.Rounds, checkpoint string, progress model.Progress,
) (*Model, error) {
	targets, opt := l.estimator.asked(t)
	m, err := FitStored(ctx, l.work.Engine, l.empty, l.graphs, targets, opt, by, checkpoint, progress)
	if err != nil {
		return nil, err
	}
	m.absent = t.Known.Absent()
	return m, nil
}

// Learn implements [model.Learner].
func (l *diskLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	m, err := l.fit(ctx, &t, nil, "", told(&t))
	if err != nil {
		return nil, err
	}
	return m.eachOf(t.Grid, func(one *Model) (scores []float64, err error) {
		return scores, l.graphs.of(t.Test, func(b *graph.Batch) error {
			some, err := one.Scores(ctx, b)
			scores = append(scores, some...)
			return err
		})
	})
}

// Model implements [model.Learner].
func (l *diskLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	defer l.work.Spent.Fitting(time.Now())
	m, err := l.fit(ctx, &t, l.work.Rounds, l.estimator.Checkpoint, l.work.Progress)
	if err != nil {
		return nil, err
	}
	d := l.work.Data
	return &Trained{model.HeadOf(modelName, d), m, l.graphs.encoding, d.Batch.Directed}, nil
}
