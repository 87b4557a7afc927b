package treeg

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// GraphReader reads graphs when they are asked for.
type GraphReader interface {
	NumGraphs() int
	// Select reads some graphs, in the given order.
	Select(graphs []int) (*graph.Batch, error)
	// Each calls visit with all graphs in their order, some at a time, as often as it is called.
	Each(visit func(b *graph.Batch) error) error
	// Digest returns a checksum that differs between graphs of different content.
	Digest() string
}

// Samples reports whether [FitSampled] fits models of these options to graphs like those of b.
func (o *Options) Samples(b *graph.Batch) bool {
	return o.Level == Graphs && o.Ensemble == Boosting && o.Scheme == Newton && o.Subsample < 1 && o.Patience == 0 &&
		!o.MeanSteps && o.Relations == Together && b.AttributeDim == 0 && b.ArcWeights == nil
}

// FitSampled fits a model to graphs that stay where they are, by boosting whose rounds draw a share of them: each round
// reads the graphs that it draws, and predicts them by the rounds before. The model is the one that [Fit] makes of all
// graphs in memory; there are never more than those of one round, beside the targets of all. b holds none of the
// graphs, but knows what all have. The options must be such as [Options.Samples] reports.
//
// checkpoint, unless "", names a file that is written after every round. Where it is there, the training that it comes
// from goes on, and ends with the same bits as without a break. Remove it when the model is stored.
//
// Errors are those of Fit, of reading, and a checkpoint of other graphs, options or targets.
func FitSampled(
	ctx context.Context, e engine.Engine, b *graph.Batch, graphs GraphReader, t Targets, opt Options, checkpoint string,
	progress model.Progress,
) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	in, err := inputOf(b, &opt)
	if err != nil {
		return nil, err
	}
	p, err := newProblem(graphs.NumGraphs(), t, &opt)
	if err != nil {
		return nil, err
	}
	p.progress = progress
	done := 0
	if err := graphs.Each(func(b *graph.Batch) error {
		progress.Report("prepare", done, p.n)
		done += b.NumGraphs()
		in.FeatureGrids, err = walks.JoinGrids(e, in.FeatureGrids, b, in, opt.MaxLength)
		if err == nil {
			err = ctx.Err()
		}
		return err
	}); err != nil {
		return nil, err
	}
	m := &Model{engine: e, opt: opt, input: in, loss: p.loss, number: p.classes}
	drawn := &sampledBooster{p.booster(m), graphs, checkpoint}
	drawn.start()
	if err := drawn.resume(); err != nil {
		return nil, err
	}
	for round := len(m.trees); round < opt.Estimators; round++ {
		progress.Report("boost", round, opt.Estimators)
		if err := drawn.round(ctx, round); err != nil {
			return nil, err
		}
		if err := drawn.store(); err != nil {
			return nil, err
		}
	}
	progress.Report("boost", opt.Estimators, opt.Estimators)
	return m, nil
}

// sampledBooster is a boosting whose data are read round by round.
type sampledBooster struct {
	*booster
	graphs     GraphReader
	checkpoint string
}

// round is that of a boosting on the graphs that it draws alone.
func (b *sampledBooster) round(ctx context.Context, round int) error {
	drawn := b.sample(round)
	numbers := make([]int, len(drawn))
	for i, p := range drawn {
		numbers[i] = int(b.train[p])
	}
	batch, err := b.graphs.Select(numbers)
	if err != nil {
		return err
	}
	d, err := dataOf(walks.Prepare(ctx, b.m.engine, batch, b.m.input,
		walks.Demand{Fit: true, Length: b.opt.MaxLength, Cycles: slices.Contains(b.opt.Walks, Cycle)}))
	if err != nil {
		return err
	}
	here := &problem{d: d, n: len(drawn), opt: b.opt, loss: b.loss, classes: b.classes, train: make([]int32, len(drawn))}
	for i := range here.train {
		here.train[i] = int32(i)
	}
	on := &booster{problem: here, m: b.m, objective: b.objective, outputs: b.outputs, examples: here.train}
	on.onData(d)
	for _, p := range drawn {
		on.y = append(on.y, b.y[int(p)*b.outputs:(int(p)+1)*b.outputs]...)
	}
	scores, err := b.scoresBefore(ctx, d)
	if err != nil {
		return err
	}
	on.scores = &hostScores{on, scores, on.y}
	return on.round(ctx, round, here.train)
}

// scoresBefore returns the scores of all examples of some data by the rounds that are done.
func (b *sampledBooster) scoresBefore(ctx context.Context, d *Data) ([]float64, error) {
	if len(b.m.trees) == 0 {
		return slices.Repeat(b.m.start, d.Examples()), nil
	}
	before := &Model{engine: b.m.engine, opt: *b.opt, input: b.m.input, start: b.m.start, trees: b.m.trees}
	return before.ScoresOf(ctx, d, nil)
}
