package treeg

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// GraphReader reads graphs when they are asked for. It must be safe for concurrent use.
type GraphReader interface {
	NumGraphs() int
	// Select reads some graphs, in the given order.
	Select(graphs []int) (*graph.Batch, error)
	// Digest returns a checksum that differs between graphs of different content.
	Digest() string
}

// Streams reports whether [FitStored] fits models of these options to graphs like those of b.
func (o *Options) Streams(b *graph.Batch) bool {
	return o.Level == Graphs && o.Ensemble == Boosting && o.Scheme == Newton && o.Patience == 0 &&
		!o.MeanSteps && o.Relations == Together && b.AttributeDim == 0 && b.ArcWeights == nil
}

// FitStored fits a model to graphs that stay where they are. The model is the one that [Fit] makes of all graphs in
// memory. b holds none of the graphs, but knows what all have. The options must be such as [Options.Streams] reports.
//
// Rounds of boosting that draw a share of the graphs read those alone, and predict them by the rounds before: there are
// never more in memory than one round draws. Rounds on all graphs, and all where there are by, go over blocks of graphs
// and add up histograms; where thresholds are exact (Options.Bins 0) they read all. In memory are the targets of all,
// and as many blocks as have room in a quarter of the memory that is free, or a GiB if that is less; the others are
// read again for every split.
//
// checkpoint, unless "", names a file that is written after every round. Where it is there, the training that it comes
// from goes on, and ends with the same bits as without a break. Remove it when the model is stored. There is none where
// there are by, whose rounds keep what they have.
//
// Errors are those of Fit, of reading, and a checkpoint of other graphs, options or targets.
func FitStored(
	ctx context.Context, e engine.Engine, b *graph.Batch, graphs GraphReader, t Targets, opt Options,
	by *rounds.Rounds, checkpoint string, progress model.Progress,
) (*Model, error) {
	f, err := newStoredFit(e, b, graphs, t, opt)
	if err != nil {
		return nil, err
	}
	f.by, f.checkpoint, f.progress = by, checkpoint, progress
	return f.fit(ctx)
}

// storedFit is a fit to graphs that stay where they are.
type storedFit struct {
	*booster
	graphs GraphReader
	empty  *graph.Batch // of none of them
	known  walks.Known
	want   walks.Demand

	by         *rounds.Rounds
	checkpoint string

	block int   // graphs of a block
	few   int   // graphs of a node that is not searched by blocks
	large int   // see Data
	room  int64 // bytes left for blocks that are kept
	kept  []*walks.Data
}

// blockGraphs is the number of graphs of a block. Another one gives the same bits.
const blockGraphs = 1 << 10

// keptBytes is what blocks that are kept take at most.
const keptBytes = 1 << 30

// fewGraphs is the number of graphs up to which those of a node are read and searched in memory.
const fewGraphs = 1 << 12

// newStoredFit checks the options and targets.
func newStoredFit(e engine.Engine, b *graph.Batch, graphs GraphReader, t Targets, opt Options) (*storedFit, error) {
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
	m := &Model{engine: e, opt: opt, input: in, loss: p.loss, number: p.classes}
	f := &storedFit{booster: p.booster(m), graphs: graphs, empty: b, block: blockGraphs, few: fewGraphs,
		large: histogramFrom, room: min(memory.Available()/4, keptBytes)}
	f.want = walks.Demand{Fit: true, Length: opt.MaxLength, Cycles: slices.Contains(opt.Walks, Cycle)}
	return f, nil
}

// fit goes through the rounds of boosting.
func (f *storedFit) fit(ctx context.Context) (*Model, error) {
	if err := f.know(ctx); err != nil {
		return nil, err
	}
	f.start()
	if err := f.resume(); err != nil {
		return nil, err
	}
	round := f.sampledRound
	if f.by != nil || f.opt.Subsample == 1 {
		whole, err := f.wholeRounds(ctx)
		if err != nil {
			return nil, err
		}
		round = whole.round
	}
	for i := len(f.m.trees); i < f.opt.Estimators; i++ {
		f.progress.Report("boost", i, f.opt.Estimators)
		if err := round(ctx, i); err != nil {
			return nil, err
		}
		if err := f.store(); err != nil {
			return nil, err
		}
	}
	f.progress.Report("boost", f.opt.Estimators, f.opt.Estimators)
	return f.m, nil
}

// know finds out what has to be known of all graphs.
func (f *storedFit) know(ctx context.Context) (err error) {
	f.known, err = rounds.Reduce(ctx, f.by, rounds.Pass[walks.Known]{
		Name: "walks", First: rounds.Even(f.n, f.block), Workers: f.m.engine.Workers(),
		Progress: func(done, blocks int) { f.progress.Report("prepare", done, blocks) },
		Compute: func(_ context.Context, block int) (walks.Known, error) {
			b, err := f.graphs.Select(f.numbersOf(block))
			if err != nil {
				return walks.Known{}, err
			}
			return walks.Know(f.m.engine, b, f.m.input, f.want)
		},
	}, walks.Known.Join)
	f.m.input.FeatureGrids = f.known.Grids
	return err
}

// numbersOf returns the graphs of a block.
func (f *storedFit) numbersOf(block int) []int {
	numbers := make([]int, min(f.block, f.n-block*f.block))
	for i := range numbers {
		numbers[i] = block*f.block + i
	}
	return numbers
}

// ready reads some graphs and makes them ready.
func (f *storedFit) ready(ctx context.Context, numbers []int) (*walks.Data, error) {
	b, err := f.graphs.Select(numbers)
	if err != nil {
		return nil, err
	}
	return f.tell(walks.Prepare(ctx, f.m.engine, b, f.m.input, f.want))
}

// tell tells a batch what is known of all graphs.
func (f *storedFit) tell(d *walks.Data, err error) (*walks.Data, error) {
	if err == nil {
		f.known.Tell(d)
	}
	return d, err
}

// sampledRound is the round of a boosting on the graphs that it draws alone.
func (f *storedFit) sampledRound(ctx context.Context, round int) error {
	drawn := f.sample(round)
	numbers := make([]int, len(drawn))
	for i, p := range drawn {
		numbers[i] = int(f.train[p])
	}
	d, err := dataOf(f.ready(ctx, numbers))
	if err != nil {
		return err
	}
	here := &problem{d: d, n: len(drawn), opt: f.opt, loss: f.loss, classes: f.classes, train: make([]int32, len(drawn))}
	for i := range here.train {
		here.train[i] = int32(i)
	}
	on := &booster{problem: here, m: f.m, objective: f.objective, outputs: f.outputs, examples: here.train}
	on.onData(d)
	for _, p := range drawn {
		on.y = append(on.y, f.y[int(p)*f.outputs:(int(p)+1)*f.outputs]...)
	}
	scores, err := f.scoresBefore(ctx, d)
	if err != nil {
		return err
	}
	on.scores = &hostScores{on, scores, on.y}
	return on.round(ctx, round, here.train)
}

// scoresBefore returns the scores of all examples of some data by the rounds that are done.
func (f *storedFit) scoresBefore(ctx context.Context, d *Data) ([]float64, error) {
	if len(f.m.trees) == 0 {
		return slices.Repeat(f.m.start, d.Examples()), nil
	}
	before := &Model{engine: f.m.engine, opt: *f.opt, input: f.m.input, start: f.m.start, trees: f.m.trees}
	return before.ScoresOf(ctx, d, nil)
}
